import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const CONNECTIONS = 64;
const REQUESTS_PER_CONNECTION = 8;

test('on PostgreSQL, 64 busy connections of a warm account cost fewer than one query per five requests', async (context) => {
  const service = await startService(context, { database: 'postgres', now: '2026-11-15T12:00:00Z' });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  await service.list('acme', '', token);

  const before = service.counts().freshnessQueries;
  async function keepAsking(): Promise<void> {
    for (let i = 0; i < REQUESTS_PER_CONNECTION; i++) await service.list('acme', '', token);
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, keepAsking));
  const queries = service.counts().freshnessQueries - before;
  const requests = CONNECTIONS * REQUESTS_PER_CONNECTION;
  assert.ok(queries < requests / 5, `${queries} queries for ${requests} requests`);
  assert.equal(service.counts().monthsLoaded, 1);
});
