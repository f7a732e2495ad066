import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DATABASES } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { BARE_SHIFT, importer } from './importer.ts';

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`the summary and the revision, on ${database}`, () => {
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
  });
