/** The short form of `npm run torture -- --only isolation`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolation } from '../../torture/isolation/part.ts';
import { often } from '../support/strength.ts';

test('tokens and keys open their own account alone, and feeds show what was chosen alone', async () => {
  const { signal } = new AbortController();
  const { figures, failures } = await isolation.run({
    seed: 1,
    amount: often(12, 1_000),
    signal,
    report: () => undefined,
  });
  assert.deepEqual(failures, []);
  for (const name of [
    'tokens: own',
    'tokens: other',
    'answers in zstd',
    'feeds visited in every form',
    'visits of the desk: owner',
  ]) {
    assert.ok(Number(figures[name]) > 0, name);
  }
});
