/** When a watched file is imported, by a clock that the test moves. */

import assert from 'node:assert/strict';
import type { Stats } from 'node:fs';
import type { stat } from 'node:fs/promises';
import { describe, test } from 'node:test';
import {
  FIRST_RETRY_MS,
  LAST_RETRY_MS,
  type Look,
  makeLook,
  type Outcome,
  SILENT_MS,
  STILL_MS,
  watchFile,
} from '../../../src/cli/import/watch-loop.ts';

const HOUR_MS = 3_600_000;
const GONE: Look = { trouble: 'gone' };

interface World {
  /** What the file looks like from each second on. */
  readonly file: Readonly<Record<number, Look>>;
  /** What becomes of an import, by its state and how many there were. */
  readonly outcome?: (state: string, times: number) => Outcome;
  readonly untilSecond: number;
}

/** Says what happened, and in which second. */
async function happenings({ file, outcome = () => 'done', untilSecond }: World): Promise<string[]> {
  const stopping = new AbortController();
  const told: string[] = [];
  let nowMs = 0;
  let times = 0;
  let look: Look = GONE;
  const note = (what: string) => told.push(`${nowMs / 1000} ${what}`);
  await watchFile({
    look: async () => {
      look = file[nowMs / 1000] ?? look;
      return look;
    },
    importFile: async (state) => {
      note(`import ${state}`);
      return outcome(state, times++);
    },
    tellTrouble: (sentence) => note(sentence),
    tellSame: () => note('same'),
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
      if (nowMs >= untilSecond * 1000) stopping.abort();
    },
    stop: stopping.signal,
  });
  return told;
}

const saved = (state: string, changedMs = -HOUR_MS): Look => ({ state, changedMs });

describe('a watched file', () => {
  test('is imported at once, and again when it has changed and lies still', async () => {
    const file = { 0: saved('a'), 10: saved('b'), 11: saved('c'), 13: saved('d') };
    assert.deepEqual(await happenings({ file, untilSecond: 100 }), [
      '0 import a',
      `${13 + STILL_MS / 1000} import d`,
    ]);
  });

  test('that is being saved at the start, or has a time ahead of this clock, is waited for', async () => {
    for (const changedMs of [-1000, HOUR_MS]) {
      const [first] = await happenings({ file: { 0: saved('a', changedMs) }, untilSecond: 100 });
      assert.equal(first, changedMs === HOUR_MS ? '3 import a' : '2 import a');
    }
  });

  test('that goes away for a moment, as when it is saved, is not missed; one that stays away is, once', async () => {
    const file = {
      0: saved('a'),
      10: GONE,
      11: saved('a'),
      20: GONE,
      200: saved('a'),
      300: GONE,
      400: saved('b'),
    };
    assert.deepEqual(await happenings({ file, untilSecond: 1000 }), [
      '0 import a',
      '23 gone',
      '200 same',
      '303 gone',
      '403 import b',
    ]);
  });

  test('that is not there at the start is told at once', async () => {
    assert.deepEqual(await happenings({ file: { 5: saved('a') }, untilSecond: 100 }), [
      '0 gone',
      '8 import a',
    ]);
  });

  test('that changes while it is read is read again when it lies still', async () => {
    const outcome = (_: string, times: number) => (times === 0 ? 'changed' : 'done');
    assert.deepEqual(await happenings({ file: { 0: saved('a') }, outcome, untilSecond: 100 }), [
      '0 import a',
      '4 import a',
    ]);
  });

  test('is tried again while something is in the way, ever less often, and that is told once', async () => {
    const outcome = (_: string, times: number): Outcome => (times < 7 ? { trouble: 'no database' } : 'done');
    const told = await happenings({ file: { 0: saved('a') }, outcome, untilSecond: 1000 });
    assert.deepEqual(
      told.filter((line) => !line.includes('import')),
      ['0 no database'],
    );
    const seconds = told.filter((line) => line.includes('import')).map((line) => Number.parseInt(line, 10));
    assert.deepEqual(seconds, [0, 5, 15, 35, 75, 135, 195, 255]);
    assert.deepEqual([FIRST_RETRY_MS, LAST_RETRY_MS], [5_000, 60_000]);
  });

  test('tells a trouble again after it was over', async () => {
    const outcome = (state: string, times: number): Outcome =>
      times === 0 || state === 'b' ? { trouble: 'no database' } : 'done';
    const file = { 0: saved('a'), 100: saved('b') };
    const told = await happenings({ file, outcome, untilSecond: 200 });
    assert.equal(told.filter((line) => line.endsWith('no database')).length, 2);
  });
});

test('a folder that does not answer is told of, and asked once until it does', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const { promise, resolve } = Promise.withResolvers<Stats>();
  const look = makeLook('plan.csv', (() => {
    asked++;
    return promise;
  }) as unknown as typeof stat);
  for (let i = 0; i < 3; i++) {
    const seen = look();
    t.mock.timers.tick(SILENT_MS);
    assert.deepEqual(await seen, {
      trouble: 'plan.csv does not answer. It is imported as soon as it can be read.',
    });
  }
  assert.equal(asked, 1);
  const seen = look();
  resolve({ isFile: () => true, size: 1, mtimeMs: 2 } as Stats);
  assert.deepEqual(await seen, { state: '1 2', changedMs: 2 });
});
