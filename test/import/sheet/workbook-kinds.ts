/** Workbooks as people make them, and what must come of each. */

import { BOTH, EARLY, type Kind, saying } from './kinds.ts';
import {
  asBoth,
  asCrossedOut,
  asCrossedOutDate,
  asDate,
  asPartlyCrossedOut,
  asTime,
  book,
  type MadeCell,
  ods,
  serial,
  xlsx,
  zip,
} from './make-workbook.ts';

const HEAD = ['Datum', 'Von', 'Bis', 'Team', 'Name'];
const ROWS = [
  HEAD,
  [asDate('2027-03-06'), asTime('09:00'), asTime('17:00'), 'Bar', 'Ada'],
  [asDate('2027-03-07'), asTime('18:30'), asTime('01:00'), 'Bar', 'Bo'],
];
const MARCH = { name: 'March', rows: ROWS };
const PEOPLE = {
  name: 'People',
  rows: [
    ['Name', 'Phone'],
    ['Ada', '1'],
    ['Bo', '2'],
  ],
};
const text = (value: string) =>
  `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
const row = (cells: string, more = '') => `<table:table-row${more}>${cells}</table:table-row>`;
const odsDate = (date: string, more = '') =>
  `<table:table-cell${more} office:value-type="date" office:date-value="${date}"><text:p>6. März</text:p></table:table-cell>`;
const odsTime = (time: string) =>
  `<table:table-cell office:value-type="time" office:time-value="PT${time.replace(':', 'H')}M00S"><text:p>x</text:p></table:table-cell>`;

const ODS_ROWS =
  row(HEAD.map(text).join('')) +
  row(odsDate('2027-03-06') + odsTime('09:00') + odsTime('17:00') + text('Bar') + text('Ada'));

const ADA = [asDate('2027-03-06'), '9:00', '17:00', 'Bar', 'Ada'];
const ODS_STYLES =
  '<style:style style:name="ce1" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:style><style:style style:name="T1" style:family="text"><style:text-properties style:text-line-through-style="none"/></style:style>';
const odsCrossedOut = (value: string) => text(value).replace('office:', 'table:style-name="ce1" office:');

const CROSSED_OUT: readonly Kind[] = [
  ...saying([EARLY], {
    'a workbook with a row that is crossed out': book([
      HEAD,
      ADA,
      [asCrossedOutDate('2027-03-07'), ...['9', '17', 'Bar', 'Bo'].map(asCrossedOut)],
    ]),
    'a workbook with a row that is crossed out below a merged date': book(
      [HEAD, ADA, ['', ...['9', '17', 'Bar', 'Bo'].map(asCrossedOut)]],
      ['A2:A3'],
    ),
    'a workbook with remarks that are crossed out': book([
      [...HEAD, 'Notes'],
      [...ADA, asCrossedOut('sick')],
    ]),
    'a grid with shifts that are crossed out': book([
      ['Name', 'Team', asDate('2027-03-06'), asDate('2027-03-07')],
      ['Ada', 'Bar', '9-17', asCrossedOut('9-17')],
      ['Bo', 'Bar', '', asCrossedOut('9-17')],
    ]),
    'a grid with a day that is crossed out': book([
      ['Name', 'Team', asDate('2027-03-06'), asCrossedOutDate('2027-03-07'), asDate('2027-03-08')],
      ['Ada', 'Bar', '9-17', asCrossedOut('9-17')],
    ]),
    'a workbook of LibreOffice with a row that is crossed out': ods(
      `<table:table table:name="A">${ODS_ROWS}${row(['7.3.2027', '9', '17', 'Bar', 'Bo'].map(odsCrossedOut).join(''))}</table:table>`,
      ODS_STYLES,
    ),
  }),
  {
    name: 'a workbook with a name that is crossed out',
    file: book([HEAD, ADA.with(4, asCrossedOut('Ada'))]),
    outcome: { refused: /line 2, person: "Ada" is crossed out, and its row is not/ },
  },
  ...['date', 'start_time', 'end_time', 'group'].map((column, place) => ({
    name: `a workbook with a cell of the column ${column} that is crossed out`,
    file: book([HEAD, ADA.with(place, asCrossedOut(['6 March 2027', '9:00', '17:00', 'Bar'][place] ?? ''))]),
    outcome: { refused: new RegExp(`line 2, ${column}: ".*" is crossed out, and its row is not`) },
  })),
  ...Object.entries({
    'a grid with a day that is crossed out above shifts': [
      [
        ['Name', 'Team', asDate('2027-03-06'), asCrossedOutDate('2027-03-07'), asDate('2027-03-08')],
        ['Ada', 'Bar', '9-17', '10-18'],
      ],
      /cell D2: "10-18" stands under no heading/,
    ],
    'a grid with a day of which a part is crossed out': [
      [
        ['Name', 'Team', '6 March 2027', asPartlyCrossedOut('7 March 2027', '8 March 2027')],
        ['Ada', 'Bar', '9-17', '10-18'],
      ],
      /cell D1: a part of "7 March 2027 8 March 2027" is crossed out/,
    ],
    'a grid with times of which a part is crossed out': [
      [
        ['Name', 'Team', asDate('2027-03-06'), asDate('2027-03-07')],
        ['Ada', 'Bar', '9-17', asPartlyCrossedOut('9-18', '17')],
      ],
      /cell D2: a part of "9-18 17" is crossed out/,
    ],
    'a grid whose times beside names are crossed out': [
      [
        ['Team', 'Shift', asDate('2027-03-06'), asDate('2027-03-07')],
        ['Bar', '9-17', 'Ada', 'Bo'],
        ['Bar', asCrossedOut('10-18'), 'Ada', 'Bo'],
      ],
      /cell C3: "10-18" is crossed out, and its row is not/,
    ],
    'people across, of whom one is crossed out': [
      [
        ['Date', 'Team', 'Ada', asCrossedOut('Bo')],
        ['6 March 2027', 'Bar', '9-17', '9-17'],
      ],
      /cell D1: holds times, and is not read: "9-17"/,
    ],
    'people across, of whom a part is crossed out': [
      [
        ['Date', 'Team', 'Ada', asPartlyCrossedOut('Bo', 'Cy')],
        ['6 March 2027', 'Bar', '9-17', '9-17'],
      ],
      /cell D1: a part of "Bo Cy" is crossed out/,
    ],
    'people across with times of which a part is crossed out': [
      [
        ['Date', 'Team', 'Ada', 'Bo'],
        ['6 March 2027', 'Bar', '9-17', asPartlyCrossedOut('9-', '17')],
      ],
      /cell D2: a part of "9- 17" is crossed out/,
    ],
    'times across, of which one and a date are crossed out': [
      [
        ['Date', 'Team', 'Early 7-15', asCrossedOut('Late 15-23')],
        ['6 March 2027', 'Bar', 'Ada', 'Bo'],
        [asCrossedOut('7 March 2027'), 'Bar', 'Ada', 'Bo'],
      ],
      /cell C3, date: "7 March 2027" is crossed out[^\n]*$/,
    ],
  } satisfies Record<string, [MadeCell[][], RegExp]>).map(([name, [rows, refused]]) => ({
    name,
    file: book(rows),
    outcome: { refused },
  })),
  {
    name: 'a workbook with a name of which a part is crossed out',
    file: book([HEAD, ADA.with(4, asPartlyCrossedOut('Bo', 'Ada'))]),
    outcome: { refused: /line 2, person: a part of "Bo Ada" is crossed out: remove that part/ },
  },
  {
    name: 'a grid with a name of which a part is crossed out',
    file: book([
      ['Team', 'Shift', asDate('2027-03-06'), asDate('2027-03-07')],
      ['Bar', '9-17', 'Cy', asPartlyCrossedOut('Bo', 'Ada')],
    ]),
    outcome: { refused: /cell D2, person: a part of "Bo Ada" is crossed out/ },
  },
  {
    name: 'a workbook of LibreOffice with a name of which a part is not crossed out',
    file: ods(
      `<table:table table:name="A">${ODS_ROWS.replace(text('Ada'), odsCrossedOut('Ada <text:span text:style-name="T1">Bo</text:span>'))}</table:table>`,
      ODS_STYLES,
    ),
    outcome: { refused: /line 2, person: a part of "Ada Bo" is crossed out/ },
  },
];

const TIMED = ['Datum', 'Zeit', 'Team', 'Name'];
const ADA_EARLY = [asDate('2027-03-06'), '9-17', 'Bar', 'Ada'];
const BO_GONE = [asCrossedOutDate('2027-03-07'), ...['9-17', 'Kitchen', 'Bo'].map(asCrossedOut)];
const CY = ['', '10-18', 'Bar', 'Cy'];
const DAYS = ['Name', asDate('2027-03-06'), asDate('2027-03-07')];
const CY_LATER = '2027-03-07 10:00 18:00 Bar Cy';
const BELOW_BO = book([DAYS, ['Ada', '9-17'], ['Bo', '9-17'].map(asCrossedOut), ['', '', '10-18']]);
const BLOCK_GONE = [asCrossedOut('Name'), asCrossedOutDate('2027-03-13'), asCrossedOutDate('2027-03-14')];

/** What stands below a row that is crossed out goes on from that row, and not from one further above. */
const BELOW_CROSSED_OUT: readonly Kind[] = [
  {
    name: 'a ditto mark below a row that is crossed out',
    file: book([TIMED, ADA_EARLY, BO_GONE, CY.with(0, '"')]),
    outcome: [EARLY, CY_LATER],
  },
  {
    name: 'a date that is not repeated below a row that is crossed out',
    file: book([TIMED, ADA_EARLY, BO_GONE, CY]),
    untold: /line 4, date: is empty; if it is as the one above, say --fill-down date/,
    options: { fillDown: ['date'] },
    outcome: [EARLY, CY_LATER],
  },
  {
    name: 'a group that is not repeated below a row that is crossed out',
    file: book([TIMED, ADA_EARLY, BO_GONE, [asDate('2027-03-07'), '10-18', '', 'Cy']]),
    options: { fillDown: ['group'] },
    outcome: [EARLY, CY_LATER.replace('Bar', 'Kitchen')],
  },
  {
    name: 'a date that is merged with that of a row that is crossed out',
    file: book([TIMED, ADA_EARLY, BO_GONE, CY], ['A3:A4']),
    outcome: { refused: /line 4, date: "2027-03-07" is crossed out, and its row is not/ },
  },
  {
    name: 'a row that is crossed out below a merged date and a merged group',
    file: book([TIMED, ADA_EARLY, ['', asCrossedOut('9-17'), '', asCrossedOut('Bo')]], ['A2:A3', 'C2:C3']),
    outcome: [EARLY],
  },
  {
    name: 'people across, below a day that is crossed out',
    file: book([
      ['Date', 'Team', 'Ada', 'Cy'],
      [asDate('2027-03-06'), 'Bar', '9-17'],
      [asCrossedOutDate('2027-03-07'), ...['Bar', '9-17'].map(asCrossedOut)],
      ['', 'Bar', '', '10-18'],
    ]),
    options: { fillDown: ['date'] },
    outcome: [EARLY, CY_LATER],
  },
  {
    name: 'a second line of a person who is crossed out',
    file: BELOW_BO,
    untold: /cell A4, person: is empty below "Bo"/,
    options: { group: 'Bar', fillDown: ['person'] },
    outcome: [EARLY, CY_LATER.replace('Cy', 'Bo')],
  },
  {
    name: 'rows below a group that is crossed out',
    file: book([DAYS, ['BAR'], ['Ada', '9-17'], [asCrossedOut('KITCHEN')], ['Cy', '', '10-18']]),
    options: { sections: 'group' },
    outcome: { refused: /line 4: "KITCHEN" is crossed out, and rows below it are not/ },
  },
  {
    name: 'a block whose days are crossed out',
    file: book([DAYS, ['Ada', '9-17'], BLOCK_GONE, ['Ada', '9-17']]),
    options: { group: 'Bar' },
    outcome: { refused: /line 3: this row of days is crossed out, and rows below it are not/ },
  },
  {
    name: 'a block whose days without dates are crossed out',
    file: book([
      ['March 2027'],
      ['Name', '6', '7'],
      ['Ada', '9-17'],
      ['April 2027'],
      ['Name', '6', '7'].map(asCrossedOut),
      ['Ada', '9-17'],
    ]),
    options: { group: 'Bar' },
    outcome: { refused: /line 5: this row of days is crossed out/ },
  },
  {
    name: 'a block of which all is crossed out',
    file: book([DAYS, ['Ada', '9-17'], BLOCK_GONE, ['Ada', '9-17'].map(asCrossedOut)]),
    options: { group: 'Bar' },
    outcome: [EARLY],
  },
];

/** As openpyxl writes it, with an empty result. */
const UNCALCULATED: MadeCell = { xml: '><f>A1</f><v></v>' };
const COLUMNS = [
  'Date',
  'Start',
  'End',
  'Team',
  'Name',
  'Location',
  'Notes',
  'Starred',
  'Status',
  'Hours',
  'Colour',
];

const FORMULAS: readonly Kind[] = [
  ...COLUMNS.map((heading, i) => ({
    name: `a workbook with a formula that was never calculated in the column ${heading}`,
    file: book([COLUMNS, [...ADA, 'Pier', 'x', 'yes', 'confirmed', '8', 'red'].with(i, UNCALCULATED)]),
    outcome: {
      refused: /"=A1" was never calculated: open the workbook in a spreadsheet program, and save it/,
    },
  })),
  ...['A2', 'B2', 'C2'].map((cell, i) => ({
    name: `a grid with a formula that was never calculated in ${cell}`,
    file: book([
      ['Name', 'Team', asDate('2027-03-06'), asDate('2027-03-07')],
      (['Ada', 'Bar', '9-17'] as MadeCell[]).with(i, UNCALCULATED),
    ]),
    outcome: { refused: /"=A1" was never calculated/ },
  })),
];

/** Nothing that most planners have. */
export const UNREADABLE_KINDS: readonly Kind[] = [...CROSSED_OUT, ...BELOW_CROSSED_OUT, ...FORMULAS];

export const WORKBOOK_KINDS: readonly Kind[] = [
  ...saying(BOTH, {
    'a workbook with typed cells': xlsx([MARCH]),
    'a workbook with other sheets': xlsx([PEOPLE, MARCH]),
    'a workbook with other sheets and shifts below many empty rows': xlsx([
      PEOPLE,
      { name: 'March', rows: [...Array.from({ length: 200 }, () => []), ...ROWS] },
    ]),
    'a workbook with a hidden sheet': xlsx([MARCH, { ...MARCH, name: 'Old', isHidden: true }]),
    'a workbook with formulas, inline texts and lengths': book([
      ['Date', 'Start', 'Hours', 'Team', 'Name'],
      [
        asDate('2027-03-06'),
        9,
        { xml: ' s="4"><f>B2*1</f><v>0.333333333333333</v>' },
        { xml: ' t="str"><f>A1</f><v>Bar</v>' },
        { xml: ' t="inlineStr"><is><r><t>A</t></r><r><t>da</t></r><rPh><t>x</t></rPh></is>' },
      ],
      [asDate('2027-03-07'), '18:30', 6.5, 'Bar', 'Bo'],
    ]),
    'a workbook with a staff list that has dates, and an empty template': xlsx([
      MARCH,
      {
        name: 'Staff',
        rows: [
          ['Name', 'Team', 'Start date'],
          ['Ada', 'Bar', asDate('2020-01-01')],
        ],
      },
      { name: 'Template', rows: [HEAD] },
    ]),
  }),
  ...saying([EARLY], {
    'a workbook of an old Mac': xlsx(
      [
        {
          name: 'A',
          rows: [
            HEAD,
            [
              { xml: ` s="1"><v>${serial('2027-03-06') - 1_462}</v>` },
              asTime('09:00'),
              asTime('17:00'),
              'Bar',
              'Ada',
            ],
          ],
        },
      ],
      { has1904Dates: true },
    ),
    'a workbook with dates and times together': book([
      ['Start', 'End', 'Team', 'Name'],
      [asBoth('2027-03-06', '09:00'), asBoth('2027-03-06', '17:00'), 'Bar', 'Ada'],
    ]),
    'a workbook with times of 1899': book([
      HEAD,
      [
        { xml: ' t="d"><v>2027-03-06</v>' },
        { xml: ' t="d"><v>1899-12-30T09:00:00</v>' },
        { xml: ' t="d"><v>17:00:00</v>' },
        'Bar',
        'Ada',
      ],
    ]),
    'a workbook of LibreOffice with a hidden sheet': ods(
      `<table:table table:name="A" table:style-name="ta1">${ODS_ROWS}</table:table><table:table table:name="Old" table:style-name="ta2">${ODS_ROWS}</table:table>`,
      '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>',
    ),
  }),
  {
    name: 'a workbook with two sheets of shifts',
    file: xlsx([MARCH, { ...MARCH, name: 'April' }]),
    untold: /--sheet: "March", "April"/,
    options: { sheet: 'april' },
    outcome: BOTH,
  },
  {
    name: 'a workbook with two sheets of shifts, told by number',
    file: xlsx([PEOPLE, MARCH]),
    options: { sheet: '2' },
    outcome: BOTH,
  },
  {
    name: 'a workbook with a sheet that is not there',
    file: xlsx([MARCH]),
    options: { sheet: 'May' },
    outcome: { refused: /there is no sheet "May"; the workbook has "March"/ },
  },
  {
    name: 'a workbook with merged dates, titles and totals',
    file: book(
      [
        ['Plan'],
        [],
        HEAD,
        [asDate('2027-03-06'), 9, 17, 'Bar', 'Ada'],
        ['', 10, 18, 'Bar', 'Bo'],
        ['Week 9'],
        ['Total', '', 16],
      ],
      ['A1:E1', 'A4:A5', 'A6:E6'],
    ),
    outcome: [EARLY, '2027-03-06 10:00 18:00 Bar Bo'],
  },
  {
    name: 'a workbook with a formula that failed',
    file: book([HEAD, [asDate('2027-03-06'), 9, 17, { xml: ' t="e"><v>#REF!</v>' }, 'Ada']]),
    outcome: { refused: /"#REF!" is an error of the spreadsheet/ },
  },
  {
    name: 'a workbook with parts of hours for times',
    file: book([HEAD, [asDate('2027-03-06'), 9.25, 17, 'Bar', 'Ada']]),
    outcome: { refused: /"9.25" may be hours and minutes, or a part of an hour/ },
  },
  {
    name: 'a workbook that took a name for a date',
    file: book([HEAD, [asDate('2027-03-06'), 9, 17, asDate('2027-04-03'), 'Ada']]),
    outcome: { refused: /is a date, 2027-04-03, and not a name/ },
  },
  {
    name: 'a workbook of LibreOffice',
    file: ods(
      `<table:table table:name="A">${row(HEAD.map(text).join(''))}${row(odsDate('2027-03-06', ' table:number-rows-spanned="2"') + odsTime('09:00') + odsTime('17:00') + text('Bar') + text('Ada'))}${row(`<table:covered-table-cell/>${odsTime('10:00')}${odsTime('18:00')}${text('Bar')}${text('B<text:s/>o<office:annotation><text:p>note</text:p></office:annotation>')}<table:table-cell table:number-columns-repeated="16379"/>`)}${row('<table:table-cell table:number-columns-repeated="16384"/>', ' table:number-rows-repeated="1048570"')}</table:table>`,
    ),
    outcome: [EARLY, '2027-03-06 10:00 18:00 Bar B o'],
  },
  {
    name: 'a workbook that was cut off',
    file: xlsx([MARCH]).subarray(0, 900),
    outcome: { refused: /broken, or was cut off/ },
  },
  {
    name: 'a workbook with a password in its archive',
    file: zip(
      [
        ['[Content_Types].xml', 'x'],
        ['_rels/.rels', 'x'],
      ],
      1,
    ),
    outcome: { refused: /has a password/ },
  },
  {
    name: 'a document of Numbers',
    file: zip([['Index/Document.iwa', 'x']]),
    outcome: { refused: /a document of Numbers/ },
  },
  {
    name: 'any archive',
    file: zip([['a.txt', 'x']]),
    outcome: { refused: /a zip archive, and no workbook/ },
  },
  {
    name: 'an archive with names that lead elsewhere',
    file: zip([['../content.xml', 'x']]),
    outcome: { refused: /broken/ },
  },
  {
    name: 'a workbook that declares entities',
    file: zip([
      [
        'content.xml',
        '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><a><table:table table:name="A">&b;</table:table></a>',
      ],
    ]),
    outcome: { refused: /declares a document type/ },
  },
  {
    name: 'a workbook of many spaces',
    file: ods(`<table:table table:name="A">${row(text(' '.repeat(3_000_000)))}</table:table>`),
    outcome: { refused: /a cell of more than 1,000,000 characters/ },
  },
  {
    name: 'a workbook of many equal cells',
    file: ods(
      `<table:table table:name="A">${row(text('x').replace('<table:table-cell', '<table:table-cell table:number-columns-repeated="16000"'), ' table:number-rows-repeated="1000000"')}</table:table>`,
    ),
    outcome: { refused: /row 1 is there 1,000,000 times, which is too often/ },
  },
  {
    name: 'a workbook of which a spreadsheet took days for months',
    file: book([HEAD, [asDate('2027-07-03'), 9, 17, 'Bar', 'Ada'], ['13/03/2027', 9, 17, 'Bar', 'Bo']]),
    outcome: { refused: /as when a spreadsheet takes days for months/ },
  },
  {
    name: 'a workbook with some dates as text',
    file: book([HEAD, [asDate('2027-03-06'), 9, 17, 'Bar', 'Ada'], ['7 March 2027', 18.5, 1, 'Bar', 'Bo']]),
    outcome: { refused: /"18.5" may be hours and minutes, or a part of an hour/ },
  },
  {
    name: 'a workbook with parts of days that are not formatted',
    file: book([HEAD, [asDate('2027-03-06'), 0.375, 17, 'Bar', 'Ada']]),
    outcome: { refused: /"0.375" is not a time .*if it is a part of a day, say --date-format serial/ },
  },
];
