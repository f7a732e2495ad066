/**
 * A small file never occupies an import for long, whatever is in it. Each file here would take minutes or gigabytes, or
 * end with an internal error, if something that reads it went back and forth or had no limit.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SheetOptions } from '../../../sheets/src/sheet-options.ts';
import { describeProblem, rowProblem } from '../../../src/import/problems.ts';
import { isLong } from '../../support/strength.ts';
import { readSheetText } from '../reading.ts';
import { ods, zip } from './make-workbook.ts';

interface SmallFile {
  readonly name: string;
  readonly file: () => string | Buffer;
  readonly options?: Partial<SheetOptions>;
  /** The first problem, or else how many shifts there are. */
  readonly outcome: RegExp | number;
  /** Whether it takes a second of the processor, which is left to the long tests. */
  readonly isCostly?: true;
}

const HEAD = ['Date', 'Start', 'End', 'Group'];
const ROW = ['2027-03-06', '9:00', '17:00', 'Bar'];
const CSV = HEAD.join(',');

const odsCell = (text: string, more = '') =>
  `<table:table-cell${more}><text:p>${text}</text:p></table:table-cell>`;
const odsRow = (cells: readonly string[], more = '') =>
  `<table:table-row${more}>${cells.map((cell) => odsCell(cell)).join('')}</table:table-row>`;
const odsTable = (name: string, rows: string) => `<table:table table:name="${name}">${rows}</table:table>`;
const ODS_PLAN = odsRow(HEAD) + odsRow(ROW);

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An .xlsx in which one of the parts is another. */
function xlsxWith(parts: Readonly<Record<string, string>>): Buffer {
  const sheetData = [HEAD, ROW]
    .map(
      (cells, i) =>
        `<row r="${i + 1}">${cells.map((cell, c) => `<c r="${'ABCD'[c]}${i + 1}" t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`,
    )
    .join('');
  const all: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><sheets><sheet name="Plan" r:id="s1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s1" Type="${RELATION}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="u" Type="${RELATION}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': '<styleSheet/>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheetData}</sheetData></worksheet>`,
    ...parts,
  };
  return zip(Object.entries(all).map(([name, text]) => [name, text.replace('ROWS', sheetData)]));
}

const xlsxOf = (sheet: string) => xlsxWith({ 'xl/worksheets/sheet1.xml': sheet });
const xlsxOfSheets = (count: number) => {
  const sheets = Array.from({ length: count }, (_, i) => `<sheet name="Plan ${i}" r:id="s1"/>`).join('');
  return xlsxWith({
    'xl/workbook.xml': `<workbook xmlns:r="${RELATION}"><sheets>${sheets}</sheets></workbook>`,
  });
};
const emptyRows = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => `<row r="${i + from}"/>`).join('');

const WORKBOOKS: readonly SmallFile[] = [
  {
    name: 'a relation whose target has 900,000 letters',
    file: () =>
      xlsxWith({
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s1" Type="${RELATION}/worksheet" Target="${'a'.repeat(900_000)}"/></Relationships>`,
      }),
    outcome: /^the workbook is broken: it lacks "xl\/a+…"$/,
  },
  {
    name: 'a number format of 900,000 brackets',
    file: () =>
      xlsxWith({
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(900_000)}"/></numFmts></styleSheet>`,
      }),
    outcome: 1,
  },
  {
    name: 'tags of merged cells that are never closed',
    file: () => xlsxOf(`<worksheet><sheetData>ROWS</sheetData>${'<mergeCell ref="A1:A2" '.repeat(200_000)}`),
    outcome: /^the workbook is broken: save it again/,
  },
  {
    name: 'a tag that is never closed',
    file: () => xlsxOf(`<worksheet><sheetData>ROWS</sheetData><mergeCell ${'a="" '.repeat(400_000)}`),
    outcome: /^the workbook is broken: it has a tag of more than 100,000 characters$/,
  },
  {
    name: 'tags of styles that are never closed',
    file: () =>
      ods(odsTable('Plan', ODS_PLAN), '<style:table-properties table:display="false" '.repeat(100_000)),
    outcome: /^the workbook is broken: save it again/,
  },
  {
    name: 'an .ods of a thousand sheets',
    isCostly: true,
    file: () =>
      ods(
        Array.from({ length: 1_000 }, (_, i) =>
          odsTable(`Plan ${i}`, ODS_PLAN + odsRow(ROW).repeat(20)),
        ).join(''),
      ),
    outcome: /^several sheets of the workbook hold shifts/,
  },
  {
    name: 'an .ods of more than a thousand sheets',
    file: () => ods(odsTable('Plan', ODS_PLAN).repeat(1_001)),
    outcome: /^the workbook has more than 1,000 sheets: save those of the plan/,
  },
  {
    name: 'an .xlsx of more than a thousand sheets',
    file: () => xlsxOfSheets(2_000),
    outcome: /^the workbook has more than 1,000 sheets: save those of the plan/,
  },
  {
    name: 'sheets that are all the same part',
    file: () => xlsxOfSheets(900),
    outcome:
      /^the workbook is broken: its sheets "Plan 0" and "Plan 1" are one, "xl\/worksheets\/sheet1\.xml"$/,
  },
  {
    name: 'rows that are each merged with the next',
    isCostly: true,
    file: () =>
      ods(
        odsTable(
          'Plan',
          odsRow(HEAD) +
            `<table:table-row>${odsCell(ROW[0] ?? '', ' table:number-rows-spanned="2"')}${ROW.slice(1)
              .map((cell) => odsCell(cell))
              .join('')}</table:table-row>`.repeat(30_000),
        ),
      ),
    outcome: 30_000,
  },
  {
    name: 'a hundred thousand merges over all rows',
    isCostly: true,
    file: () =>
      xlsxOf(
        `<worksheet><sheetData>ROWS${emptyRows(60_000, 3)}</sheetData>${Array.from({ length: 100_000 }, () => '<mergeCell ref="ZZ1:ZZ1048576"/>').join('')}</worksheet>`,
      ),
    outcome: 1,
  },
  {
    name: 'a hundred thousand merges over all days',
    isCostly: true,
    file: () =>
      xlsxOf(
        `<worksheet><cols><col min="1" max="99999999" hidden="1"/></cols><sheetData><row r="1"><c t="inlineStr"><is><t>Name</t></is></c>${Array.from({ length: 1_000 }, (_, i) => `<c t="inlineStr"><is><t>${new Date(Date.UTC(2027, 0, 1 + i)).toISOString().slice(0, 10)}</t></is></c>`).join('')}</row><row r="2"><c t="inlineStr"><is><t>Ada</t></is></c><c t="inlineStr"><is><t>9-17</t></is></c></row></sheetData>${'<mergeCell ref="B2:XFD2"/>'.repeat(100_000)}</worksheet>`,
      ),
    options: { group: 'Bar' },
    outcome: 1_000,
  },
  {
    name: 'a merge in the last column over many empty rows',
    isCostly: true,
    file: () =>
      xlsxOf(
        `<worksheet><sheetData>ROWS<row r="3"><c r="XFD3" t="inlineStr"><is><t>x</t></is></c></row>${emptyRows(200_000, 4)}</sheetData><mergeCell ref="XFD3:XFD1048576"/></worksheet>`,
      ),
    outcome:
      /^up to row 1,\d{3}, the workbook has more than 30,000,000 cells, empty and merged cells included: save/,
  },
  {
    name: 'a merge outside of the sheet',
    file: () =>
      xlsxOf(
        `<worksheet><sheetData>ROWS${emptyRows(200_000, 3)}</sheetData><mergeCell ref="ZZZ1:ZZZ1048576"/></worksheet>`,
      ),
    outcome: 1,
  },
  {
    name: 'cells in the last column only',
    isCostly: true,
    file: () =>
      xlsxOf(
        `<worksheet><sheetData>ROWS${'<row><c r="XFD1"><v>1</v></c></row>'.repeat(20_000)}</sheetData></worksheet>`,
      ),
    outcome: /^up to row [\d,]+, the workbook has more than 30,000,000 cells/,
  },
  {
    name: 'one long text in many cells',
    file: () =>
      xlsxWith({
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s1" Type="${RELATION}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" Type="${RELATION}/sharedStrings" Target="s.xml"/></Relationships>`,
        'xl/s.xml': `<sst><si><t>${'x '.repeat(18_000)}</t></si></sst>`,
        'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${`<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`.repeat(100)}</sheetData></worksheet>`,
      }),
    outcome: /^up to row [\d,]+, the workbook has more than 300,000,000 characters/,
  },
  {
    name: 'millions of tags within each other',
    file: () => xlsxOf('<a>'.repeat(3_000_000)),
    outcome: /^the workbook is broken: it has tags within tags, more than 200 levels deep$/,
  },
  {
    name: 'rows that are repeated beyond the last one, in two sheets',
    file: () =>
      ods(
        ['One', 'Two']
          .map((name) => odsTable(name, odsRow(['x'], ' table:number-rows-repeated="1900000"')))
          .join(''),
      ),
    outcome: /^row 1 is there 1,900,000 times: a sheet has at most 1,048,576 rows$/,
  },
  {
    name: 'rows that are repeated very often, in two sheets',
    file: () =>
      ods(
        ['One', 'Two']
          .map((name) => odsTable(name, odsRow(['x'], ' table:number-rows-repeated="300000"')))
          .join(''),
      ),
    outcome: /^no sheet of the workbook holds shifts/,
  },
  {
    name: 'a cell of 550 million spaces',
    isCostly: true,
    file: () =>
      ods(
        odsTable(
          'Plan',
          odsRow(HEAD) + odsRow([...ROW.slice(0, 3), '<text:s text:c="1000"/>'.repeat(550_000)]),
        ),
      ),
    outcome: /^line 2, group: " {40}…" is not a text of 1 to 200 characters/,
  },
  {
    name: 'a cell of millions of paragraphs',
    isCostly: true,
    file: () =>
      ods(
        odsTable(
          'Plan',
          `${odsRow(HEAD)}<table:table-row>${odsCell(ROW[0] ?? '')}<table:table-cell>${'<text:p/>'.repeat(1_000_000)}</table:table-cell></table:table-row>`,
        ),
      ),
    outcome: /^line 2, start_time: .* is not a time/,
  },
];

const people = (count: number) => Array.from({ length: count }, (_, i) => `P${i}`).join(',');
const days = (count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(2027, 0, 1 + i)).toISOString().slice(0, 10)).join(
    ',',
  );

const TEXTS: readonly SmallFile[] = [
  {
    name: 'with 16,000 people across',
    isCostly: true,
    file: () => `Date,${people(16_000)}\n${`2027-03-06,${'9-17,'.repeat(15_999)}9-17\n`}`,
    options: { group: 'Bar' },
    outcome: 16_000,
  },
  {
    name: 'with 8,000 other columns and as many people across',
    isCostly: true,
    file: () =>
      `Date,${'x,'.repeat(8_000)}${people(8_000)}\n${`2027-03-06,${'y,'.repeat(8_000)}${'9-17,'.repeat(7_999)}9-17\n`.repeat(2)}`,
    options: { group: 'Bar' },
    outcome: 16_000,
  },
  {
    name: 'with 8,000 columns left of as many days',
    isCostly: true,
    file: () =>
      `Name,${'x,'.repeat(8_000)}${days(8_000)}\n${`Ada,${'y,'.repeat(8_000)}${'9-17,'.repeat(7_999)}9-17\n`.repeat(2)}`,
    options: { group: 'Bar' },
    outcome: 16_000,
  },
  {
    name: 'with more columns than a spreadsheet has',
    file: () => `${CSV}\n${ROW.join(',')}\n${','.repeat(20_000)}\n`,
    outcome: /^line 3: has 20,001 cells: a sheet has at most 16,384 columns$/,
  },
  {
    name: 'with a date of 900,000 digits',
    file: () => `${CSV}\n${'1'.repeat(900_000)},9:00,17:00,Bar\n`,
    outcome: /^line 2, date: "1{40}…" is not a date/,
  },
  {
    name: 'with dates of many numbers',
    file: () => `${CSV}\n${`"${'1 '.repeat(19_000)}x",9:00,17:00,Bar\n`.repeat(20)}`,
    outcome: /^line 2, date: "(?:1 ){20}…" is not a date/,
  },
  {
    name: 'with times that are mostly spaces',
    file: () => `Date,Times,Group\n${`2027-03-06,"9${' '.repeat(38_000)}-17",Bar\n`.repeat(20)}`,
    outcome: /^line 2, times: "9 {39}…" is not two times/,
  },
  {
    name: 'with times that are followed by a word and many spaces',
    file: () => `Date,Times,Group\n${`2027-03-06,"9-17 y${' '.repeat(38_000)}x",Bar\n`.repeat(20)}`,
    outcome: /^line 2, times: "9-17 y +…" says more than two times: leave "9-17" in the cell/,
  },
  {
    name: 'with totals of many numbers',
    file: () => `${CSV}\n${`"x${'1 '.repeat(19_000)}x",,,\n`.repeat(20)}${ROW.join(',')}\n`,
    outcome: 1,
  },
  {
    name: 'with a cell of many names',
    file: () => `Date,Early 9-17\n2027-03-06,"${'a/ '.repeat(12_000)}"\n`,
    options: { group: 'Bar' },
    outcome:
      /^cell B2: "a\/ .*…" holds 12000 names, and a cell may hold 16: give the others a row of their own$/,
  },
  {
    name: 'with names that are mostly spaces',
    file: () => `Date,Early 9-17\n${`2027-03-06,"a${' '.repeat(38_000)}b"\n`.repeat(20)}`,
    options: { group: 'Bar' },
    outcome: /^cell B2, person: "a {39}…" is not a text of 1 to 200 characters/,
  },
  {
    name: 'with nothing but line breaks',
    file: () => '\n'.repeat(1_000_000),
    outcome: /^the first 10,000 rows are empty: the first row should name the columns$/,
  },
];

describe('a small CSV is read quickly', () => {
  for (const one of tried(TEXTS)) test(one.name, () => check(one));
});

test('a cell that is cut is never another value', async () => {
  for (const start of ['2027-03-06', 'off', '8', 'Bar']) {
    for (const filler of [' ', '.', '-', '\u0301']) {
      const long = `"${start}${filler.repeat(60_000)}x"`;
      for (const row of [`${long},9,17,Bar`, `2027-03-06,${long},17,Bar`, `2027-03-06,9,17,${long}`]) {
        const { problem, shifts } = await read(`${CSV}\n${row}\n`);
        assert.equal(shifts, 1, row.slice(0, 40));
        assert.match(problem ?? '', /^line 2, \w+: "/, row.slice(0, 40));
      }
    }
  }
});

describe('a small workbook is read quickly', () => {
  for (const one of tried(WORKBOOKS)) test(one.name, () => check(one));
});

function tried(files: readonly SmallFile[]): readonly SmallFile[] {
  return files.filter(({ isCostly }) => isLong || !isCostly);
}

async function check({ file, options, outcome }: SmallFile): Promise<void> {
  const { problem, shifts } = await read(file(), options);
  if (typeof outcome === 'number')
    assert.deepEqual({ problem, shifts }, { problem: undefined, shifts: outcome });
  else assert.match(problem ?? `${shifts} shifts`, outcome);
}

async function read(file: string | Buffer, options: Partial<SheetOptions> = {}) {
  let problem: string | undefined;
  let shifts = 0;
  for (const part of await readSheetText(file, { publishedFrom: '2027-01-01', ...options })) {
    if ('problem' in part) problem ??= describeProblem(part.problem);
    if (!('rows' in part)) continue;
    shifts += part.rows.length;
    for (const { position, shift } of part.rows) {
      const [flaw] = shift.flawed?.flaws ?? [];
      if (flaw !== undefined) problem ??= describeProblem(rowProblem(position, flaw));
    }
  }
  return { problem, shifts };
}
