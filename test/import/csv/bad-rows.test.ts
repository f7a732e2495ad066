import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { SheetOptions } from '../../../sheets/src/sheet-options.ts';
import { importer } from '../importer.ts';

const DATE =
  'is not a date such as 2027-03-06, 6.3.2027 or 6 March 2027; if dates are written otherwise, say how, such as --date-format DD-MM-YYYY';
const PART_OF_HOUR = 'may be hours and minutes, or a part of an hour: write times such as 9:30';
const TIME = 'is not a time from 00:00 to 24:00, such as 9:00, 09.00, 0900, 9h30, 9 Uhr or 9:00 AM';
const ERROR = 'is an error of the spreadsheet: mend the formula, or empty the cell';
const FLAG = 'is not yes or no, true or false, 1 or 0, x or empty';
const ID = 'is not a whole number from 1 to 9007199254740991';
const LONG = 'n'.repeat(201);

/** A good row, which is told by column what else to say. */
const GOOD: Readonly<Record<string, string>> = {
  id: '7',
  date: '2026-12-01',
  start_time: '09:00',
  end_time: '17:00',
  end_date: '2026-12-01',
  group: 'Kitchen',
  location: 'Pier',
  address: 'Long Pier 4',
  person: 'Ada',
  publish_date: '2026-11-01',
  remarks: '',
  starred: '',
  cancelled: '',
  noshow: '',
};

const shared = await importer({ after });

describe('a row is refused, by line and column, for', () => {
  const rows: [name: string, cells: Record<string, string>, problem: string][] = [
    ['a time that there is not', { end_time: '25:61' }, `line 3, end_time: "25:61" ${TIME}`],
    [
      'a start at the end of a day',
      { start_time: '24:00' },
      'line 3, start_time: 24:00 is the end of a day, and no start',
    ],
    ['a time with seconds', { start_time: '09:00:30' }, `line 3, start_time: "09:00:30" ${TIME}`],
    [
      'a time that may be a part of an hour',
      { start_time: '9.25' },
      `line 3, start_time: "9.25" ${PART_OF_HOUR}`,
    ],
    ['a time as hours with a part', { start_time: '9.5' }, `line 3, start_time: "9.5" ${PART_OF_HOUR}`],
    [
      'a time that may be in the night',
      { end_time: '5 pm' },
      'line 3, end_time: of start and end, one says am or pm and the other does not: say it for both',
    ],
    [
      'a time as a part of the day',
      { start_time: '0.375' },
      `line 3, start_time: "0.375" ${TIME}; if it is a part of a day, say --date-format serial`,
    ],
    [
      'an hour that has no half of a day',
      { start_time: '13:00 PM' },
      `line 3, start_time: "13:00 PM" ${TIME}`,
    ],
    ['no start', { start_time: '' }, 'line 3, start_time: is empty'],
    ['no end', { end_time: ' ' }, 'line 3, end_time: is empty'],
    ['no date', { date: '' }, 'line 3, date: is empty; if it is as the one above, say --fill-down date'],
    ['a day that there is not', { date: '2026-02-30' }, `line 3, date: "2026-02-30" ${DATE}`],
    [
      'a date that could be two',
      { publish_date: '01/02/2027' },
      'line 3, publish_date: "01/02/2027" can be read in two ways, and so can all dates of this column; say which is meant: --date-format D/M/YYYY or --date-format M/D/YYYY',
    ],
    [
      'a date whose year may come first or last',
      { publish_date: '26-12-01' },
      'line 3, publish_date: "26-12-01" can be read in two ways, and so can all dates of this column; say which is meant: --date-format D-M-YY or --date-format YY-M-D',
    ],
    [
      'another weekday',
      { date: 'Mon 1 December 2026' },
      'line 3, date: "Mon 1 December 2026" is not a date: that day is another weekday, or does not exist',
    ],
    [
      'no year',
      { date: '1 December' },
      'line 3, date: "1 December" lacks its year: give the one of all such dates with --year',
    ],
    [
      'a date as a count of days',
      { date: '46357' },
      'line 3, date: "46357" may be a date as Excel counts days: then say --date-format serial',
    ],
    [
      'a date with a time of day',
      { date: '2026-12-01 09:00' },
      'line 3, date: has a time of day, and there is a column for the start as well',
    ],
    ['a bad end date', { end_date: 'tomorrow' }, `line 3, end_date: "tomorrow" ${DATE}`],
    [
      'an end before the start',
      { end_date: '2026-11-30' },
      'line 3, end_date: the end, 2026-11-30 17:00, is not after the start, 2026-12-01 09:00',
    ],
    ['a bad publish date', { publish_date: 'soon' }, `line 3, publish_date: "soon" ${DATE}`],
    [
      'a publish date that says only that it is',
      { publish_date: 'yes' },
      'line 3, publish_date: "yes" does not tell from when on: give the date for such rows with --published-from',
    ],
    [
      'a shift that is not published',
      { publish_date: 'No' },
      'line 3, publish_date: "No" says that the shift is not published: leave such rows out of the sheet, or give the date from which on they are',
    ],
    ['no publish date', { publish_date: '' }, 'line 3, publish_date: is empty'],
    ['no group', { group: '' }, 'line 3, group: is empty; if it is as the one above, say --fill-down group'],
    [
      'a group with too long a name',
      { group: LONG },
      `line 3, group: "${'n'.repeat(40)}…" is not a text of 1 to 200 characters without control characters`,
    ],
    [
      'a location with a control character',
      { location: 'Pi\u0007er' },
      'line 3, location: "Pi\\u0007er" is not a text of 1 to 200 characters without control characters',
    ],
    [
      'a person with too long a name',
      { person: LONG },
      `line 3, person: "${'n'.repeat(40)}…" is not a text of 1 to 200 characters without control characters`,
    ],
    [
      'an address without a location',
      { location: '' },
      'line 3, address: an address belongs to a location, and there is none',
    ],
    [
      'an address that is too long',
      { address: 'a'.repeat(1_001) },
      `line 3, address: "${'a'.repeat(40)}…" is not a text of at most 1000 characters without control characters`,
    ],
    [
      'remarks that are too long',
      { remarks: 'r'.repeat(10_001) },
      `line 3, remarks: "${'r'.repeat(40)}…" is not a text of at most 10000 characters without control characters`,
    ],
    ['a flag that says maybe', { starred: 'maybe' }, `line 3, starred: "maybe" ${FLAG}`],
    ['a flag that counts', { cancelled: '2' }, `line 3, cancelled: "2" ${FLAG}`],
    ['an error in the place of a group', { group: '#NAME?' }, `line 3, group: "#NAME?" ${ERROR}`],
    ['an error in the place of a person', { person: '#N/A' }, `line 3, person: "#N/A" ${ERROR}`],
    ['an error in the place of a location', { location: '#BEZUG!' }, `line 3, location: "#BEZUG!" ${ERROR}`],
    ['an error in the place of an address', { address: 'Err:502' }, `line 3, address: "Err:502" ${ERROR}`],
    ['an error in remarks', { remarks: '#REF!' }, `line 3, remarks: "#REF!" ${ERROR}`],
    [
      'a column that was too narrow',
      { start_time: '#####' },
      'line 3, start_time: "#####" shows that the column was too narrow: widen it, and save the sheet again',
    ],
    ['an id that is no number', { id: 'A-7' }, `line 3, id: "A-7" ${ID}`],
    ['an id with a fraction', { id: '7.5' }, `line 3, id: "7.5" ${ID}`],
    ['id 0', { id: '0' }, `line 3, id: "0" ${ID}`],
    ['an id that is too large', { id: '9007199254740993' }, `line 3, id: "9007199254740993" ${ID}`],
    ['the id of an earlier row', { id: '1' }, 'line 3, id: 1 is the id of line 2 too'],
  ];
  for (const [name, cells, problem] of rows)
    test(name, async () => {
      const text = [
        Object.keys(GOOD),
        Object.values({ ...GOOD, id: '1' }),
        Object.values({ ...GOOD, ...cells }),
      ]
        .map((line) => line.join(';'))
        .join('\n');
      assert.deepEqual(await shared.sheetProblems(text), [problem]);
      assert.deepEqual(await shared.store.accounts(), []);
    });

  test('a date that is written otherwise than --date-format says', async () => {
    const dateFormat = 'D-M-YYYY';
    assert.deepEqual(await shared.sheetProblems('id,date\n1,31/12/2026', { dateFormat }), [
      'line 2, date: "31/12/2026" is not a date D-M-YYYY or YYYY-MM-DD from 1000-01-01 to 9999-12-31',
      'line 2: is new and lacks start_time, end_time, group, publish_date',
    ]);
  });

  const texts: [name: string, text: string | Buffer, problems: string[], options?: Partial<SheetOptions>][] =
    [
      ['too many cells', 'id,date\n1,2026-12-01,Keys\n', ['line 2: has 3 cells, but the header has 2 cells']],
      [
        'a quote in a cell',
        'id,remarks\n2,5" pipe\n',
        [
          'line 2: a quote stands inside of a cell; a cell with quotes is written in quotes, and its own are doubled',
        ],
      ],
      [
        'a letter after a quote',
        'id,remarks\n1,"5" pipe"\n',
        [
          'line 2: a quote stands inside of a cell; a cell with quotes is written in quotes, and its own are doubled',
        ],
      ],
      [
        'a quote that is never closed',
        'id,remarks\n1,"Keys\n2,x\n',
        ['line 2: a quote opens in this row and is never closed'],
      ],
      [
        'a row without end',
        `id,remarks\n1,"${'x'.repeat(1_100_000)}`,
        ['line 2: this row has more than 1,000,000 bytes; is a quote left open?'],
      ],
      [
        'a column that is misspelt',
        'id;Datee;Remaks\n1;2026-12-01;x\n',
        [
          'line 1, Datee: there is no such column; did you mean "date"? Then say --columns date=Datee, else --ignore-columns Datee',
          'line 1, Remaks: there is no such column; did you mean "remarks"? Then say --columns remarks=Remaks, else --ignore-columns Remaks',
        ],
      ],
      [
        'two columns for the same',
        'id,Von,Start\n1,9,10\n',
        [
          'line 1, Start: there are two columns for start_time, "Von" and this one; say which it is, such as --columns start_time=Von',
        ],
      ],
      [
        'a column that is there twice',
        'id,date,Date\n1,x,y\n',
        ['line 1, Date: there are two columns for date'],
      ],
      [
        'columns that are missing',
        'date,start_time\n2026-12-01,09:00\n',
        [
          'line 1: there is no column "end_time"; --columns tells what a sheet calls it',
          'line 1: there is no column "group"; --columns tells what a sheet calls it, and --group gives one for all rows',
          'line 1: there is no column "publish_date"; give the column, or one date for all with --published-from',
        ],
      ],
      [
        'addresses without locations',
        'id,address\n1,x\n',
        [
          'line 1, address: an address belongs to a location, and there is no column "location"; if it tells the place, say --columns location=address',
        ],
      ],
      [
        'a column that --columns names and that is not there',
        'id,date\n1,x\n',
        ['line 1: there is no column "Datum", which --columns names for date'],
        { columnNames: new Map([['date', 'Datum']]) },
      ],
      [
        'a column that --columns names twice',
        'id,Datum\n1,x\n',
        ['line 1, datum: --columns names this column for date and for publish_date, but it can be only one'],
        {
          columnNames: new Map([
            ['date', 'Datum'],
            ['publish_date', 'datum'],
          ]),
        },
      ],
      [
        'a column that is named and to be ignored',
        'id,Datum\n1,x\n',
        ['line 1, Datum: both --columns and --ignore-columns name this column'],
        { columnNames: new Map([['date', 'Datum']]), ignoredColumns: ['datum'] },
      ],
      [
        'a column that is to be ignored and that is not there',
        'id\n1\n',
        ['line 1: there is no column "Uren", which --ignore-columns names'],
        { ignoredColumns: ['Uren'] },
      ],
      ['nothing at all', '', ['the file is empty: its first line should name the columns']],
      ['nothing but empty lines', '\n\n', ['the file is empty: its first line should name the columns']],
      [
        'an old workbook',
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        [
          'the file is an old workbook (.xls), or one with a password: open it in your spreadsheet program, and save it as .xlsx without a password',
        ],
      ],
      [
        'UTF-16 without a mark',
        Buffer.from('id,date\n', 'utf16le'),
        ['the file is text in UTF-16 without a mark; say so with --encoding utf-16le'],
      ],
      [
        'Latin-1',
        Buffer.from('id,remarks\n1,ok\n2,Caf\u00e9\n', 'latin1'),
        [
          'line 3: is new and lacks date, start_time, end_time, group, publish_date',
          'line 2: is new and lacks date, start_time, end_time, group, publish_date',
          'line 3: here, or soon after, the file is not UTF-8; perhaps it is windows-1252, which reads "Café": then say --encoding windows-1252, or save the sheet as "CSV UTF-8"',
        ].toReversed(),
      ],
      [
        'an end within a character, as of a file that was cut off',
        Buffer.from('id,remarks\n1,Caf\u00e9').subarray(0, -1),
        [
          'line 2: here, or soon after, the file is not UTF-8; perhaps it is windows-1252: then say --encoding windows-1252, or save the sheet as "CSV UTF-8"',
          'line 2: is new and lacks date, start_time, end_time, group, publish_date',
        ],
      ],
    ];
  for (const [name, text, problems, options] of texts)
    test(name, async () => assert.deepEqual(await shared.sheetProblems(text, options), problems));

  test('several things at once', async () => {
    const text = 'id,date,start_time,group\n1,x,y,\n';
    assert.deepEqual(await shared.sheetProblems(text), [
      `line 2, date: "x" ${DATE}`,
      `line 2, start_time: "y" ${TIME}`,
      'line 2, group: is empty',
      'line 2: is new and lacks end_time, publish_date',
    ]);
  });
});
