import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DATABASES } from '../support/database.ts';
import { ACME, KITCHEN } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { BARE_SHIFT, importer } from './importer.ts';

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`--replace, on ${database}`, () => {
    const twoOfEach = {
      account: ACME,
      groups: [KITCHEN, { id: 2, name: 'Bar' }],
      locations: [
        { id: 1, name: 'Harbour' },
        { id: 2, name: 'Old Mill' },
      ],
      people: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Björn' },
      ],
      shifts: [
        { ...BARE_SHIFT, id: 1, location_id: 1, person_id: 1 },
        { ...BARE_SHIFT, id: 2, group_id: 2, location_id: 2, person_id: 2 },
      ],
    };

    test('removes what the document does not have, and only in its account', async (t) => {
      const { run, contents } = await importer(t, database);
      await run(twoOfEach);
      await run({ ...twoOfEach, account: { slug: 'other' } });
      const summary = await run(
        {
          account: ACME,
          groups: [{ id: 1 }],
          locations: [{ id: 1 }],
          people: [{ id: 1 }],
          shifts: [{ id: 1 }],
        },
        { replace: true },
      );
      for (const tally of Object.values(summary.tables)) {
        assert.deepEqual(tally, { added: 0, changed: 0, removed: 1, unchanged: 1 });
      }
      assert.partialDeepStrictEqual(await contents(), { groups: 1, locations: 1, people: 1, shifts: 1 });
      assert.partialDeepStrictEqual(await contents('other'), {
        groups: 2,
        locations: 2,
        people: 2,
        shifts: 2,
      });
    });

    test('by a document without shifts is refused where that is asked for and would remove some', async (t) => {
      const { run, importSheet, sheetProblems, contents } = await importer(t, database);
      await run(twoOfEach);
      const header = 'date,start_time,end_time,group,publish_date\n';
      const options = { replaceShifts: {}, refuseEmpty: true };
      assert.deepEqual(await sheetProblems(header, options), [
        'the file has no shifts at all, and --replace would remove 2 shifts; if that is meant, give --allow-empty',
      ]);
      await assert.rejects(run({ account: { slug: 'acme' } }, { replace: true, refuseEmpty: true }));
      assert.partialDeepStrictEqual(await contents(), { shifts: 2 });
      await importSheet(header, { ...options, replaceShifts: { from: '2999-01-01' } });
      assert.partialDeepStrictEqual(await contents(), { shifts: 2 });
      await importSheet(header, { replaceShifts: {} });
      assert.partialDeepStrictEqual(await contents(), { shifts: 0 });
    });

    test('of some days removes only shifts that start on them', async (t) => {
      const { run, importSheet, records } = await importer(t, database);
      const days = ['2026-11-30', '2026-12-01', '2026-12-15', '2026-12-31', '2027-01-01'];
      const shifts = days.map((date, i) => ({ ...BARE_SHIFT, id: i + 1, date, end_date: null }));
      const ids = async () => (await records('shifts')).map(({ id }) => id);
      const december = { from: '2026-12-01', to: '2026-12-31' };
      await run({ ...twoOfEach, shifts });
      // What the document has stays, wherever it is moved to.
      const document = { account: ACME, shifts: [{ id: 3, date: '2027-06-01' }] };
      const dry = await run(document, { replaceShifts: december, dryRun: true });
      assert.deepEqual(dry.tables.shifts, { added: 0, changed: 1, removed: 2, unchanged: 0 });
      assert.deepEqual((await run(document, { replaceShifts: december })).tables, dry.tables);
      assert.deepEqual(await ids(), [1, 3, 5]);
      assert.equal(dry.tables.groups.removed, 0);
      assert.equal((await records('groups')).length, 2);

      await run({ account: ACME }, { replaceShifts: { from: '2027-06-01' } });
      assert.deepEqual(await ids(), [1, 5]);
      await run({ account: ACME }, { replaceShifts: { to: '2026-11-30' } });
      assert.deepEqual(await ids(), [5]);
      // That of a sheet, which has no days, and leaves everything else alone.
      await importSheet('id,starred\n', { replaceShifts: {} });
      assert.deepEqual(await ids(), []);
      assert.equal((await records('people')).length, 2);
    });

    test('cannot take away the person that a shift keeps which says all else', async (t) => {
      const { run, problems } = await importer(t, database);
      await run(twoOfEach);
      const document = { ...twoOfEach, people: [], shifts: [{ ...BARE_SHIFT, id: 1, location_id: 1 }] };
      assert.deepEqual(await problems(document, { replace: true }), [
        {
          place: 'shifts[0].person_id',
          id: 1,
          message: 'person 1 is not in the document, so it would be removed',
        },
      ]);
    });
  });
