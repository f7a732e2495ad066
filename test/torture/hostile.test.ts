/** The short form of `npm run torture -- --only hostile`, with a service in this process. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDeskTarget } from '../../torture/hostile/desk.ts';
import { gatewayOf, tryConnections, tryDesk, tryImports, tryUpstreams } from '../../torture/hostile/part.ts';
import { fillAccounts, NOW } from '../../torture/isolation/accounts.ts';
import { makeTally } from '../../torture/trial.ts';
import { startHere } from '../support/cli-in-process.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';

const { signal } = new AbortController();
const orderOf = (amount: number) => ({ seed: 1, amount, signal, report: () => undefined });

test('no request makes a server fail, whatever it consists of, and what is right is answered rightly', async (context) => {
  const service = await startService(context, { hasThread: isLong, now: NOW });
  const accounts = await fillAccounts(service, 1);
  const { url: gatewayUrl } = await startHere(context, ...(await gatewayOf(context, service.url, accounts)));
  const tally = makeTally();
  await tryConnections({ serviceUrl: service.url, gatewayUrl, accounts }, orderOf(often(150, 5_000)), tally);
  assert.deepEqual(tally.failures, []);
  for (const name of ['answers equal to the oracle', 'answers with 400', 'answers with 431']) {
    assert.ok(Number(tally.figures[name]) > 0, name);
  }
});

test('every mutated file is imported, or refused with a sentence', async () => {
  const tally = makeTally();
  await tryImports(orderOf(often(30, 5_000)), tally);
  assert.deepEqual(tally.failures, []);
});

test('clients, gateways and calendars bear whatever an upstream answers', async () => {
  const tally = makeTally();
  await tryUpstreams(orderOf(often(40, 15_000)), tally);
  assert.deepEqual(tally.failures, []);
});

test('a desk bears whatever is dropped on it, and keeps it to itself', async (context) => {
  const tally = makeTally();
  await tryDesk(await startDeskTarget(context), orderOf(often(300, 20_000)), tally);
  assert.deepEqual(tally.failures, []);
});
