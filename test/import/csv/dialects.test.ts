import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describePlace, placeAt } from '../../../sheets/src/problem.ts';
import type { SheetOptions } from '../../../sheets/src/sheet-options.ts';
import { parseDateFormat } from '../../../sheets/src/words/date.ts';
import { readSheetText } from '../reading.ts';

const HEADER = 'date,start_time,end_time,group,publish_date';
const ROW = '2026-12-01,09:00,17:00,Kitchen,2026-11-01';

describe('a sheet may be written with', () => {
  const sheets: [name: string, text: string | Buffer][] = [
    ['commas', `${HEADER}\n${ROW}\n`],
    ['semicolons', `${HEADER}\n${ROW}\n`.replaceAll(',', ';')],
    ['tabs', `${HEADER}\n${ROW}\n`.replaceAll(',', '\t')],
    ['a first line for Excel', `\ufeffsep=;\r\n${HEADER}\r\n${ROW}\r\n`.replaceAll(',', ';')],
    ['such a line in quotes', `"sep=;"\n${HEADER}\n${ROW}\n`.replaceAll(',', ';')],
    ['such a line for commas', `SEP=,\n${HEADER}\n${ROW}\n`],
    ['a byte order mark', `\ufeff${HEADER}\n${ROW}\n`],
    ['CRLF', `${HEADER}\r\n${ROW}\r\n`],
    ['CR alone', `${HEADER}\r${ROW}\r`],
    ['CRLF in the header and LF after it', `${HEADER}\r\n${ROW}\n`],
    ['no line break at its end', `${HEADER}\n${ROW}`],
    ['empty lines', `\n${HEADER}\n\n${ROW}\n\n\n`],
    ['rows of empty cells', `${HEADER}\n,,,,\n${ROW}\n , ,,,\n`],
    ['every cell in quotes', `${HEADER}\n${ROW}\n`.replaceAll(/[^,\n]+/g, '"$&"')],
    ['spaces around cells', `${HEADER}\n${ROW}\n`.replaceAll(',', ' , ')],
    ['empty cells at the end of a row', `${HEADER}\n${ROW},,\n`],
    ['columns without a name that are empty', `${HEADER},,\n${ROW},,\n`],
    ['headings in other letters', `Date,START TIME,End-time,group,Publish_Date\n${ROW}\n`],
    [
      'columns in another order',
      'group,publish_date,end_time,start_time,date\nKitchen,2026-11-01,17:00,09:00,2026-12-01',
    ],
    ['times as spreadsheets write them', `${HEADER}\n2026-12-01,9:00,17:00:00,Kitchen,2026-11-01`],
    ['times of twelve hours', `${HEADER}\n2026-12-01,9:00 AM,5:00:00 pm,Kitchen,2026-11-01`],
    ['a narrow space before AM', `${HEADER}\n2026-12-01,9:00\u202fAM,5:00\u00a0PM,Kitchen,2026-11-01`],
    ['dates at midnight', `${HEADER}\n2026-12-01 00:00:00,09:00,17:00,Kitchen,2026-11-01T00:00`],
  ];
  for (const [name, text] of sheets)
    test(name, async () => {
      const shift = {
        date: '2026-12-01',
        start_time: '09:00',
        end_time: '17:00',
        publish_date: '2026-11-01',
      };
      for (const bytesPerPiece of [1, 7, 1 << 16]) {
        const [row, ...others] = await rowsOf(text, {}, bytesPerPiece);
        assert.deepEqual(row?.shift, shift);
        assert.equal(row?.group, 'Kitchen');
        assert.deepEqual(others, []);
      }
    });

  for (const [cell, time] of [
    ['12:00 AM', '00:00'],
    ['12:30 AM', '00:30'],
    ['1:00 am', '01:00'],
    ['12:00 PM', '12:00'],
    ['12:30 pm', '12:30'],
    ['11:59 PM', '23:59'],
  ] as const)
    test(`"${cell}" for ${time}`, async () => {
      const [row] = await rowsOf(`id,start_time\n1,${cell}`);
      assert.equal(row?.shift.start_time, time);
    });

  test('tabs and empty cells', async () => {
    const [row] = await rowsOf('id\tlocation\tperson\tremarks\n5\t\t\tKeys\n');
    assert.deepEqual(row?.shift, { id: 5, remarks: 'Keys' });
    assert.deepEqual([row?.location, row?.person], [null, null]);
  });

  test('line breaks and quotes within quotes, which lines are counted by', async () => {
    const rows = await rowsOf(
      'id,remarks\n1,"Bring\r\nthe ""big"" keys,\nplease"\r\n2,"a\nb"\n3,"  kept  "\n',
    );
    assert.deepEqual(
      rows.map(({ position, shift }) => [describePlace(placeAt(position)), shift.remarks]),
      [
        ['line 2', 'Bring\r\nthe "big" keys,\nplease'],
        ['line 5', 'a\nb'],
        ['line 7', '  kept  '],
      ],
    );
  });

  for (const [cell, flag] of [
    ['yes', true],
    ['No', false],
    ['TRUE', true],
    ['false', false],
    ['1', true],
    ['0', false],
    ['x', true],
    ['X', true],
    ['', false],
  ] as const)
    test(`"${cell}" for ${flag}`, async () => {
      const [row] = await rowsOf(`id,starred\n1,${cell}`);
      assert.equal(row?.shift.starred, flag);
    });

  test('headings that --columns tells, and columns that --ignore-columns leaves out', async () => {
    const [row] = await rowsOf('Nr;Datum;Uren;Ploeg\n5;2026-12-01;8;Keuken\n', {
      columnNames: new Map([
        ['id', 'nr'],
        ['date', 'Datum'],
        ['group', 'Ploeg'],
      ]),
      ignoredColumns: ['uren'],
    });
    assert.deepEqual(row?.shift, { id: 5, date: '2026-12-01' });
    assert.equal(row?.group, 'Keuken');
  });
});

describe('an id, an address, an end date and a date for all', () => {
  test('are read', async () => {
    const [row] = await rowsOf('id,end_date,location,address\n5001,,Pier,Long Pier 4\n', {
      publishedFrom: '2026-11-01',
    });
    assert.deepEqual(row?.shift, { id: 5001, end_date: null, publish_date: '2026-11-01' });
    assert.deepEqual(row?.location, { name: 'Pier', address: 'Long Pier 4' });
  });

  test('24:00 on an end date is the midnight after it', async () => {
    const [row] = await rowsOf('id,end_date,end_time\n5001,2026-12-01,24:00\n');
    assert.deepEqual(row?.shift, { id: 5001, end_time: '00:00', end_date: '2026-12-02' });
  });

  test('--published-from is for cells that are empty', async () => {
    const rows = await rowsOf('id,publish_date\n1,2026-10-01\n2,\n', { publishedFrom: '2026-11-01' });
    assert.deepEqual(
      rows.map(({ shift }) => shift.publish_date),
      ['2026-10-01', '2026-11-01'],
    );
  });
});

describe('--date-format', () => {
  const dates: [format: string, cell: string, date: string | undefined][] = [
    ['DD-MM-YYYY', '01-02-2027', '2027-02-01'],
    ['DD-MM-YYYY', '1-2-2027', undefined],
    ['d-m-yyyy', '1-2-2027', '2027-02-01'],
    ['D/M/YYYY', '31/12/2027', '2027-12-31'],
    ['MM/DD/YYYY', '01/02/2027', '2027-01-02'],
    ['M/D/YYYY', '1/12/2027', '2027-01-12'],
    ['DD.MM.YYYY', '01.02.2027', '2027-02-01'],
    ['DD.MM.YYYY', '01-02-2027', undefined],
    ['YYYY/MM/DD', '2027/02/01', '2027-02-01'],
    ['YYYYMMDD', '20270201', '2027-02-01'],
    ['D M YYYY', '1 2 2027', '2027-02-01'],
    ['DD-MM-YYYY', '01-02-27', undefined],
    ['DD-MM-YY', '01-02-27', '2027-02-01'],
    ['YY/M/D', '27/2/1', '2027-02-01'],
    ['D MMM YYYY', '1 févr. 2027', '2027-02-01'],
    ['MMMM D, YYYY', 'February 1, 2027', '2027-02-01'],
    ['DD-MMM-YY', '01-Mrz-27', '2027-03-01'],
    ['DD-MMM-YY', '01-Foo-27', undefined],
    ['serial', '46419', '2027-02-01'],
    ['serial', '1.2.2027', undefined],
  ];
  for (const [format, cell, date] of dates)
    test(`${format} reads ${cell} as ${date ?? 'none'}`, () => {
      assert.equal(parseDateFormat(format)?.read(cell), date);
    });

  for (const format of [
    'DD-MM',
    'DD-DD-YYYY',
    'YYYY-DD-MM',
    'DMYYYY',
    'DD-MM/YYYY',
    'MMM-DD',
    '',
    '(DD)-MM-YYYY',
  ])
    test(`refuses ${JSON.stringify(format)}`, () => assert.equal(parseDateFormat(format), undefined));

  test('reads YYYY-MM-DD besides', async () => {
    const rows = await rowsOf('id,date\n1,2-1-2027\n2,2027-01-02\n', { dateFormat: 'D-M-YYYY' });
    assert.deepEqual(
      rows.map(({ shift }) => shift.date),
      ['2027-01-02', '2027-01-02'],
    );
  });
});

async function rowsOf(text: string | Buffer, options?: Partial<SheetOptions>, bytesPerPiece?: number) {
  const parts = await readSheetText(text, options, bytesPerPiece);
  assert.deepEqual(
    parts.filter((part) => 'problem' in part),
    [],
  );
  return parts.flatMap((part) => ('rows' in part ? part.rows : []));
}
