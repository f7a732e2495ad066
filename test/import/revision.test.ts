import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DATABASES } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { BARE_SHIFT, importer } from './importer.ts';

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`the summary and the revision, on ${database}`, () => {
    test('tell added, changed and unchanged apart', async (t) => {
      const { run } = await importer(t, database);
      const first = await run(acme([BARE_SHIFT, { ...BARE_SHIFT, id: 2 }]));
      assert.equal(first.account, 'added');
      assert.deepEqual(first.tables.shifts, { added: 2, changed: 0, removed: 0, unchanged: 0 });
      const second = await run({
        account: { slug: 'acme', name: 'Acme & Sons' },
        shifts: [{ id: 1 }, { id: 2, starred: true }, { ...BARE_SHIFT, id: 3 }],
      });
      assert.equal(second.account, 'changed');
      assert.deepEqual(second.tables.shifts, { added: 1, changed: 1, removed: 0, unchanged: 1 });
      assert.deepEqual(second.tables.groups, { added: 0, changed: 0, removed: 0, unchanged: 0 });
    });

    for (const replace of [false, true]) {
      test(`an unchanged document leaves the revision alone${replace ? ', with --replace too' : ''}`, async (t) => {
        const { run, plan } = await importer(t, database);
        const document = acme([BARE_SHIFT, shift('2026-12-02', { id: 2, person_id: 3 })], {
          locations: [{ id: 7, name: 'Harbour', address: null }],
          people: [{ id: 3, name: 'Ada' }],
        });
        await run(document);
        const before = await plan();
        const summary = await run(document, { replace });
        assert.equal(summary.account, 'unchanged');
        assert.deepEqual(summary.tables.shifts, { added: 0, changed: 0, removed: 0, unchanged: 2 });
        assert.deepEqual(await plan(), before);
      });
    }

    const changes: [name: string, change: object][] = [
      ['a changed shift', { shifts: [{ id: 1, remarks: 'Keys' }] }],
      ['a moved shift', { shifts: [{ id: 1, date: '2027-01-05' }] }],
      ['a renamed group', { groups: [{ id: 1, name: 'Galley' }] }],
      ['another order', { account: { slug: 'acme', sort: 'group' } }],
    ];
    for (const [name, change] of changes) {
      test(`${name} raises the revision`, async (t) => {
        const { run, contents } = await importer(t, database);
        await run(acme([BARE_SHIFT]));
        const before = await contents();
        await run({ account: { slug: 'acme' }, ...change });
        assert.ok((await contents()).revision > before.revision);
      });
    }

    test('a shift that moves to another month stays one shift', async (t) => {
      const { run, contents, record } = await importer(t, database);
      await run(acme([BARE_SHIFT]));
      await run({ account: ACME, shifts: [{ id: 1, date: '2027-01-05' }] });
      assert.equal((await record('shifts', 1)).date, '2027-01-05');
      assert.partialDeepStrictEqual(await contents(), {
        shifts: 1,
        firstDate: '2027-01-05',
        lastDate: '2027-01-05',
      });
    });

    test('a dry run tells what would happen and lets nothing happen', async (t) => {
      const { run, contents, record } = await importer(t, database);
      await run(acme([BARE_SHIFT]));
      const before = await contents();
      const summary = await run(acme([{ ...BARE_SHIFT, id: 2 }]), { replace: true, dryRun: true });
      assert.deepEqual(summary.tables.shifts, { added: 1, changed: 0, removed: 1, unchanged: 0 });
      assert.deepEqual(await contents(), before);
      assert.equal((await record('shifts', 1)).id, 1);
    });
  });
