import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { LIMIT_MS } from '../support/until.ts';

const CONNECTIONS = 64;
const REQUESTS_PER_CONNECTION = 8;

test('on PostgreSQL, 64 busy connections of a warm account cost fewer than one query per five requests', async (context) => {
  const service = await startService(context, {
    hasThread: true,
    database: 'postgres',
    now: '2026-11-15T12:00:00Z',
    // On a busy machine, some would be refused.
    app: { limits: { maxWaitMs: LIMIT_MS } },
  });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  const ask = () => service.list('acme', '', token);
  // So that all connections are open.
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));

  async function keepAsking(): Promise<void> {
    for (let i = 0; i < REQUESTS_PER_CONNECTION; i++) await ask();
  }
  async function countQueries(): Promise<number> {
    const before = service.counts().freshnessQueries;
    await Promise.all(Array.from({ length: CONNECTIONS }, keepAsking));
    return service.counts().freshnessQueries - before;
  }
  const requests = CONNECTIONS * REQUESTS_PER_CONNECTION;
  // Other processes keep clients from asking at the same moment, which can only make it more queries.
  let queries = requests;
  for (let i = 0; i < 5 && queries >= requests / 5; i++) queries = await countQueries();
  assert.ok(queries < requests / 5, `${queries} queries for ${requests} requests`);
  assert.equal(service.counts().monthsLoaded, 1);
});
