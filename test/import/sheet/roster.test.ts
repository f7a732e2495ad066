import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SheetOptions } from '../../../sheets/src/sheet-options.ts';
import { describeProblem } from '../../../src/import/problems.ts';
import { importer } from '../importer.ts';
import { readSheetText } from '../reading.ts';
import { asCrossedOut, ods, xlsx } from './make-workbook.ts';

test('a roster whose cells follow the dates is written to a new account', async (t) => {
  const { importSheet } = await importer(t);
  const { tables } = await importSheet('Name,2026-12-01,2026-12-02\nAda,9-17,10-18\n', {
    group: 'Bar',
    publishedFrom: '2026-11-01',
  });
  assert.equal(tables.shifts.added, 2);
});

describe('a file covers the days and groups that it names, also without shifts', () => {
  const march = ['2027-03-08', '2027-03-09', '2027-03-10'] as const;
  const covered: [name: string, file: string | Buffer, groups: readonly string[], options?: object][] = [
    ['a roster', `Name,${march}\nAda,,9-17,\n`, ['Bar'], { group: 'Bar' }],
    ['a roster with groups', `Name,Team,${march}\nAda,Bar,,9-17,\nBo,Door,,,\n`, ['Bar', 'Door']],
    [
      'a roster with sections',
      `Name,${march}\nBAR\nAda,,9-17,\nBo,,10-18,\nDOOR\n`,
      ['BAR', 'DOOR'],
      { sections: 'group' },
    ],
    [
      'a roster with groups under its days',
      `Name,${march.join(',,')},\n,Bar,Door,Bar,Door,Bar,Door\nAda,9-17,,,,,\n`,
      ['Bar', 'Door'],
      { sections: 'group' },
    ],
    [
      'people across',
      `Date,Ada,Bo\n${march[0]},9-17,\n${march[1]},,9-17\n${march[2]},,\n`,
      ['Bar'],
      { group: 'Bar' },
    ],
    [
      'a list',
      `Date,Time,Team\n${march[1]},9-17,Bar\n${march[0]},off,Door\n${march[2]},off,Bar\n`,
      ['Bar', 'Door'],
    ],
    [
      'a list with a row that is crossed out',
      xlsx([
        {
          name: 'March',
          rows: [
            ['Date', 'Time', 'Team'],
            [march[0], '9-17', 'Bar'],
            [march[2], '9-17', 'Door'].map(asCrossedOut),
          ],
        },
      ]),
      ['Bar', 'Door'],
    ],
  ];
  for (const [name, file, groups, options] of covered)
    test(name, async (t) => {
      const { importSheet } = await importer(t);
      const { report } = await importSheet(file, { publishedFrom: '2026-11-01', ...options });
      assert.partialDeepStrictEqual(report?.covers, [{ from: march[0], to: march[2] }]);
      assert.deepEqual([...(report?.covers[0]?.groups ?? [])].toSorted(), groups);
    });
});

describe('no column of a roster is left out because of its day: a roster is refused', () => {
  const TWICE = [
    'correct one of them; if both are right, leave this heading empty above an end,',
    'or write all shifts of the day into one cell, such as 9-12 / 14-18',
  ].join(' ');
  const NUMBERED =
    'is not the day after the one left of it: number all days without a gap, or write dates such as 2027-03-01';
  const EARLIER =
    'is no day after those left of it, or another weekday: correct it, or put the days in order';

  const refused: [name: string, headings: string, problem: string, options?: Partial<SheetOptions>][] = [
    [
      'with a day that is there twice',
      'Name,01.03.2027,02.03.2027,02.03.2027,03.03.2027',
      `cell D1: "02.03.2027" is the day of cell C1, too: ${TWICE}`,
    ],
    [
      'with a day that is there twice, in two ways of writing',
      'Name,2027-03-01,2027-03-02,2 March 2027',
      `cell D1: "2 March 2027" is the day of cell C1, too: ${TWICE}`,
    ],
    [
      'with a day without a year that is there twice, after the turn of the year',
      'Name,31.12.,1.1.,1.1.',
      `cell D1: "1.1." is the day of cell C1, too: ${TWICE}`,
      { year: 2026 },
    ],
    [
      'with a day that is there twice in its second week',
      'Name,2027-03-06,2027-03-07\nBo,9-17,\nName,2027-03-13,2027-03-13,2027-03-14',
      `cell C3: "2027-03-13" is the day of cell B3, too: ${TWICE}`,
    ],
    [
      'with a day that is earlier than those left of it',
      'Name,01.03.2027,02.03.2027,28.02.2027,03.03.2027',
      `cell D1: "28.02.2027" ${EARLIER}`,
    ],
    [
      'with days in two orders, about which nothing else is told',
      'Name,13/3/2027,3/14/2027,15/3/2027,16/3/2027',
      'line 1, date: the dates of this column are not written in one way, see "13/3/2027" (line 1) and "3/14/2027" (line 1); write them alike, or as YYYY-MM-DD',
    ],
    [
      'with the number of a day that is there twice',
      'March 2027\nName,1,2,3,4,5,5,6',
      `cell G2: "5" ${NUMBERED}`,
    ],
    [
      'with the number of a day that is there twice, at its beginning',
      'March 2027\nName,1,2,2,3,4,5,6',
      `cell D2: "2" ${NUMBERED}`,
    ],
    ['with the numbers of working days', 'March 2027\nName,1,2,3,4,5,8,9', `cell G2: "8" ${NUMBERED}`],
  ];
  for (const [name, headings, problem, options] of refused)
    test(name, async () => {
      const parts = await readSheetText(`${headings}\nAda,9-17,10-18,11-19,12-20\n`, {
        group: 'Bar',
        publishedFrom: '2027-01-01',
        ...options,
      });
      const problems = parts.flatMap((part) => ('problem' in part ? part.problem : []));
      assert.deepEqual(problems.map(describeProblem), [problem]);
    });
});

describe('dates that are not written in one way are told with their places', () => {
  const problemOf = async (file: string | Buffer, options: Partial<SheetOptions> = {}) => {
    const parts = await readSheetText(file, { group: 'Bar', publishedFrom: '2027-01-01', ...options });
    return parts.flatMap((part) => ('problem' in part ? describeProblem(part.problem) : []));
  };

  test('with people across', async () => {
    assert.deepEqual(await problemOf('Date,Ada,Bo\n13/3/2027,9-17,\n3/14/2027,,10-18\n'), [
      'cell C3, date: the dates of this column are not written in one way, see "13/3/2027" (cell B2) and "3/14/2027" (cell C3); write them alike, or as YYYY-MM-DD',
    ]);
  });

  test('in one of several sheets', async () => {
    const head = ['Date', 'Start', 'End', 'Name'];
    const book = xlsx([
      { name: 'March', rows: [head, ['2027-03-13', '9:00', '17:00', 'Ada']] },
      {
        name: 'April',
        rows: [head, ['13/4/2027', '9:00', '17:00', 'Ada'], ['4/14/2027', '9:00', '17:00', 'Bo']],
      },
    ]);
    assert.deepEqual(await problemOf(book, { sheet: 'all' }), [
      'sheet 2, line 3, date: the dates of this column are not written in one way, see "13/4/2027" (sheet 2, line 2) and "4/14/2027" (sheet 2, line 3); write them alike, or as YYYY-MM-DD',
    ]);
  });
});

test('hidden columns of a workbook of LibreOffice are read, and counted', async () => {
  const row = (cells: readonly string[]) =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;
  const columns =
    '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>';
  const rows = row(['Name', '2027-03-06', '2027-03-07']) + row(['Ada', '9-17', '10-18']);
  const parts = await readSheetText(ods(`<table:table table:name="A">${columns}${rows}</table:table>`), {
    group: 'Bar',
    publishedFrom: '2027-01-01',
  });
  const last = parts.at(-1);
  assert.ok(last !== undefined && 'report' in last && last.report !== undefined);
  assert.deepEqual([...last.report.hiddenColumns], [2]);
  assert.equal(parts.flatMap((part) => ('rows' in part ? part.rows : [])).length, 2);
});
