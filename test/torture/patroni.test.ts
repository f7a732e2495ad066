/** How `npm run torture -- --only patroni` judges, and its short form. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeDraw } from '../../torture/draw.ts';
import { startCluster } from '../../torture/patroni/cluster.ts';
import { tryFailover } from '../../torture/patroni/failover.ts';
import { missingPrograms } from '../../torture/patroni/installed.ts';
import {
  agreedMs,
  judge,
  longestPause,
  lostChanges,
  refusedMs,
  type Truth,
} from '../../torture/patroni/judge.ts';
import { openScene } from '../../torture/patroni/part.ts';
import type { Answer } from '../../torture/patroni/readers.ts';
import { withCleanup } from '../../torture/trial.ts';
import { environment } from '../support/cli.ts';
import { isLong } from '../support/strength.ts';

/** Changes 1 to 4 at 10, 20, 30 and 40 ms. The primary lacks the third one in the end. */
const CHANGES = [1, 2, 3, 4].map((number) => ({ number, doneMs: 10 * number }));
const LOST: Truth = { replication: 'asynchronous', changes: CHANGES, kept: new Set([1, 2, 4]) };
const KEPT: Truth = { replication: 'synchronous', changes: CHANGES, kept: new Set([1, 2, 3, 4]) };

/** An answer that takes a millisecond. */
function at(startMs: number, number: number | undefined, isStale = false): Answer {
  return { startMs, endMs: startMs + 1, number, isStale };
}

function judged(truth: Truth, answers: readonly Answer[], isStrict = true): string[] {
  return judge([{ name: 'it', isStrict, answers }], truth);
}

test('pages that follow what was done break no promise, nor do refusals and pages that say how old they are', () => {
  assert.deepEqual(judged(KEPT, [at(11, 1), at(21, 2), at(31, undefined), at(32, 2, true), at(41, 4)]), []);
  assert.deepEqual(judged(KEPT, [at(11, 1), at(31, 1), at(41, 2)], false), []);
  // One that was asked for before the other was answered.
  assert.deepEqual(judged(KEPT, [at(9.5, 1), at(9, undefined), at(10, 1)]), []);
});

test('a page that is older than one before it, or than what was done before it, is told', () => {
  assert.deepEqual(judged(KEPT, [at(21, 2), at(23, 1, true)]), [
    'it: a page of change 1 was shown after one of change 2.',
  ]);
  assert.deepEqual(judged(KEPT, [at(31, 2)]), [
    'it: a page of change 2 was asked for after change 3 was done.',
  ]);
  assert.deepEqual(judged(KEPT, [at(41, 5)]), ['it: a page of change 5 was shown, but the last one was 4.']);
});

test('what was done and is lost is told where commits wait for a standby', () => {
  const truth: Truth = { ...LOST, replication: 'synchronous' };
  assert.deepEqual(judged(truth, [at(31, 3)]), [
    'Changes were done and are lost: 3.',
    'it: a page of change 3 was shown, and the change is lost.',
  ]);
  assert.deepEqual(
    lostChanges(truth).map(({ number }) => number),
    [3],
  );
});

test('where commits do not wait, a server may go back once, to what the new primary has', () => {
  assert.deepEqual(judged(LOST, [at(31, 3), at(35, 2), at(41, 4)]), []);
  assert.deepEqual(judged(LOST, [at(31, 3), at(35, 2), at(37, 3)]), [
    'it: a page of change 3 was shown again, after the change was lost.',
  ]);
  assert.deepEqual(judged(LOST, [at(31, 3), at(35, 1)]), [
    'it: a page of change 1 was asked for after change 2 was done.',
  ]);
});

test('refusals, the pause of those who write and the agreement afterwards are measured', () => {
  const answers = [at(0, 1), at(5, undefined), at(6, undefined), at(19, 2), at(30, undefined), at(39, 4)];
  assert.equal(refusedMs(answers), 15 + 10);
  const pause = longestPause([...CHANGES, { number: 5, doneMs: undefined }, { number: 6, doneMs: 95 }], 40);
  assert.deepEqual(pause, { ms: 55, end: { number: 6, doneMs: 95 } });
  const seen = [at(96, 6), at(90, 4)].map((answer) => ({
    name: '',
    isStrict: true,
    answers: [answer, at(99, 6)],
  }));
  assert.equal(agreedMs(seen, { number: 6, doneMs: 95 }), 5);
});

test('where Patroni is not installed, the part is skipped and says what to install', () => {
  const main = fileURLToPath(new URL('../../torture/main.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, '--only', 'patroni', '--amount', '1'], {
    env: { ...environment(), PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  assert.match(
    stderr,
    /^patroni is skipped\. This machine lacks patroni, etcd-server.*\("apt-get install patroni /m,
  );
  assert.equal(status, 0);
});

if (isLong)
  test('when the primary of a real cluster is killed under load, servers follow the new one', (context) => {
    const missing = missingPrograms();
    if (missing !== undefined) return context.skip(missing);
    return withCleanup(async (cleanup) => {
      const scene = await openScene(cleanup, await startCluster(cleanup));
      const { problems, pages } = await tryFailover(scene, 'killed', 'asynchronous', makeDraw(1));
      assert.deepEqual(problems, []);
      assert.ok(pages > 0);
    });
  });
