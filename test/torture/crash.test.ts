/** The short form of `npm run torture -- --only crash`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDesk } from '../../torture/crash/kill-desk.ts';
import { killImport } from '../../torture/crash/kill-import.ts';
import { losePower } from '../../torture/crash/power-loss.ts';
import { LARGE, NEXT } from '../../torture/crash/states.ts';
import { makeTally } from '../../torture/trial.ts';
import { often } from '../support/strength.ts';

test('an import that is killed changes nothing or everything, and leaves a whole database', async (context) => {
  for (let seed = 1; seed <= often(1, 8); seed++) {
    const [told] = await killImport(context, seed, seed % 3 === 0 ? 'postgres' : 'sqlite');
    assert.match(told ?? '', /^imports /);
  }
});

test('a desk or reader that is killed leaves one state or the other, and the history agrees', async (context) => {
  for (let seed = 1; seed <= often(1, 8); seed++)
    await killDesk(context, seed, seed % 3 === 0 ? 'postgres' : 'sqlite', often(NEXT, LARGE));
});

test('after a power loss, the database is whole, and holds what was committed', async (context) => {
  const tally = makeTally();
  await losePower(context, 1, often(10, 200), new AbortController().signal, tally);
  assert.deepEqual(tally.failures, []);
  assert.ok(Number(tally.figures['power losses']) > 0);
});
