/** More requests than can be answered at once, on a service whose turns the test drives. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { makeServer } from '../../src/http/app.ts';
import { limitConnections } from '../../src/http/limits/connections.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import { type Loop, makeRequestTurns, makeTurns, Overloaded } from '../../src/http/limits/turns.ts';
import { acme, shift } from '../support/document.ts';
import { driveUntil, makeDrivenLoop, useUp } from '../support/driven-loop.ts';
import { listen } from '../support/listening.ts';
import { type RawClient, rawClient, statusesIn } from '../support/raw-client.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const DAY = '2026-12-01';

test('a token that asks once is answered before the crowd of another one', async (context) => {
  const driven = await drivenService(context);
  const { service } = driven;
  const tokens = { crowd: await service.token('acme'), honest: await service.token('acme') };
  // So that both tokens are known.
  for (const token of Object.values(tokens)) await service.list('acme', '', token);
  const ask = (who: keyof typeof tokens) => service.list('acme', `?day=${DAY}`, tokens[who]);
  await assertBeforeCrowd(driven, () => ask('crowd'), { honest: () => ask('honest') });
});

test('those without a live token wait together, by address, and nobody else waits for them', async (context) => {
  const driven = await drivenService(context, { trustProxy: ['loopback'] });
  const { service } = driven;
  // So that the shifts are in memory: loading them takes as long as the machine likes, and turns go on meanwhile.
  await service.list('acme', '', await service.token('acme'));
  const honest = await service.token('acme');
  const ask = (address: string, token: string) =>
    service.get('acme', '', token, { headers: { 'x-forwarded-for': address } });
  await assertBeforeCrowd(driven, (i) => ask('192.0.2.1', `wrong-${i}`), {
    // Its token is not known yet, and it is at home in another network.
    honest: () => ask('192.0.2.2', honest),
  });
});

test('a live token is known as one, however many were made up since', async (context) => {
  const driven = await drivenService(context);
  const { service } = driven;
  const honest = await service.token('acme');
  await service.list('acme', '', honest);
  const wrong = (i: number) =>
    `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong-${i}\r\n\r\n`;
  for (let i = 0; i < 3_000; i += 100) {
    const hundred = Array.from({ length: 100 }, (_, j) => wrong(i + j)).join('');
    const { answer } = await rawClient(service.url, `${hundred}GET / HTTP/1.1\r\nConnection: close\r\n\r\n`);
    await driven.drive(answer);
  }
  await assertBeforeCrowd(driven, (i) => service.get('acme', '', `wrong-again-${i}`), {
    // From the same address.
    honest: () => service.get('acme', '', honest),
  });
});

test('a crowd of health checks waits for itself', async (context) => {
  const driven = await drivenService(context, { trustProxy: ['loopback'] });
  const { service } = driven;
  const honest = await service.token('acme');
  await service.list('acme', '', honest);
  const ask = async (path: string, headers: Readonly<Record<string, string>>) =>
    assert.equal((await service.fetch(path, { headers })).status, 200);
  const check = (i: number) => (i % 2 === 0 ? '/healthz' : '/readyz');
  await assertBeforeCrowd(driven, (i) => ask(check(i), { 'x-forwarded-for': '192.0.2.1' }), {
    honest: () => ask(`/acme/api/v1/shifts?day=${DAY}`, { authorization: `Bearer ${honest}` }),
    balancer: () => ask('/readyz', {}),
  });
});

test('a health check is answered before a crowd from its own address', async (context) => {
  const driven = await drivenService(context);
  const ask = (path: string) => driven.service.fetch(path);
  await assertBeforeCrowd(driven, () => ask('/acme/api/v1/shifts'), {
    '/healthz': () => ask('/healthz'),
    '/readyz': () => ask('/readyz'),
  });
});

/** While a crowd of 200 waits already, others ask, and are all answered among the first hundred. */
async function assertBeforeCrowd(
  { turns, overload, driveInOrder }: Awaited<ReturnType<typeof drivenService>>,
  askInCrowd: (i: number) => Promise<unknown>,
  others: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const answered: string[] = [];
  const note = (who: string, answer: Promise<unknown>) => answer.then(() => answered.push(who));
  overload();
  const crowd = Array.from({ length: 200 }, (_, i) => note('crowd', askInCrowd(i)));
  await until('the crowd waits', () => turns.counts().waiting === 200);
  const asked = Object.entries(others).map(([who, ask]) => note(who, ask()));
  await until('all wait', () => turns.counts().waiting === 200 + asked.length);
  await driveInOrder(Promise.all([...crowd, ...asked]));
  for (const who of Object.keys(others))
    assert.ok(answered.indexOf(who) < 100, `${who} was number ${answered.indexOf(who)}`);
}

test('who waited too long is refused and told when to come again, and is served afterwards', async (context) => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const { service, loop, turns, overload, drive } = await drivenService(context, { logger });
  const token = await service.token('acme');
  overload();
  const waiting = Array.from({ length: 5 }, () => service.get('acme', '', token));
  await until('they wait', () => turns.counts().waiting === 5);
  loop.passMs(DEFAULT_LIMITS.maxWaitMs + 1);
  const refused = await drive(Promise.all(waiting));
  for (const { status, headers } of refused) {
    assert.equal(status, 503);
    assert.equal(headers.get('retry-after'), '2');
  }
  assert.match((await refused[0]?.text()) ?? '', /more requests than it can answer/);
  assert.match(lines.join(''), /more requests than can be answered in time/);
  assert.ok(!lines.join('').includes(token));
  assert.equal(turns.counts().refused, 5);
  assert.equal((await drive(service.get('acme', '', token))).status, 200);
});

test('requests that follow each other on a connection are answered in their order, before and after a wait', async (context) => {
  const { service, turns, overload, drive } = await drivenService(context);
  const token = await service.token('acme');
  const listing = (query: string, rest = '') =>
    `GET /acme/api/v1/shifts${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${rest}\r\n`;
  const days = Array.from({ length: 60 }, (_, i) => `2026-12-${String(1 + (i % 3)).padStart(2, '0')}`);
  overload();
  const { socket, answer } = await rawClient(service.url);
  socket.write(
    days
      .slice(0, 40)
      .map((day) => listing(`?day=${day}`))
      .join(''),
  );
  await until('some wait', () => turns.counts().waiting > 0);
  socket.write(
    days
      .slice(40)
      .map((day, i) => listing(`?day=${day}`, i === 19 ? 'Connection: close\r\n' : ''))
      .join(''),
  );
  const text = await drive(answer);
  assert.deepEqual(
    [...text.matchAll(/"date":"([^"]+)"/g)].map(([, date]) => date),
    days,
  );
});

test('a connection that ends while its request waits is forgotten', async (context) => {
  const { service, turns, overload, drive } = await drivenService(context);
  const token = await service.token('acme');
  overload();
  const request = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const clients = await Promise.all(Array.from({ length: 20 }, () => rawClient(service.url, request)));
  await until('they wait', () => turns.counts().waiting === 20);
  for (const { socket } of clients) socket.resetAndDestroy();
  const { freshnessQueries } = service.counts();
  await until('they are gone', async () => (await service.connections()) === 0);
  assert.equal((await drive(service.get('acme', '', token))).status, 200);
  assert.deepEqual(turns.counts(), { waiting: 0, refused: 0 });
  assert.equal(service.counts().freshnessQueries, freshnessQueries + 1);
});

test('a server that shuts down answers those who wait, also where it has not read on', async (context) => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(DEFAULT_LIMITS, loop);
  const requestTurns = makeRequestTurns(turns, () => 'all');
  const connections = limitConnections({
    ...DEFAULT_LIMITS,
    isHealthCheck: () => false,
    onTooManyPipelined: () => undefined,
    onTooManyConnections: () => undefined,
  });
  const server = makeServer(
    async (request, response) => {
      await requestTurns.begin(request, response);
      response.end(request.url);
    },
    { limits: DEFAULT_LIMITS, connections, onRejected: () => undefined },
  );
  const url = `http://127.0.0.1:${await listen(context, server)}`;
  useUp(turns, loop);
  const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const clients = await Promise.all(Array.from({ length: 40 }, () => rawClient(url, request)));
  await until('they wait', () => turns.counts().waiting === 40);
  const answered = new Set<RawClient>();
  for (const client of clients) client.socket.once('data', () => answered.add(client));
  await loop.turn();
  await until('some are answered, and the server is not done', () => answered.size === 24);
  const again = [...answered];
  await Promise.all(again.map(({ socket }) => new Promise((sent) => socket.write(request, sent))));
  const closed = once(server, 'close');
  await requestTurns.drain();
  connections.close(server);
  server.close();
  const answers = Promise.all(clients.map(({ answer }) => answer));
  await driveUntil(loop, Promise.all([answers, closed]));
  for (const [i, answer] of (await answers).entries())
    assert.equal(statusesIn(answer).length, again.includes(clients[i] as RawClient) ? 2 : 1);
});

/** A service with three days, which is out of time from `overload` until `drive` has what it waits for. */
async function drivenService(context: TestContext, app = {}) {
  const loop = makeDrivenLoop();
  const turns = makeTurns(DEFAULT_LIMITS, loop);
  const service = await startService(context, {
    hasThread: true,
    now: '2026-11-15T12:00:00Z',
    app: { ...app, turns },
  });
  await service.import(acme([shift('2026-12-01'), shift('2026-12-02'), shift('2026-12-03')]));
  return {
    service,
    loop,
    turns,
    overload() {
      useUp(turns, loop);
    },
    drive: <T>(result: Promise<T>) => driveUntil(loop, result),
    /** Each turn comes when what was served in the one before is answered, or waits for another turn. */
    driveInOrder(result: Promise<unknown>) {
      async function turn() {
        await loop.turn();
        // What is answered without a turn, on connections of its own, since those of others may be left unread. It comes
        // back later than what was served, which only asks a database in this process.
        for (let i = 0; i < 3; i++) {
          const headers = { expect: 'the impossible' };
          const [response] = await once(get(service.url, { agent: false, headers }), 'response');
          await text(response);
        }
      }
      return driveUntil({ ...loop, turn }, result);
    },
  };
}

// Turns on an event loop that the test drives.

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
  const { loop, turns, begin, newSocket } = fakeConnections();
  const sockets = [newSocket(), newSocket()];
  const asked = sockets.map(begin);
  await loop.turn();
  await Promise.all(asked.map(({ turn }) => turn));
  useUp(turns, loop);
  for (const { response } of asked) response.emit('close');
  assert.equal(turns.counts().waiting, 2);
  loop.passMs(LIMITS.maxWaitMs + 1);
  await loop.turn();
  assert.equal(turns.counts().refused, 0, 'no request was');
  const { turn } = begin(sockets[0] ?? assert.fail());
  await loop.turn();
  await turn;
});

test('a connection that is left unread twice, since it had sent requests ahead, is read on', async () => {
  const { loop, turns, begin, newSocket } = fakeConnections();
  const socket = newSocket();
  const asked = [begin(socket), begin(socket)];
  await loop.turn();
  for (const { response, turn } of asked) {
    await turn;
    useUp(turns, loop);
    response.emit('close');
    begin(socket);
  }
  while (turns.counts().waiting > 0) await loop.turn();
  socket.resume();
  assert.equal(socket.isPaused, false);
});

test('a connection that was closed while it was left unread is let go', async () => {
  const { loop, turns, newSocket, leaveUnread } = fakeConnections();
  const socket = newSocket();
  await leaveUnread(socket);
  socket.destroyed = true;
  while (turns.counts().waiting > 0) await loop.turn();
  assert.equal(socket.isPaused, false);
});

test('what comes on a connection that is read on for the end of the server waits among requests', async () => {
  const { loop, requestTurns, begin, newSocket, leaveUnread } = fakeConnections();
  const [unread, other] = [newSocket(), newSocket()];
  await leaveUnread(unread);
  await requestTurns.drain();
  const served: string[] = [];
  void begin(unread).turn?.then(() => served.push('of the connection'));
  void begin(other).turn?.then(() => served.push('after it'));
  while (served.length < 2) await loop.turn();
  assert.deepEqual(served, ['of the connection', 'after it']);
});

test('requests of a connection that waited long ago are not expected of it again', async () => {
  const { loop, turns, begin, newSocket, leaveUnread } = fakeConnections();
  const socket = newSocket();
  for (let i = 0; i < 100; i++) {
    const { turn, response } = begin(socket);
    await loop.turn();
    await turn;
    // Now there is time.
    await loop.turn();
    response.emit('close');
  }
  await leaveUnread(socket);
  let isServed = false;
  void turns.wait('b', HERE).then(() => {
    isServed = true;
  });
  await loop.turn();
  assert.ok(isServed, 'in the turn in which that connection is read on');
});

test('of the requests that a crowd sends ahead, those of few connections are in memory', async () => {
  const { loop, begin, newSocket } = fakeConnections();
  const crowd = Array.from({ length: 50 }, newSocket);
  let inMemory = 0;
  /** All of what a client sends at a time is read at once. Once it is answered, the client sends as much again. */
  const read = (socket: (typeof crowd)[number]) => {
    const all = Array.from({ length: DEFAULT_LIMITS.maxPipelined }, () => begin(socket));
    inMemory += all.length;
    for (const { turn, response } of all)
      void turn?.then(() => {
        inMemory--;
        response.emit('close');
      });
    return Promise.all(all.map(({ turn }) => turn));
  };
  const answered = new Set<(typeof crowd)[number]>();
  const sendOn = (socket: (typeof crowd)[number]) => void read(socket).then(() => answered.add(socket));
  for (const socket of crowd) sendOn(socket);
  const seen: number[] = [];
  for (let i = 0; i < 300; i++) {
    await loop.turn();
    for (const socket of answered.values().filter(({ isPaused }) => !isPaused)) {
      answered.delete(socket);
      sendOn(socket);
    }
    seen.push(inMemory);
  }
  assert.ok(Math.max(...seen.slice(-100)) <= 3 * DEFAULT_LIMITS.maxPipelined, seen.join(' '));
  assert.ok(Math.max(...seen.slice(-100)) > 0, seen.join(' '));
});

test('connections of those whose requests keep coming are read on as well', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  let isRead = false;
  void turns.waitUnread('a', HERE, 1).then(() => {
    isRead = true;
  });
  for (let i = 0; i < 20 && !isRead; i++) {
    for (let j = 0; j < 24; j++) void turns.wait('a', HERE);
    await loop.turn();
  }
  assert.ok(isRead);
});

function fakeConnections() {
  const loop = makeDrivenLoop();
  const turns = makeTurns(LIMITS, loop);
  const requestTurns = makeRequestTurns(turns, () => 'a');
  function begin(socket: EventEmitter) {
    useUp(turns, loop);
    const response = Object.assign(new EventEmitter(), HERE);
    const request = { socket } as unknown as IncomingMessage;
    return { response, turn: requestTurns.begin(request, response as unknown as ServerResponse) };
  }
  return {
    loop,
    turns,
    requestTurns,
    begin,
    /** Answers a request of it, and has no time to read on. */
    async leaveUnread(socket: EventEmitter) {
      const { turn, response } = begin(socket);
      await loop.turn();
      await turn;
      useUp(turns, loop);
      response.emit('close');
    },
    newSocket() {
      const socket = Object.assign(new EventEmitter(), {
        ...HERE,
        isPaused: false,
        pause() {
          socket.isPaused = true;
        },
        resume() {
          socket.isPaused = false;
          socket.emit('resume');
        },
      });
      return socket;
    },
  };
}

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
  const ask = (asker: string, number: number) => {
    void turns.wait(asker, HERE).then(() => {
      served.push(`${asker} ${number}`);
      loop.passMs(msEach);
    });
  };
  return { turns, served, ask };
}
