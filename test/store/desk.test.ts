import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { openServerStore, openStore } from '../../src/store/open.ts';
import { DATABASES, newStoreUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';

for (const kind of DATABASES)
  describe(`What the desk stores on ${kind}`, () => {
    async function setUp(context: Parameters<typeof newStoreUrl>[0]) {
      const url = await newStoreUrl(context, kind);
      const store = await openStore(url, { missing: 'create' });
      context.after(() => store.close());
      await importDocument(store, acme([shift('2026-11-18', { id: 1 }), shift('2026-11-19', { id: 2 })]), {
        replace: false,
        dryRun: false,
      });
      const account = await store.findAccount('acme');
      assert.ok(account);
      return { url, store, account };
    }

    const hash = (letter: string) => letter.repeat(64);
    const key = { name: 'Noor', role: 'planner', createdAtMs: 10, expiresAtMs: 50 } as const;

    test('a key is found by its hash, and a name has one live key', async (context) => {
      const { url, store, account } = await setUp(context);
      const added = await store.addDeskKey({ ...key, accountId: account.id, hash: hash('a') });
      assert.ok(added);
      assert.deepEqual(await store.findDeskKey(hash('a')), { key: added, account });
      assert.equal(await store.findDeskKey(hash('b')), undefined);
      const again = { ...key, accountId: account.id, hash: hash('b'), createdAtMs: 49 };
      assert.equal(await store.addDeskKey(again), undefined);
      const later = await store.addDeskKey({ ...again, createdAtMs: 50, expiresAtMs: null });
      assert.ok(later, 'the first key has expired by then');

      const notes = await openServerStore(url);
      context.after(() => notes.close());
      await notes.writeDeskUse(later.id, 60);
      assert.deepEqual(await store.deskKeys(account.id), [added, { ...later, lastUsedAtMs: 60 }]);
    });

    test('keys are revoked by name or by id, of their own account only', async (context) => {
      const { store, account } = await setUp(context);
      const added = await store.addDeskKey({ ...key, accountId: account.id, hash: hash('a') });
      assert.ok(added);
      assert.equal(await store.revokeDeskKeys(account.id + 1, { id: added.id }, 20), 0);
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'Ada' }, 20), 0);
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'Noor' }, 20), 1);
      assert.equal(await store.revokeDeskKeys(account.id, { id: added.id }, 21), 0);
      assert.equal((await store.findDeskKey(hash('a')))?.key.revokedAtMs, 20);
    });

    test('what was answered about sheets is kept with the account', async (context) => {
      const { store, account } = await setUp(context);
      assert.equal(await store.deskRecipe(account.id), undefined);
      await store.saveDeskRecipe(account.id, '{"year":2026}');
      await store.saveDeskRecipe(account.id, '{"year":2027}');
      assert.equal(await store.deskRecipe(account.id), '{"year":2027}');
    });

    test('shifts come with the names that they refer to, some days at a time', async (context) => {
      const { store, account } = await setUp(context);
      const all = await store.shiftsBetween(account.id, '2026-11-18', '2026-11-19', 10);
      assert.deepEqual(
        all.map(({ id, date, active, cancelled }) => ({ id, date, active, cancelled })),
        [
          { id: 1, date: '2026-11-18', active: true, cancelled: false },
          { id: 2, date: '2026-11-19', active: true, cancelled: false },
        ],
      );
      assert.deepEqual(all[0]?.group, { id: 1, name: 'Kitchen' });
      assert.equal(all[0]?.location, null);
      assert.deepEqual(await store.shiftsBetween(account.id, '2026-11-18', '2026-11-19', 1, 1), [all[1]]);
      assert.deepEqual(await store.shiftsBetween(account.id, '2026-11-20', '2026-11-30', 10), []);
    });
  });
