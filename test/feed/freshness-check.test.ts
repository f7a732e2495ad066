import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFreshnessCheck } from '../../src/feed/access/freshness.ts';
import { importDocument } from '../../src/import/import.ts';
import { newStoreUrl, openWithFeed, postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { LIMIT_MS } from '../support/until.ts';

const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)] as const;

test('a state that was read earlier does not take the place of a newer one', async (context) => {
  const url = await newStoreUrl(context, 'postgres');
  const store = await openWithFeed(url);
  context.after(() => store.close());
  const write = (remarks: string) =>
    importDocument(store, acme([shift('2026-12-01', { id: 1, remarks })]), { replace: false, dryRun: false });
  await write('first');
  const account = await store.findAccount('acme');
  assert.ok(account);
  for (const hash of [FIRST, SECOND])
    await store.addToken({ accountId: account.id, hash, label: '', createdAtMs: 0, expiresAtMs: null });
  const accounts = makeFreshnessCheck({
    store,
    clock: () => 0,
    budgetBytes: 1_000_000,
    pagesBudgetBytes: 1_000_000,
    staleIfErrorMs: 60_000,
    deadlineMs: LIMIT_MS,
    onReplaced: () => undefined,
  });
  const { snapshot: older } = await accounts.check(FIRST, 'acme');
  const olderState = await store.read('acme', async ({ state }) => state);
  await write('second');
  const { snapshot: newer } = await accounts.check(SECOND, 'acme');
  assert.ok(older && olderState && newer && older.revision < newer.revision);
  // As a load does that began before the change.
  accounts.keep(olderState, 0);
  const program = await postgresProgram(context, url);
  await program.query('ALTER TABLE tokens RENAME TO tokens_away');
  const { snapshot: repeated, staleMs } = await accounts.check(FIRST, 'acme');
  assert.deepEqual([repeated?.revision, staleMs], [newer.revision, 0]);
});
