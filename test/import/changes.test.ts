import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeChange } from '../../src/import/describe.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { DATABASES } from '../support/database.ts';
import { ACME } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { BARE_SHIFT, importer } from './importer.ts';

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`what an import would change, on ${database}`, () => {
    test('is told record by record, with old and new values, and names for ids', async (t) => {
      const { run, contents } = await importer(t, database);
      await run({
        account: ACME,
        groups: [
          { id: 1, name: 'Kitchen' },
          { id: 2, name: 'Bar' },
        ],
        people: [{ id: 3, name: 'Ada' }],
        shifts: [BARE_SHIFT, { ...BARE_SHIFT, id: 2 }, { ...BARE_SHIFT, id: 4, person_id: 3 }],
      });
      const before = await contents();
      const lines: string[] = [];
      await run(
        {
          account: ACME,
          groups: [{ id: 1 }, { id: 2, name: 'Cocktail\nbar' }],
          people: [{ id: 3 }, { id: 9, name: 'Björn' }],
          locations: [{ id: 5, name: 'Pier', address: 'Long Pier 4' }],
          shifts: [
            { id: 1 },
            { id: 2, end_time: '18:30', group_id: 2, person_id: 9, starred: true, remarks: 'Keys' },
            { ...BARE_SHIFT, id: 3, start_time: '22:00', end_time: '02:00', location_id: 5 },
          ],
        },
        {
          replace: true,
          dryRun: true,
          onChanges: async (changes, nameOf) => {
            lines.push(...changes.map((change) => describeChange(change, nameOf)));
          },
        },
      );
      assert.deepEqual(lines, [
        '~ group 2  Bar: name "Bar" → "Cocktail\\nbar"',
        '+ location 5  Pier',
        '+ person 9  Björn',
        '~ shift 2  2026-12-01 09:00 to 17:00, Kitchen: end_time 17:00 → 18:30, group Kitchen → "Cocktail\\nbar", person none → Björn, remarks "" → "Keys", starred false → true',
        '+ shift 3  2026-12-01 22:00 to 2026-12-02 02:00, Kitchen, Pier',
        '- shift 4  2026-12-01 09:00 to 17:00, Kitchen, Ada',
      ]);
      assert.deepEqual(await contents(), before);
    });

    test('is refused if somebody else changes it while it is told', async (t) => {
      const { url, run } = await importer(t, database);
      const document = { account: ACME, groups: [{ id: 1, name: 'Kitchen' }], shifts: [BARE_SHIFT] };
      await run({ ...document, shifts: [BARE_SHIFT, { ...BARE_SHIFT, id: 2 }] });
      const onChanges = async () => {
        const other = await openStore(url, { missing: 'fail' });
        t.after(() => other.close());
        await importDocument(other, document, { replace: true, dryRun: false });
      };
      await assert.rejects(run(document, { replace: true, dryRun: true, onChanges }), {
        name: 'StoreFailure',
        message:
          'Another program has changed shifts of the account meanwhile: nothing was written, try again.',
      });
    });

    test('is not told when there are problems', async (t) => {
      const { problems } = await importer(t, database);
      let isTold = false;
      const onChanges = async () => {
        isTold = true;
      };
      const document = { account: ACME, groups: [{ id: 1, name: 'Kitchen' }], shifts: [{ id: 1 }] };
      assert.equal((await problems(document, { dryRun: true, onChanges })).length, 1);
      assert.equal(isTold, false);
    });
  });
