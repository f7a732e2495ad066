/** The short form of `npm run torture -- --only soak`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeClient } from '../../torture/client.ts';
import { soakWorld } from '../../torture/soak/world.ts';
import { makeTally } from '../../torture/trial.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';

test('through imports, renames, revocations and special midnights, every answer is right', async (context) => {
  const service = await startService(context, { hasThread: isLong, now: '2026-11-15T12:00:00Z' });
  const get = makeClient(context, service.url, 8);
  const tally = makeTally();
  for (let seed = 1; seed <= often(1, 40); seed++) await soakWorld(seed, service, get, tally);
  for (const name of ['answers equal to the oracle', 'moves of the clock', 'refusals of what is gone']) {
    assert.ok(Number(tally.figures[name]) > 0, name);
  }
});
