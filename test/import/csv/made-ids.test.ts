/** The ids that Shiftfeed makes for rows without one, which are short enough for spreadsheets; and longer ones. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { DATABASES } from '../../support/database.ts';
import { often } from '../../support/strength.ts';
import { importer } from '../importer.ts';

const HEADER = 'date,start_time,end_time,group,location,person,publish_date';
const KITCHEN = '2026-12-01,09:00,17:00,Kitchen,Pier';
const ROWS = [
  `${KITCHEN},Ada,2026-11-01`,
  `${KITCHEN},Noor,2026-11-01`,
  `${KITCHEN},,2026-11-01`,
  '2026-12-02,18:30,01:00,Bar,,Noor,2026-11-01',
];
const sheet = (...rows: string[]) => [HEADER, ...rows].join('\n');
const unchanged = (count: number) => ({ added: 0, changed: 0, removed: 0, unchanged: count });

for (const database of DATABASES.slice(0, often(1, 2))) {
  const shared = await importer({ after }, database);
  describe(`made ids, on ${database}`, () => {
    let accounts = 0;
    /** One database for all, and an account for each test. */
    function newAccount() {
      const slug = `ids-${++accounts}`;
      const account = { slug };
      return {
        slug,
        importSheet: (text: string, options = {}) => shared.importSheet(text, { account, ...options }),
        problems: (text: string, options = {}) => shared.sheetProblems(text, { account, ...options }),
        run: (document: object) => shared.run({ account, ...document }),
        plan: () => shared.plan(slug),
        ids: async () => (await shared.records('shifts', slug)).map(({ id }) => id),
      };
    }

    test('have 15 digits, and begin above the ids that people give', async () => {
      const { importSheet, ids } = newAccount();
      const dates = ['1000-01-01', '1969-12-31', '1970-01-01', '2026-12-01', '9999-12-30'];
      await importSheet(sheet(...dates.map((date) => `${date},09:00,17:00,Kitchen,,,2026-11-01`)));
      for (const id of await ids())
        assert.ok(id >= 500_000_000_000_000 && id <= 999_999_999_999_999, `${id}`);
    });

    test('are others on days that lie centuries apart', async () => {
      const { importSheet, ids } = newAccount();
      await importSheet(sheet('2000-01-01,09:00,17:00,Kitchen,,,2026-11-01'));
      await importSheet(sheet('2358-11-12,09:00,17:00,Kitchen,,,2026-11-01'));
      assert.equal(new Set(await ids()).size, 2);
    });

    test('do not replace a long id that a row gives, unless a spreadsheet has rounded it and the column is left out', async () => {
      const { importSheet, problems, run, ids } = newAccount();
      const shift = { start_time: '09:00', end_time: '17:00', group_id: 1, publish_date: '2026-11-01' };
      await run({
        groups: [{ id: 1, name: 'Kitchen' }],
        shifts: [{ ...shift, id: 4906331878860733, date: '2026-12-01' }],
      });
      const row = '2026-12-01,09:00,17:00,Kitchen,,,2026-11-01';
      assert.deepEqual(
        (await importSheet(`id,${HEADER}\n4906331878860733,${row}`)).tables.shifts,
        unchanged(1),
      );
      const rounded = `id,${HEADER}\n4906331878860730,${row}`;
      assert.deepEqual(await problems(rounded), [
        'line 2, id: the account has no shift 4906331878860730: spreadsheets change the end of ids with more than 15 digits; ' +
          'with --ignore-columns id, rows are found by date, start, group and location',
      ]);
      const options = { ignoredColumns: ['id'], replaceShifts: {} };
      assert.deepEqual((await importSheet(rounded, options)).tables.shifts, unchanged(1));
      assert.deepEqual(await ids(), [4906331878860733]);
    });

    test('that a new account cannot have are a problem, and not new shifts', async () => {
      const { problems, run } = newAccount();
      const text = `id,${HEADER}\n4906331878860730,${ROWS[0]}\n4503599627370495,${ROWS[3]}`;
      assert.match(
        (await problems(text)).join('\n'),
        /^line 2, id: the account has no shift 4906331878860730: .*$/,
      );
      await run({ groups: [] });
      assert.match(
        (await problems(text)).join('\n'),
        /^line 2, id: the account has no shift 4906331878860730: .*$/,
      );
      // A spreadsheet would have ended it with a 0.
      assert.deepEqual(await problems(`id,${HEADER}\n9007199254740991,${ROWS[0]}`), []);
      // A row that says little is told the same, and nothing that follows from it.
      assert.match((await problems('id,person\n4906331878860730,Ada')).join('\n'), /^line 2, id: .*$/);
    });

    test('survive an export, a spreadsheet that keeps 15 digits, and an import', async (t) => {
      const { importSheet, slug, plan } = newAccount();
      await importSheet(sheet(...ROWS));
      const before = await plan();
      const { stdout } = await shiftfeed(['export', slug, '--format', 'csv'], { databaseUrl: shared.url });
      const saved = stdout.replaceAll(/^\d+/gm, (id) => String(Number(Number(id).toPrecision(15))));
      assert.deepEqual((await importSheet(saved, { replaceShifts: {} })).tables.shifts, unchanged(4));
      assert.deepEqual(await plan(), before);
      t.diagnostic(saved.split('\n')[1] ?? '');
    });
  });
}

test('an id that a spreadsheet shows in short is told how to mend', async (t) => {
  const { sheetProblems } = await importer(t);
  assert.deepEqual(await sheetProblems(`id,${HEADER}\n5.00058E+14,${ROWS[0]}`), [
    'line 2, id: "5.00058E+14" was cut short by the spreadsheet: format the column as a number without decimals; ' +
      'or with --ignore-columns id, rows are found by date, start, group and location',
  ]);
});

test('an id with decimals, as programs write numbers of a column with gaps, is told how to mend', async (t) => {
  const { sheetProblems } = await importer(t);
  for (const id of ['544835500965149.0', '7.00'])
    assert.deepEqual(await sheetProblems(`id,${HEADER}\n${id},${ROWS[0]}`), [
      `line 2, id: "${id}" has decimals: format the column as a number without decimals; ` +
        'or with --ignore-columns id, rows are found by date, start, group and location',
    ]);
});
