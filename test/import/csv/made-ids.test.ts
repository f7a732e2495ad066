/** The ids that Shiftfeed makes for rows without one: short enough for spreadsheets, and the longer ones of earlier. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { importParts } from '../../../src/import/import.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { DATABASES } from '../../support/database.ts';
import { importer } from '../importer.ts';
import { readSheetText } from '../reading.ts';

const HEADER = 'date,start_time,end_time,group,location,person,publish_date';
const KITCHEN = '2026-12-01,09:00,17:00,Kitchen,Pier';
const ROWS = [
  `${KITCHEN},Ada,2026-11-01`,
  `${KITCHEN},Noor,2026-11-01`,
  `${KITCHEN},,2026-11-01`,
  '2026-12-02,18:30,01:00,Bar,,Noor,2026-11-01',
];
const sheet = (...rows: string[]) => [HEADER, ...rows].join('\n');
const added = (count: number) => ({ added: count, changed: 0, removed: 0, unchanged: 0 });
const unchanged = (count: number) => ({ added: 0, changed: 0, removed: 0, unchanged: count });

/** What importing ROWS left behind when ids had 16 digits. */
const KITCHEN_SHIFT = {
  date: '2026-12-01',
  start_time: '09:00',
  end_time: '17:00',
  group_id: 1,
  location_id: 1,
  publish_date: '2026-11-01',
};
const OF_EARLIER = {
  groups: [
    { id: 1, name: 'Kitchen' },
    { id: 2, name: 'Bar' },
  ],
  locations: [{ id: 1, name: 'Pier' }],
  people: [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Noor' },
  ],
  shifts: [
    { ...KITCHEN_SHIFT, id: 4906331878860733, person_id: 1 },
    { ...KITCHEN_SHIFT, id: 4906331468727850, person_id: 2 },
    { ...KITCHEN_SHIFT, id: 4906332132336791 },
    {
      ...KITCHEN_SHIFT,
      id: 4906332831885758,
      date: '2026-12-02',
      start_time: '18:30',
      end_time: '01:00',
      group_id: 2,
      location_id: null,
      person_id: 2,
    },
  ],
};

for (const database of DATABASES) {
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

    test('that are longer, from earlier, are kept, and their rows find them', async () => {
      const { importSheet, run, plan } = newAccount();
      await run(OF_EARLIER);
      const before = await plan();
      for (const options of [{}, { replaceShifts: {} }]) {
        assert.deepEqual((await importSheet(sheet(...ROWS), options)).tables.shifts, unchanged(4));
      }
      assert.deepEqual(await plan(), before);
    });

    test('of new rows beside longer ones are short, also of rows that are equal but for their turn', async () => {
      const { importSheet, run, ids } = newAccount();
      await run(OF_EARLIER);
      const more = sheet(...ROWS, `${KITCHEN},Björn,2026-11-01`, '2026-12-03,09:00,17:00,Bar,,,2026-11-01');
      assert.deepEqual((await importSheet(more)).tables.shifts, { ...added(2), unchanged: 4 });
      assert.equal((await ids()).filter((id) => id < 10 ** 15).length, 2);
      assert.deepEqual((await importSheet(more, { replaceShifts: {} })).tables.shifts, unchanged(6));
    });

    test('of earlier are not taken from rows that give them', async () => {
      const { importSheet, run } = newAccount();
      await run(OF_EARLIER);
      // The row without an id comes first, and its identity is that of the other.
      const text = `id,${HEADER}\n,${KITCHEN},Ada,2026-11-01\n4906331878860733,${KITCHEN},Noor,2026-11-01`;
      const { tables } = await importSheet(text);
      assert.deepEqual(tables.shifts, { added: 0, changed: 2, removed: 0, unchanged: 0 });
    });

    test('of earlier are still found by a sheet that an older spreadsheet would have rounded, once the column is left out', async () => {
      const { importSheet, problems, run, plan } = newAccount();
      await run(OF_EARLIER);
      const before = await plan();
      const rounded = [4906331878860730, 4906331468727850, 4906332132336790, 4906332831885760];
      const text = [`id,${HEADER}`, ...ROWS.map((row, i) => `${rounded[i]},${row}`)].join('\n');
      const found = await problems(text);
      assert.deepEqual(
        found.map((problem) => problem.split(':')[0]),
        ['line 2, id', 'line 4, id', 'line 5, id'],
      );
      assert.equal(
        found[0],
        'line 2, id: the account has no shift 4906331878860730: spreadsheets change the end of ids with more than 15 digits; ' +
          'with --ignore-columns id, rows are found by date, start, group and location',
      );
      assert.deepEqual(await plan(), before);
      const { tables } = await importSheet(text, { ignoredColumns: ['id'] });
      assert.deepEqual(tables.shifts, unchanged(4));
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

test('a long id that is removed while its sheet is imported does not come back', async (t) => {
  const { url, store, run, records } = await importer(t);
  await run({ account: { slug: 'acme' }, ...OF_EARLIER });
  const program = new DatabaseSync(url.replace('sqlite:', ''));
  t.after(() => program.close());
  let hasInterrupted = false;
  const { tables } = await importParts(store, await readSheetText(sheet(...ROWS)), {
    replace: false,
    dryRun: false,
    onProgress({ step }) {
      if (step !== 'compared' || hasInterrupted) return;
      hasInterrupted = true;
      program.exec('DELETE FROM shifts WHERE id = 4906332831885758');
    },
  });
  assert.deepEqual(tables.shifts, { ...added(1), unchanged: 3 });
  const ids = (await records('shifts')).map(({ id }) => id);
  assert.equal(ids.filter((id) => id < 10 ** 15).length, 1);
});

test('an id that a spreadsheet shows in short is told how to mend', async (t) => {
  const { sheetProblems } = await importer(t);
  assert.deepEqual(await sheetProblems(`id,${HEADER}\n5.00058E+14,${ROWS[0]}`), [
    'line 2, id: "5.00058E+14" was cut short by the spreadsheet: format the column as a number without decimals; ' +
      'or with --ignore-columns id, rows are found by date, start, group and location',
  ]);
});
