/** Turns on an event loop that the test drives. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Loop, makeRequestTurns, makeTurns, Overloaded } from '../../src/http/limits/turns.ts';
import { makeDrivenLoop, useUp } from '../support/driven-loop.ts';
import { often } from '../support/strength.ts';

const LIMITS = { maxWaitMs: 1_000 };
const HERE = { destroyed: false };

test('while a turn has time, work is done at once; then it waits for the next turn', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  assert.equal(turns.isFree(), true);
  assert.equal(turns.isFree(), true);
  useUp(turns, loop);
  let isServed = false;
  void turns.wait('a', HERE).then(() => {
    isServed = true;
  });
  await loop.turn();
  assert.equal(isServed, true);
  await loop.turn();
  assert.equal(turns.isFree(), true);
});

test('work that has begun waits as well when the time of its turn is up', () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  assert.equal(turns.isStillFree(), true);
  assert.equal(turns.isStillFree(), true);
  loop.passMs(5);
  assert.equal(turns.isStillFree(), false);
  // It is asked in the middle of turns, and plans none.
  assert.equal(loop.planned(), 0);
});

test('an idle loop is left alone', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  turns.isFree();
  await loop.turn();
  assert.equal(loop.planned(), 0);
});

test('nobody does work at once while others wait', () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  void turns.wait('a', HERE);
  assert.equal(turns.isFree(), false);
});

test('whoever comes late with one request is served before a crowd that came earlier', async () => {
  const loop = makeDrivenLoop();
  const { turns, served, ask } = servedBy(loop, { msEach: 1 });
  for (let i = 0; i < 500; i++) ask('crowd', i);
  await loop.turn();
  ask('honest', 0);
  await loop.turn();
  await loop.turn();
  assert.deepEqual(served, ['crowd 0', 'crowd 1', 'honest 0']);
  assert.equal(turns.counts().waiting, 498);
});

test('a turn ends when its time is up, however little was done', async () => {
  const loop = makeDrivenLoop();
  const { served, ask } = servedBy(loop, { msEach: 0.3 });
  for (let i = 0; i < 100; i++) ask('a', i);
  await loop.turn();
  assert.equal(served.length, 4);
  await loop.turn();
  assert.equal(served.length, 8);
});

test('who waits too long behind their own is refused in their turn', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  const crowd = ['a', 'a', 'a'].map((asker) => turns.wait(asker, HERE));
  const honest = turns.wait('b', HERE);
  // The process stood still, which is nobody's fault.
  loop.passMs(1_001);
  const outcomes = Promise.allSettled([...crowd, honest]);
  while (turns.counts().waiting > 0) await loop.turn();
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason);
  assert.deepEqual(
    reasons.map((reason) => reason instanceof Overloaded),
    [true, true, false, false],
  );
  assert.deepEqual(turns.counts(), { waiting: 0, refused: 2 });
});

test('a connection that was left unread for too long gives its next request another turn', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  const requestTurns = makeRequestTurns(turns, () => 'a');
  const sockets = [1, 2].map(() => Object.assign(new EventEmitter(), { pause() {}, resume() {}, ...HERE }));
  const ask = (socket: unknown) => {
    useUp(turns, loop);
    const response = Object.assign(new EventEmitter(), HERE);
    const turn = requestTurns.begin({ socket } as IncomingMessage, response as unknown as ServerResponse);
    return { response, turn };
  };
  const asked = sockets.map(ask);
  await loop.turn();
  await Promise.all(asked.map(({ turn }) => turn));
  useUp(turns, loop);
  for (const { response } of asked) response.emit('close');
  assert.equal(turns.counts().waiting, 2);
  loop.passMs(LIMITS.maxWaitMs + 1);
  await loop.turn();
  assert.equal(turns.counts().refused, 1);
  const { turn } = ask(sockets[0]);
  await loop.turn();
  await turn;
});

test('clients that have disconnected are passed over', async () => {
  const loop = makeDrivenLoop();
  const { turns, served, ask } = servedBy(loop, { msEach: 1 });
  for (let i = 0; i < 1_000; i++) ask('gone', i, { destroyed: true });
  await loop.turn();
  ask('a', 0);
  await loop.turn();
  assert.deepEqual(served, ['a 0']);
  assert.deepEqual(turns.counts(), { waiting: 0, refused: 0 });
});

test('in whatever order askers come, all are served, each in order, and nobody waits longer than its place in the rotation', async () => {
  const askers = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(askers, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const loop = makeDrivenLoop();
      const { turns, served, ask } = servedBy(loop, { msEach: 1 });
      const asked: string[] = [];
      /** How many are served before it at most: for each of its asker that is ahead, one of every asker. */
      const bounds = new Map<string, number>();
      let number = 0;
      for (const round of rounds) {
        for (const asker of round) {
          const name = `${asker} ${number}`;
          const ahead = asked.filter((other) => other.startsWith(`${asker} `) && !served.includes(other));
          bounds.set(name, served.length + (ahead.length + 1) * 7);
          asked.push(name);
          ask(String(asker), number++);
        }
        await loop.turn();
      }
      while (turns.counts().waiting > 0) await loop.turn();
      assert.deepEqual([...served].sort(), [...asked].sort());
      for (const [place, name] of served.entries()) assert.ok(place < (bounds.get(name) ?? 0), name);
      for (let asker = 0; asker < 7; asker++) {
        const ofAsker = (names: readonly string[]) => names.filter((name) => name.startsWith(`${asker} `));
        assert.deepEqual(ofAsker(served), ofAsker(asked));
      }
    }),
    { numRuns: often(20, 500) },
  );
});

/** Everything that is asked for waits, and takes some time when it is served. */
function servedBy(loop: Loop & { passMs(ms: number): void }, { msEach }: { msEach: number }) {
  const turns = makeTurns(LIMITS, loop);
  const served: string[] = [];
  const ask = (asker: string, number: number, client = HERE) => {
    void turns.wait(asker, client).then(() => {
      served.push(`${asker} ${number}`);
      loop.passMs(msEach);
    });
  };
  return { turns, served, ask };
}
