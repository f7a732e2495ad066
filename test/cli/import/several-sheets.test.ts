import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { asDate, asTime, type MadeSheet, xlsx } from '../../import/sheet/make-workbook.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';
import { often } from '../../support/strength.ts';

const HEADINGS = ['Date', 'Start', 'End', 'Team', 'Name'];
const row = (date: string, name = 'Ada') => [asDate(date), asTime('09:00'), asTime('17:00'), 'Bar', name];
const WEEK_9 = { name: 'Week 9', rows: [HEADINGS, row('2027-03-01'), row('2027-03-02')] };
const WEEK_10 = {
  name: 'Week 10',
  rows: [['Bar'], HEADINGS, row('2027-03-08'), row('2027-03-09'), row('2027-03-10')],
};
/** A roster, whose shifts are told by their cells. */
const WEEK_11 = {
  name: 'Week 11',
  rows: [
    ['Name', 'Team', asDate('2027-03-15'), asDate('2027-03-16')],
    ['Ada', 'Bar', '9-17', '9-17'],
  ],
};
const PEOPLE = { name: 'People', rows: [['Name'], ['Ada']] };

async function workbook(t: TestContext, ...sheets: readonly MadeSheet[]) {
  const { url, records } = await importer(t);
  const file = join(await newFolder(t), 'plan.xlsx');
  const save = (...saved: readonly MadeSheet[]) => writeFile(file, xlsx(saved));
  await save(...sheets);
  return {
    save,
    run: (...more: string[]) =>
      shiftfeed(['import', file, '--account', 'acme', '--published-from', '2026-01-01', ...more], {
        databaseUrl: url,
        nowMs: Date.parse('2027-02-20T12:00:00Z'),
      }),
    dates: async () => (await records('shifts')).map(({ date }) => date.slice(5)).toSorted(),
  };
}

test('all sheets with shifts are imported as one, and the report names them and the others', async (t) => {
  const { run, save, dates } = await workbook(t, WEEK_9, PEOPLE, WEEK_10, WEEK_11);
  const refused = await run();
  assert.match(refused.stderr, /"Week 9", "Week 10", "Week 11", or read all of them with --sheet all$/m);
  assert.match(refused.stderr, /^Or: .* --sheet all$/m);
  const { code, stdout, stderr } = await run('--sheet', 'all');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^Read the sheets Week 9, Week 10, Week 11\.\nLeft out the sheet People\.\nRead Start as start_time.*\n(?:.*\n)*Left out 1 row: 1 above the headings \(Bar\)\.$/m,
  );
  const all = ['03-01', '03-02', '03-08', '03-09', '03-10', '03-15', '03-16'];
  assert.deepEqual(await dates(), all);
  assert.match((await run('--sheet', 'all', '--replace')).stdout, /^shifts +0 +0 +0 +7$/m);
  await save(WEEK_10, WEEK_11);
  await run('--sheet', 'all', '--replace');
  assert.deepEqual(await dates(), all.slice(2));
});

test('problems and questions say in which of several sheets they are', async (t) => {
  const wrong = [[...row('2027-03-09').slice(0, 2), '25:61', 'Bar', 'Ada']];
  const roster = { ...WEEK_11, rows: [...WEEK_11.rows, ['Bo', 'Bar', 'late']] };
  const { run, save } = await workbook(t, PEOPLE, { ...WEEK_10, rows: [...WEEK_10.rows, ...wrong] }, roster);
  const { code, stderr } = await run('--sheet', 'all');
  assert.equal(code, 1);
  assert.match(stderr, /^ {2}sheet 2, line 6, end_time: "25:61" is not a time/m);
  assert.match(stderr, /^ {2}sheet 3, cell C3: "late" is not two times/m);
  await save(WEEK_9, { ...WEEK_9, name: 'Copy' });
  assert.match((await run('--sheet', 'all')).stderr, /^ {2}sheet 2: "Copy" may be the name of a location/m);
  assert.match(
    (await run('--sheet', 'all', '--tabs', 'nothing')).stderr,
    /2 rows are equal to earlier ones: sheet 2, line 2 \(as sheet 1, line 2\)/,
  );
  const address = { name: 'Addresses', rows: [[...HEADINGS, 'Location', 'Address'], row('2027-03-22')] };
  await save(WEEK_9, address);
  assert.match(
    (await run('--sheet', 'all')).stderr,
    /^ {2}sheet 2: some of the sheets have a column of addresses/m,
  );
});

test('a sheet whose heading was misspelt is not taken for one without shifts, which would remove its shifts', async (t) => {
  const { run, save, dates } = await workbook(t, WEEK_9, WEEK_10);
  await run('--sheet', 'all');
  const misspelt = [
    ['Dat', 'Start', 'End'],
    ['Date', 'Strt', 'End'],
    ['Date', 'Start', 'Ed'],
  ];
  for (const wrong of misspelt.slice(0, often(1, 3))) {
    const rows = [[...wrong, 'Team', 'Name'], ...WEEK_9.rows.slice(1)];
    await save({ ...WEEK_9, rows }, WEEK_10);
    const { stderr } = await run('--sheet', 'all', '--replace');
    assert.match(stderr, /^ {2}sheet 1, line 1/m);
  }
  assert.equal((await dates()).length, 5);
});

test('one of several sheets replaces the shifts of its own days, and the report says which', async (t) => {
  const { run, save, dates } = await workbook(t, WEEK_9, WEEK_10, WEEK_11);
  await run('--sheet', 'all');
  const shorter = { ...WEEK_10, rows: WEEK_10.rows.filter((_, i) => i !== 3) };
  await save(WEEK_9, shorter, WEEK_11);
  const { stdout } = await run('--sheet', 'Week 10', '--replace');
  assert.match(
    stdout,
    /^Other sheets hold shifts, too: --replace covers the days from 2027-03-08 to 2027-03-10, unless --from and --to say others\.$/m,
  );
  assert.deepEqual(await dates(), ['03-01', '03-02', '03-08', '03-10', '03-15', '03-16']);
  for (const from of often(['2027-03-09'], ['today', '2027-03-09'])) {
    const { stdout: report } = await run('--sheet', 'Week 10', '--replace', '--from', from);
    assert.match(report, new RegExp(`from 2027-03-0${from === 'today' ? 8 : 9} to 2027-03-10,`));
    assert.equal((await dates()).length, 6);
  }
  const told = await run('--sheet', 'Week 10', '--replace', '--from', '2027-03-01', '--to', '2027-03-31');
  assert.doesNotMatch(told.stdout, /Other sheets/);
  assert.deepEqual(await dates(), ['03-08', '03-10']);
});

test('the only sheet with shifts replaces all of them, as a CSV does', async (t) => {
  const { run, save, dates } = await workbook(t, WEEK_9, WEEK_10);
  await run('--sheet', 'all');
  await save(PEOPLE, WEEK_10);
  assert.doesNotMatch((await run('--sheet', 'Week 10', '--replace')).stdout, /Other sheets/);
  assert.deepEqual(await dates(), ['03-08', '03-09', '03-10']);
});
