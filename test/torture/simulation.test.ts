/** The short form of `npm run torture -- --only simulation`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryHistory } from '../../torture/simulation/history.ts';
import { often } from '../support/strength.ts';

const HISTORIES = often(60, 5_000);

test('in any order of events, each answer is one state of the data between request and answer', async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) await keepsPromises(seed);
});

/**
 * Changes that were lost were listed beside later ones: after tables were restored, a standby promoted, a backup restored.
 * A stream waited for a lost state while another one of the account went on.
 */
const SEEDS_OF_MENDED = [1_209, 1_828, 1_933, 3_286];

test('histories that were broken once keep all promises', async () => {
  for (const seed of SEEDS_OF_MENDED) await keepsPromises(seed);
});

test('a history follows from its seed alone', async () => {
  const once = await tryHistory(7);
  assert.ok(once.figures !== undefined && once.figures.answers > 0);
  assert.deepEqual(await tryHistory(7), once);
});

async function keepsPromises(seed: number): Promise<void> {
  const { failure } = await tryHistory(seed);
  assert.equal(failure, undefined, `seed ${seed}: ${failure?.what}`);
}
