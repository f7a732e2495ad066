import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { importer } from '../../import/importer.ts';
import { asCrossedOut, asDate, asTime, book, xlsx } from '../../import/sheet/make-workbook.ts';
import { shiftfeed as shiftfeedProcess } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';

test('a workbook is imported, and the report says what was made of it', async (t) => {
  const { url, records } = await importer(t);
  const file = join(await newFolder(t), 'Dienstplan.xlsx');
  const rows = [
    ['Dienstplan'],
    ['Tag', 'Datum', 'Von', 'Bis', 'Team', 'Mitarbeiter'],
    ['Sa', asDate('2027-03-06'), asTime('18:30'), asTime('01:00'), 'Bar', 'Ada'],
    ['Summe', '', '', 6.5],
  ];
  await writeFile(
    file,
    xlsx([
      { name: 'Info', rows: [['Hallo']] },
      { name: 'März', rows },
    ]),
  );
  const { code, stdout, stderr } = await shiftfeed(
    ['import', file, '--account', 'acme', '--published-from', '2027-01-01'],
    { databaseUrl: url },
  );
  assert.deepEqual([code, stderr], [0, '']);
  const [, account = '', ...report] = stdout.split('\n');
  assert.match(
    account,
    /^The account acme is new\. It is in UTC, because no time zone was given: "shiftfeed account set acme --time-zone \w+\/\w+" changes that\.$/,
  );
  assert.deepEqual(report.slice(0, 4), [
    'Read the sheet März.',
    'Read Datum as date, Von as start_time, Bis as end_time, Team as group, Mitarbeiter as person.',
    'Left out 2 rows: 1 above the headings (Dienstplan), 1 of totals (Summe 6.5).',
    '           added  changed  removed  unchanged',
  ]);
  assert.partialDeepStrictEqual(await records('shifts'), [
    { date: '2027-03-06', start_time: '18:30', end_time: '01:00', end_date: '2027-03-07' },
  ]);
});

for (const TZ of ['Foo/Bar', ''])
  test(`where TZ is ${JSON.stringify(TZ)}, the time zone that is proposed is still one`, async (t) => {
    const { url: databaseUrl } = await importer(t);
    const file = join(await newFolder(t), 'plan.csv');
    await writeFile(file, 'date,start_time,end_time,group\n2027-03-06,09:00,17:00,Bar\n');
    const args = ['import', file, '--account', 'acme', '--published-from', '2027-01-01'];
    const { stdout } = await shiftfeedProcess(args, { databaseUrl, env: { TZ } });
    assert.match(stdout, /"shiftfeed account set acme --time-zone Europe\/Amsterdam" changes that\.$/m);
  });

for (const database of ['sqlite', 'postgres'] as const)
  test(`a roster is imported, a shift for each cell (${database})`, async (t) => {
    const { url, records } = await importer(t, database);
    const file = join(await newFolder(t), 'roster.csv');
    await writeFile(file, 'Name,Mon 1 March,Tue 2 March,Wed 3 March\nAda,E,off,9-17\nBo,E,E,\n');
    const told = ['--account', 'acme', '--group', 'Bar', '--published-from', '2027-01-01', '--year', '2027'];
    const refused = await shiftfeed(['import', file, ...told, '--codes', 'off='], { databaseUrl: url });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^ {2}cell B2: "E" is not two times .*--codes "E=06:00-14:00", or --codes "E=" if there is no shift$/m,
    );
    const codes = ['--codes', 'e=06:00-14:00,off=,L=14:00-22:00,Spät=', '--sheet', 'March'];
    codes.push('--people', 'Bo=Bo', '--people', 'Fay?=Fay');
    const { code, stdout, stderr } = await shiftfeed(['import', file, ...told, ...codes], {
      databaseUrl: url,
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^The file is a text and has no other sheets: --sheet was not needed\.$/m);
    assert.match(stdout, /^No cell has the codes L, Spät of --codes\.$/m);
    assert.match(stdout, /^No cell has the text fay\? of --people\.$/m);
    const people = new Map((await records('people')).map(({ id, name }) => [id, name]));
    assert.deepEqual(
      (await records('shifts'))
        .map(({ date, start_time, person_id }) => `${date} ${start_time} ${people.get(person_id ?? 0)}`)
        .toSorted(),
      ['2027-03-01 06:00 Ada', '2027-03-01 06:00 Bo', '2027-03-02 06:00 Bo', '2027-03-03 09:00 Ada'],
    );
  });

test('the report names columns without a heading, hidden rows, and words for no shift', async (t) => {
  const { url } = await importer(t);
  const file = join(await newFolder(t), 'plan.xlsx');
  const rows = [
    ['Date', 'Start', 'End', 'Team', ''],
    [asDate('2027-03-06'), asTime('18:30'), asTime('01:00'), 'Bar', 'Ada'],
    [asDate('2027-03-07'), 'off', '', 'Bar', 'Ada'],
  ];
  await writeFile(file, xlsx([{ name: 'A', rows, hiddenRows: [2] }]));
  const { code, stdout } = await shiftfeed(
    ['import', file, '--account', 'acme', '--published-from', '2027-01-01'],
    { databaseUrl: url },
  );
  assert.equal(code, 0);
  assert.deepEqual(stdout.split('\n').slice(3, 6), [
    'Left out the column E without a heading (Ada).',
    'Read 1 row that is hidden in the workbook, too.',
    'Read 1 cell as no shift: off.',
  ]);
});

test('the report of a grid names hidden columns, words for nobody, and words for no shift', async (t) => {
  const cwd = await newFolder(t);
  const rows = [
    ['Shift', asDate('2027-03-06'), asDate('2027-03-07'), asDate('2027-03-08')],
    ['Early 9-17', 'Ada', 'TBD', 'Frei'],
    ['Late 17-23', '-', 'Bo', 'off'],
  ];
  await writeFile(join(cwd, 'plan.xlsx'), xlsx([{ name: 'A', rows, hiddenColumns: [2, 4, 7] }]));
  const { code, stdout } = await shiftfeed(
    ['import', 'plan.xlsx', '--account', 'acme', '--published-from', '2027-01-01', '--group', 'Bar'],
    { cwd },
  );
  assert.equal(code, 0);
  assert.deepEqual(stdout.split('\n').slice(2, 5), [
    'Read the columns B, D, hidden in the workbook, too.',
    'Read 1 cell as nobody: TBD.',
    'Read 3 cells as no shift: Frei, -, off.',
  ]);
});

test('a row without a name below a person is asked about, beside all other questions', async (t) => {
  const cwd = await newFolder(t);
  await writeFile(join(cwd, 'plan.csv'), 'Name,2027-03-06,2027-03-07\nAda,9-12,\n,14-18,\n');
  const { code, stderr } = await shiftfeed(
    ['import', 'plan.csv', '--account', 'acme', '--published-from', 'today'],
    { cwd },
  );
  assert.equal(code, 1);
  assert.match(stderr, /there is no column "group"/);
  assert.match(stderr, /^ {2}cell A3, person: is empty below "Ada"/m);
  assert.match(stderr, /^Try: .* --fill-down person$/m);
  assert.match(stderr, /^Or: .* --fill-down none$/m);
});

test('the report tells what is crossed out, and a text that holds rows', async (t) => {
  const cwd = await newFolder(t);
  const rows = [
    ['Name', asDate('2027-03-06'), asDate('2027-03-07')],
    ['Ada', '9-17', asCrossedOut('10-18')],
    [asCrossedOut('Bo'), asCrossedOut('9-17')],
  ];
  await writeFile(join(cwd, 'plan.xlsx'), book(rows));
  const swallowed = '2027-03-07,9,17,Bar,Bo,\n2027-03-08,9,17,Bar,Cy,';
  await writeFile(
    join(cwd, 'plan.csv'),
    `Date,Start,End,Team,Name,Notes\n2027-03-06,9,17,Bar,Ada,"Bring\nkeys"\n2027-03-06,9,17,Bar,Ed,"Keys\n${swallowed}"\n`,
  );
  const words = ['--account', 'acme', '--published-from', '2027-01-01', '--group', 'Bar', '--dry-run'];
  const workbook = await shiftfeed(['import', 'plan.xlsx', ...words], { cwd });
  assert.match(
    workbook.stdout,
    /^Left out 1 row: 1 crossed out \(Bo 9-17\)\.\nLeft out 1 cell that is crossed out \(10-18\)\.$/m,
  );
  assert.match(workbook.stdout, /^shifts +1 /m);
  const text = await shiftfeed(['import', 'plan.csv', ...words], { cwd });
  assert.equal(
    text.stderr,
    'shiftfeed: Is this meant? The text in cell F4 holds lines that look like rows.\n',
  );
});

test('the report names rows without shifts', async (t) => {
  const { url } = await importer(t);
  const folder = await newFolder(t);
  const given = ['--account', 'acme', '--published-from', '2027-01-01', '--dry-run'];
  const reportOf = async (text: string, ...more: string[]) => {
    await writeFile(join(folder, 'plan.csv'), text);
    const command = ['import', join(folder, 'plan.csv'), ...given, ...more];
    return (await shiftfeed(command, { databaseUrl: url })).stdout;
  };
  const roster = 'Name,1 March 2027,2 March 2027\nBar,,\nAda,9-17,\nKitchen,,\nBo,,9-17\n';
  assert.match(
    await reportOf(roster, '--group', 'All', '--sections', 'nothing'),
    /^Left out 2 rows: 2 without shifts \(Bar, Kitchen\)\.$/m,
  );
  const list = 'Date,Start,End,Name\nBar\n2027-03-01,9,17,Ada\nKitchen\n2027-03-01,9,17,Bo\n';
  assert.match(
    await reportOf(list, '--group', 'All', '--sections', 'nothing'),
    /^Left out 2 rows: 2 in between \(Bar, Kitchen\)\.$/m,
  );
});

test('where only a human can tell, there is a command line for each way', async (t) => {
  const cwd = await newFolder(t);
  await writeFile(join(cwd, 'plan.csv'), 'Date,Start,End,Name\n3/6/2027,9:00,17:00,Ada\n');
  const { stderr } = await shiftfeed(
    ['import', 'plan.csv', '--account', 'acme', '--published-from', 'today'],
    { cwd },
  );
  assert.match(
    stderr,
    /^Try: .* --group NAME --date-format D\/M\/YYYY\nOr: {2}.* --group NAME --date-format M\/D\/YYYY$/m,
  );
});
