/** Lists and values that can be meant in two ways, or that change what a row means, and what must come of each. */

import { BOTH, EARLY, type Kind, LATE, saying } from './kinds.ts';
import { asDate, book } from './make-workbook.ts';
import { STATUS_KINDS } from './status-kinds.ts';

const list = (...rows: readonly string[]) => ['Date,Start,End,Team,Name', ...rows].join('\n');
const TWELVE = list('2027-03-06,9,5,Bar,Ada', '2027-03-06,11:30,2,Bar,Bo', '2027-03-06,3,11,Bar,Cy');

const OVER_NIGHT = [
  '2026-12-31 22:00 06:00 Bar Ada until 2027-01-01',
  '2027-01-01 22:00 06:00 Bar Ada until 2027-01-02',
];

const CLOCKS: readonly Kind[] = [
  {
    name: 'a 12-hour clock without am and pm',
    file: TWELVE,
    untold: /line 2, start_time: may be 09:00 to 05:00 or 09:00 to 17:00; .* --clock 24, .* --clock 12;/,
    options: { clock: 12 },
    outcome: [
      '2027-03-06 09:00 17:00 Bar Ada',
      '2027-03-06 11:30 14:00 Bar Bo',
      '2027-03-06 15:00 23:00 Bar Cy',
    ],
  },
  {
    name: 'nights that look like a 12-hour clock',
    file: TWELVE,
    options: { clock: 24 },
    outcome: [
      '2027-03-06 09:00 05:00 Bar Ada',
      '2027-03-06 11:30 02:00 Bar Bo',
      '2027-03-06 03:00 11:00 Bar Cy',
    ],
  },
  {
    name: 'a grid of a 12-hour clock',
    file: 'Name,Team,Mon 8 Mar 2027,Tue 9 Mar 2027\nAda,Bar,11-2,3-11\n',
    untold: /cell C2: may be 11:00 to 02:00 or 11:00 to 14:00; .*--clock/,
    options: { clock: 12 },
    outcome: ['2027-03-08 11:00 14:00 Bar Ada', '2027-03-09 15:00 23:00 Bar Ada'],
  },
  {
    name: 'early starts that may be in the afternoon',
    file: list('2027-03-06,3:00,11:00,Bar,Ada'),
    untold: /may be 03:00 to 11:00 or 15:00 to 23:00/,
    options: { clock: 24 },
    outcome: ['2027-03-06 03:00 11:00 Bar Ada'],
  },
  {
    name: 'shifts that may be in the morning or in the evening',
    file: 'Date,Time,Team,Name\n2027-03-06,7-11,Bar,Ada\n2027-03-07,6:30-11,Bar,Bo\n',
    untold:
      /^line 2, times: may be 07:00 to 11:00 or 19:00 to 23:00; if the sheet has a 24-hour clock, say --clock 24; else write am and pm$/,
    options: { clock: 24 },
    outcome: ['2027-03-06 07:00 11:00 Bar Ada', '2027-03-07 06:30 11:00 Bar Bo'],
  },
  {
    name: 'mornings as a program writes them',
    file: list('2027-03-06,07:00,11:00,Bar,Ada'),
    outcome: ['2027-03-06 07:00 11:00 Bar Ada'],
  },
  {
    name: 'am and pm elsewhere in the sheet',
    file: list('2027-03-06,9a,5p,Bar,Ada', '2027-03-07,8,12,Bar,Bo'),
    outcome: { refused: /line 3, start_time: may be 08:00 to 12:00 or 20:00 to 00:00; / },
  },
  {
    name: 'a 12-hour clock on which mornings look like evenings',
    file: list('2027-03-06,9,5,Bar,Ada', '2027-03-07,7,11,Bar,Bo'),
    options: { clock: 12 },
    outcome: { refused: /line 3, start_time: may be 07:00 to 11:00 or 19:00 to 23:00: write am and pm/ },
  },
  {
    name: 'a 12-hour clock and three shifts a day',
    file: 'Date,Time,Team,Name\n2027-03-06,7-3,Bar,Ada\n2027-03-06,3-11,Bar,Bo\n2027-03-06,11-7,Bar,Cy\n',
    options: { clock: 12 },
    outcome: { refused: /line 4, times: may be 11:00 to 19:00 or 23:00 to 07:00: write am and pm/ },
  },
  {
    name: 'shifts of twelve hours on a 12-hour clock',
    file: list('2027-03-06,7,7,Bar,Ada'),
    options: { clock: 12 },
    outcome: { refused: /may be 07:00 to 19:00 or 19:00 to 07:00/ },
  },
  {
    name: 'a 12-hour clock, until midnight',
    file: list('2027-03-06,9,midnight,Bar,Ada'),
    options: { clock: 12 },
    outcome: ['2027-03-06 21:00 00:00 Bar Ada'],
  },
  {
    name: 'nights beside days that show a 24-hour clock',
    file: list('2027-03-06,9,17,Bar,Ada', '2027-03-07,10,6,Bar,Bo'),
    outcome: [EARLY, '2027-03-07 10:00 06:00 Bar Bo'],
  },
  {
    name: 'ends whose date is another',
    file: 'Date,Start,End date,End,Team,Name\n2027-03-06,9:00,2027-03-07,5:00,Bar,Ada\n',
    outcome: ['2027-03-06 09:00 05:00 Bar Ada'],
  },
  {
    name: 'hours that contradict start and end',
    file: 'Date,Start,End,Hours,Team,Name\n2027-03-06,9:00,17:00,7.5,Bar,Ada\n2027-03-07,10:00,14:00,8,Bar,Bo\n',
    outcome: { refused: /^line 3, hours: "8" is not how long 10:00 to 14:00 is; correct one of them/ },
  },
  {
    name: 'hours that show a 12-hour clock',
    file: 'Date,Start,End,Hours,Team,Name\n2027-03-06,09:00,12:00,3,Bar,Ada\n2027-03-07,11:00,07:00,8,Bar,Bo\n',
    options: { clock: 24 },
    outcome: { refused: /"8" is not how long 11:00 to 07:00 is; .* say --clock 12/ },
  },
  {
    name: 'hours with breaks, as parts of a day, and none',
    file: 'Date,Start,End,Hours,Team,Name\n2027-03-06,9:00,17:00,7:30,Bar,Ada\n2027-03-07,18:30,1:00,0.270833,Bar,Bo\n2027-03-08,9:00,17:00,,Bar,Ada',
    outcome: [...BOTH, '2027-03-08 09:00 17:00 Bar Ada'],
  },
  {
    name: 'ends after midnight that count on',
    file: list('2027-03-06,9:00,17:00,Bar,Ada', '2027-03-07,18:30,25:00,Bar,Bo'),
    outcome: BOTH,
  },
  {
    name: 'an end that counts on too far',
    file: list('2027-03-06,1:00,26:00,Bar,Ada'),
    outcome: { refused: /end_time: 26:00 is more than 24 hours after the start/ },
  },
];

/** Columns that are not read, and what they hold beside two shifts. */
const LEFT_OUT: readonly Kind[] = Object.entries({
  Buddy: ['names of people', '', 'Ada'],
  'Bis Datum': ['dates', '2027-03-07', ''],
  'Scheduled In': ['times', '08:45', '18:30'],
  Days: ['weekdays', 'Mon–Fri', 'Sat, Sun'],
  Filled: ['yes and no, which may say whether a shift counts', 'Yes', 'no'],
  Tables: ['small numbers, which may say how often a shift is there', '3', '1'],
  '2nd person': ['names of people', '', 'Cy'],
  'Second person': ['what may change a shift', '', 'Cy'],
  'Next day': ['what may change a shift', '', 'yes'],
}).map(([heading, [what, one, other]]) => ({
  name: `a column ${heading}, which holds ${what} and is not read`,
  file: `Date|Start|End|Team|Name|${heading}\n2027-03-06|9:00|17:00|Bar|Ada|${one}\n2027-03-07|18:30|1:00|Bar|Bo|${other}\n`,
  untold: new RegExp(
    `^line 1, ${heading}: holds ${what}, and is not read: ".*leave it out with --ignore-columns`,
  ),
  options: { ignoredColumns: [heading] },
  outcome: BOTH,
}));

const TOLD: readonly Kind[] = [
  ...LEFT_OUT,
  ...saying(BOTH, {
    'columns of texts, numbers of rows and weeks, and pay':
      '#,Week,Rate,Colour,Date,Start,End,Team,Name\n1,9,12.50,red,2027-03-06,9:00,17:00,Bar,Ada\n2,9,7.30,Ada likes it,2027-03-07,18:30,1:00,Bar,Bo\n',
  }),
  {
    name: 'a carer beside the name of who is cared for',
    file: 'Date,Start,End,Team,Name,Carer\n2027-03-06,9:00,17:00,Bar,Mrs Smith,Ada\n',
    untold: /^line 1, Name: holds names of people, and is not read: "Mrs Smith"; .* --ignore-columns Name/,
    options: { ignoredColumns: ['Name'] },
    outcome: [EARLY],
  },
  {
    name: 'a column without a heading that holds names of people',
    file: 'Date,Start,End,Team,Name,\n2027-03-06,9:00,17:00,Bar,Ada,\n2027-03-07,9:00,17:00,Bar,Bo,Ada\n',
    outcome: {
      refused: /^cell F1: holds names of people, and is not read: "Ada"; give the column a heading/,
    },
  },
];

const ADA = '2027-03-06 09:00 17:00 Bar Ada';
const BO = '2027-03-06 09:00 17:00 Bar Bo';
const named = (name: string) => `Date|Start|End|Team|Name\n2027-03-06|9|17|Bar|"${name}"\n`;

const PEOPLE: readonly Kind[] = [
  ...Object.entries({
    ';': 'Ada; Bo',
    ',': 'Ada, Bo',
    '/': 'Ada/Bo',
    '&': 'Ada & Bo',
    '+': 'Ada + Bo',
    newline: 'Ada\nBo',
    und: 'Ada und Bo',
    en: 'Ada en Bo',
    et: 'Ada et Bo',
    and: 'Ada and Bo',
    og: 'Ada og Bo',
    oraz: 'Ada oraz Bo',
    i: 'Ada i Bo',
    y: 'Ada y Bo',
    e: 'Ada e Bo',
    a: 'Ada a Bo',
  }).map(([separator, name]) => ({
    name: `two people with ${separator} in a cell`,
    file: named(name),
    untold: new RegExp(`--people-separator "${separator.replace('+', '\\+')}" for several`),
    options: { peopleSeparators: [separator] },
    outcome: [ADA, BO],
  })),
  ...Object.entries({ and: 'Ada AND Bo', und: 'ADA UND BO', oraz: 'Ada Oraz Bo', y: 'ADA Y BO' }).map(
    ([separator, name]) => ({
      name: `two people with ${separator} in capitals in a cell: ${name}`,
      file: named(name),
      untold: new RegExp(`--people-separator "${separator}" for several`),
      options: { peopleSeparators: [separator] },
      outcome: name.split(' ').flatMap((word, i) => (i === 1 ? [] : `2027-03-06 09:00 17:00 Bar ${word}`)),
    }),
  ),
  {
    name: 'two people that are told to be one name',
    file: named('Ada & Bo'),
    options: { peopleSeparators: ['none'] },
    outcome: ['2027-03-06 09:00 17:00 Bar Ada & Bo'],
  },
  {
    name: 'two people, separated in two ways of which one was told',
    file: `${named('Ada; Bo')}2027-03-07|9|17|Bar|Cy / Di\n`,
    options: { peopleSeparators: [';'] },
    outcome: {
      refused:
        /^line 3, person: "Cy \/ Di" may be .* --people-separator "; \/" for several, or --people-separator "; none" for one$/,
    },
  },
  {
    name: 'two people with two shifts each',
    file: 'Date,Time,Team,Name\n2027-03-06,9-12 / 14-18,Bar,Ada + Bo\n',
    options: { peopleSeparators: ['+'] },
    outcome: [
      '2027-03-06 09:00 12:00 Bar Ada',
      '2027-03-06 14:00 18:00 Bar Ada',
      '2027-03-06 09:00 12:00 Bar Bo',
      '2027-03-06 14:00 18:00 Bar Bo',
    ],
  },
  {
    name: 'two shifts in Spanish, with a word that is "and" in Czech',
    file: 'Fecha,Hora,Equipo,Nombre\n2027-03-06,9:00 a 13:00 y 15:00 a 19:00,Bar,Ada\n',
    outcome: ['2027-03-06 09:00 13:00 Bar Ada', '2027-03-06 15:00 19:00 Bar Ada'],
  },
  {
    name: 'two people in a row with an id',
    file: 'ID,Date,Start,End,Team,Name\n7,2027-03-06,9:00,17:00,Bar,Ada; Bo\n',
    options: { peopleSeparators: [';'] },
    outcome: { refused: /a row with an id is one shift/ },
  },
  {
    name: 'one name with a sign in an export',
    file: 'id,date,start_time,end_time,group,person\n7,2027-03-06,9:00,17:00,Bar,Ada & Bo\n',
    outcome: [`${ADA} & Bo`],
  },
  {
    name: 'two people in the first column of a grid',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda & Bo,Bar,9-17,\n',
    untold: /cell C2, person: "Ada & Bo" may be several people/,
    options: { peopleSeparators: ['&'] },
    outcome: [ADA, BO],
  },
  {
    name: 'last names before first names in the whole column',
    file: list(
      ...['Byron, Ada', 'Lee, Bo', 'Lee, Cy', 'Ek, Di'].map((name) => `2027-03-06,9,17,Bar,"${name}"`),
    ),
    outcome: ['Byron, Ada', 'Lee, Bo', 'Lee, Cy', 'Ek, Di'].map(
      (name) => `2027-03-06 09:00 17:00 Bar ${name}`,
    ),
  },
  {
    name: 'pairs of people in the whole column',
    file: list(...['Ada, Bo', 'Bo, Cy', 'Cy, Di', 'Di, Ed'].map((name) => `2027-03-06,9,17,Bar,"${name}"`)),
    outcome: { refused: /line 2, person: "Ada, Bo" may be several people/ },
  },
  {
    name: 'an initial between two names',
    file: named('Ada A Byron'),
    outcome: ['2027-03-06 09:00 17:00 Bar Ada A Byron'],
  },
  {
    name: 'an initial between two names, where the same small letter separates people',
    file: `${named('Ada a Bo')}2027-03-07|9|17|Bar|Cy A Byron\n`,
    options: { peopleSeparators: ['a'] },
    outcome: [ADA, BO, '2027-03-07 09:00 17:00 Bar Cy A Byron'],
  },
  ...[
    'OPEN',
    'Open shift',
    'OpenShift',
    'Unassigned',
    'TBD',
    'N.N.',
    'vacant',
    'vrij',
    'offen',
    '-',
    '?',
    'n/a',
    'NaN',
  ].map((word) => ({
    name: `${word} for nobody`,
    file: named(word),
    outcome: ['2027-03-06 09:00 17:00 Bar '],
  })),
  {
    name: 'people who are called like nobody',
    file: list('2027-03-06,9,17,Bar,Nan', '2027-03-06,9,17,Bar,Na'),
    outcome: ['2027-03-06 09:00 17:00 Bar Nan', '2027-03-06 09:00 17:00 Bar Na'],
  },
  ...[
    'Ada (till 14)',
    'Ada 16-23',
    'Ada ab 10',
    'Ada 9:30',
    'Ada (sick)',
    'Ada - krank',
    'Krank: Ada',
    'Ada -> Bo',
    'Ada?',
  ].map((name) => ({
    name: `${name}, which is more than a name`,
    file: named(name),
    untold:
      /^line 2, person: ".*Ada.*" may be more than a name, or no name; say who is meant with --people ".*=NAME", .*$/,
    options: { peopleSeparators: ['none'] },
    outcome: [`2027-03-06 09:00 17:00 Bar ${name}`],
  })),
  {
    name: 'several columns of people',
    file: 'Date,Start,End,Team,Employee 1,Employee 2\n2027-03-06,9:00,17:00,Bar,Ada,Bo\n',
    outcome: {
      refused:
        /^line 1, Employee 1: there are several columns that may be of people, "Employee 1" and "Employee 2"; .* write a row for each; .*$/,
    },
  },
  {
    name: 'a row of a grid for nobody',
    file: 'Name,Team,2027-03-06,2027-03-07\nOpen shifts,Bar,9-17,\n',
    outcome: ['2027-03-06 09:00 17:00 Bar '],
  },
  {
    name: 'a row of opening hours in a grid',
    file: 'Name,Team,2027-03-06,2027-03-07\nOpening hours,Bar,9-17,\nAda,Bar,9-17,\n',
    untold: /cell C2, person: "Opening hours" may be more than a name, or no name/,
    options: { statuses: new Map([['Opening hours', 'none']]) },
    outcome: [ADA],
  },
];

const withIds = (...rows: readonly (readonly [string, string])[]) =>
  ['ID,Date,Start,End,Team,Name', ...rows.map(([id, name]) => `${id},2027-03-06,9,17,Bar,${name}`)].join(
    '\n',
  );

const IDS: readonly Kind[] = [
  {
    name: 'ids that may be staff numbers',
    file: withIds(['7', 'Ada'], ['8', 'Bo']),
    untold: /line 2, ID: stands beside one person each; .* --ignore-columns ID; .* --columns id=ID/,
    options: { ignoredColumns: ['ID'] },
    outcome: [ADA, BO],
  },
  {
    name: 'ids that are told to be of shifts',
    file: withIds(['7', 'Ada'], ['8', 'Bo']),
    options: { columnNames: new Map([['id', 'ID']]) },
    outcome: [ADA, BO],
  },
  {
    name: 'ids that are staff numbers',
    file: withIds(['7', 'Ada'], ['8', 'Bo'], ['7', 'Ada']),
    outcome: {
      refused: /line 4, ID: repeats the one of its person; if it is a staff number, say --ignore-columns ID$/,
    },
  },
  { name: 'ids of shifts', file: withIds(['7', 'Ada'], ['8', 'Bo'], ['9', 'Ada']), outcome: [ADA, BO, ADA] },
  {
    name: 'ids of an export',
    file: 'id,date,start_time,end_time,group,person\n7,2027-03-06,9:00,17:00,Bar,Ada\n8,2027-03-06,9:00,17:00,Bar,Bo\n',
    outcome: [ADA, BO],
  },
];

const HEADINGS: readonly Kind[] = [
  {
    name: 'a number of the employee beside both names',
    file: 'Employee ID,First name,Last name,Date,Start,End,Team\n7,Ada,,2027-03-06,9,17,Bar\n',
    outcome: [EARLY],
  },
  {
    name: 'people under a heading of another language',
    file: 'Date,Start,End,Team,Dolgozó\n2027-03-06,9,17,Bar,Ada\n',
    untold:
      /line 1, "Dolgozó": there is no column for people, .* --columns "person=Dolgozó", or --ignore-columns "Dolgozó"/,
    options: { columnNames: new Map([['person', 'Dolgozó']]) },
    outcome: [EARLY],
  },
  {
    name: 'groups across, with names in their cells',
    file: 'Date,Time,Kitchen,Bar\n2027-03-06,9-17,Ada,Bo\n',
    outcome: {
      refused:
        /no column "group" or "person", and there are names under "Kitchen", "Bar"; .* a row for each shift/,
    },
  },
  {
    name: 'groups once in a grid, with several shifts in a row',
    file: 'Team,Name,2027-03-06,2027-03-07\nBar,Cy,9-17,9-17\n,Ada,9-17,\n',
    outcome: { refused: /cell C3, group: is empty; if it is as the one above, say --fill-down group/ },
  },
  {
    name: 'a shift below an empty heading of a grid',
    file: 'Name,Team,2027-03-06,,2027-03-08,2027-03-09\nAda,Bar,9-17,9-17,,\n',
    outcome: { refused: /^cell D2: "9-17" stands under no heading/ },
  },
];

const WITHOUT_NEED: readonly Kind[] = [
  ...saying([EARLY.replace('17:00', '12:00'), EARLY.replace('09:00', '14:00'), LATE], {
    'the number of a shift before its start and end':
      'Name,Date,Shift 1 start,Shift 1 end,Shift 2 start,Shift 2 end,Team\nAda,2027-03-06,9:00,12:00,14:00,17:00,Bar\nBo,2027-03-07,18:30,1:00,,,Bar\n',
  }),
  ...saying(BOTH, {
    'totals that begin with the name of their person':
      'Name,Date,Start,End,Team,Hours\nAda,2027-03-06,9:00,17:00,Bar,8\nTotal Ada,,,,,8\nBo,2027-03-07,18:30,1:00,Bar,6.5\nSubtotal of Bo,,,,,6.5\n',
    'dates as programs write them':
      'Date,Start,End,Team,Name\n2027-03-06T00:00:00.000Z,9:00,17:00,Bar,Ada\n2027-03-07T00:00:00Z,18:30,1:00,Bar,Bo\n',
    'lengths in minutes':
      'Date,Start,Duration,Team,Name\n2027-03-06,9:00,480,Bar,Ada\n2027-03-07,18:30,390,Bar,Bo\n',
    'lengths in words':
      'Date,Start,Duration,Team,Name\n2027-03-06,9:00,480 min,Bar,Ada\n2027-03-07,18:30,6h30,Bar,Bo\n',
    'weekdays that agree':
      'Day,Date,Start,End,Team,Name\nSat,2027-03-06,9:00,17:00,Bar,Ada\nSun,7.3.2027,18:30,1:00,Bar,Bo\n',
  }),
  ...saying(['2027-03-06 09:30 17:45 Bar Ada', '2027-03-07 18:00 01:15 Bar Bo'], {
    'times as parts of an hour': list('2027-03-06,9.5,17.75,Bar,Ada', '2027-03-07,18,1.25,Bar,Bo'),
    'times as parts of an hour with a comma':
      'Datum;Von;Bis;Team;Name\n6.3.2027;9,5;17,75;Bar;Ada\n7.3.2027;18,00;1,25;Bar;Bo\n',
    'times as parts of an hour in a workbook': book([
      ['Date', 'Start', 'End', 'Team', 'Name'],
      [asDate('2027-03-06'), 9.5, 17.75, 'Bar', 'Ada'],
      [asDate('2027-03-07'), 18, 1.25, 'Bar', 'Bo'],
    ]),
  }),
  {
    name: 'times that may be parts of an hour',
    file: list('2027-03-06,9.5,17.5,Bar,Ada'),
    outcome: {
      refused:
        /^line 2, start_time: "9.5" may be hours and minutes, or a part of an hour: write times such as 9:30$/m,
    },
  },
  {
    name: 'parts of an hour beside minutes',
    file: list('2027-03-06,9.75,17.25,Bar,Ada', '2027-03-07,9.30,17.5,Bar,Bo'),
    outcome: { refused: /^line 2, start_time: "9.75" may be hours and minutes, or a part of an hour/ },
  },
  {
    name: 'lengths in hours and in minutes',
    file: 'Date,Start,Duration,Team,Name\n2027-03-06,9:00,480,Bar,Ada\n2027-03-07,18:30,6,Bar,Bo\n',
    outcome: { refused: /the lengths are not written in one way, see "480" and "6"/ },
  },
  {
    name: 'two shifts with a space between them',
    file: 'Date,Time,Team,Name,Hours\n2027-03-06,9-12 13-17,Bar,Ada,7\n',
    outcome: ['2027-03-06 09:00 12:00 Bar Ada', '2027-03-06 13:00 17:00 Bar Ada'],
  },
  ...saying([ADA, '2027-03-07 09:00 17:00 Bar Ada', '2027-03-08 09:00 17:00 Bar Bo'], {
    'ditto marks': list(
      '2027-03-06,9,17,Bar,Ada',
      '2027-03-07,"""","""","""",""""',
      '2027-03-08,〃,〃,〃,Bo',
    ),
    'ditto in words': list(
      '2027-03-06,9,17,Bar,Ada',
      '2027-03-07,dito,idem,Ditto,"""',
      '2027-03-08,9,17,Bar,Bo',
    ).replace('"""', '〃'),
  }),
  {
    name: 'a ditto mark below nothing',
    file: list('2027-03-06,9,17,Bar,dito'),
    outcome: { refused: /line 2, person: "dito" repeats the cell above/ },
  },
  {
    name: 'a ditto mark for a person of a grid',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda,Bar,9-17,\n〃,Bar,,9-17\n',
    outcome: { refused: /cell D3, person: "〃" repeats the cell above/ },
  },
  {
    name: 'quotes that stand alone in two rows between tabs',
    file: 'Date\tStart\tEnd\tTeam\tName\n2027-03-06\t9\t17\tBar\t"Ada\n2027-03-07\t9\t17\tBar\tBo\n2027-03-08\t9\t17\t"\tCy\n',
    outcome: { refused: /line 2: a quote opens in this row and takes the next one in/ },
  },
  {
    name: 'dates without a year over the turn of the year',
    file: 'Datum;Von;Bis;Team;Name\n31.12.;9;17;Bar;Ada\n01.01.;9;17;Bar;Ada\n31.12.;9;17;Bar;Bo\nFr 01.01.;9;17;Bar;Bo\n',
    options: { year: 2026 },
    outcome: ['2026-12-31', '2027-01-01', '2026-12-31', '2027-01-01'].map(
      (day, i) => `${day} 09:00 17:00 Bar ${i < 2 ? 'Ada' : 'Bo'}`,
    ),
  },
  {
    name: 'dates and times without a year over the turn of the year',
    file: 'Beginn;Ende;Team;Name\n31.12. 22:00;01.01. 06:00;Bar;Ada\n01.01. 22:00;02.01. 06:00;Bar;Ada\n',
    options: { year: 2026 },
    outcome: OVER_NIGHT,
  },
  {
    name: 'end dates without a year over the turn of the year',
    file: 'Datum;Beginn;Enddatum;Ende;Team;Name\n31.12.;22:00;1.1.;6:00;Bar;Ada\n1.1.;22:00;2.1.;6:00;Bar;Ada\n',
    options: { year: 2026 },
    outcome: OVER_NIGHT,
  },
  {
    name: 'dates without a year around its turn, of which nobody knows the order',
    file: 'Datum;Von;Bis;Team;Name\n01.01.;9;17;Bar;Ada\n31.12.;9;17;Bar;Bo\n',
    options: { year: 2026 },
    outcome: { refused: /line 2, date: it is not clear which dates are in the next year/ },
  },
  {
    name: 'dates without a year from its beginning to its end',
    file: 'Datum;Von;Bis;Team;Name\n02.01.;9;17;Bar;Ada\n01.06.;9;17;Bar;Ada\n31.12.;9;17;Bar;Ada\n',
    options: { year: 2027 },
    outcome: ['2027-01-02', '2027-06-01', '2027-12-31'].map((day) => `${day} 09:00 17:00 Bar Ada`),
  },
  {
    name: 'two pairs of times in a row',
    file: 'Date,Start,End,Start 2,End 2,Team,Name\n2027-03-06,9:00,12:00,13:00,17:00,Bar,Ada\n2027-03-07,,,18:30,1:00,Bar,Bo\n2027-03-08,9:00,12:00,,,Bar,Cy\n',
    outcome: [
      '2027-03-06 09:00 12:00 Bar Ada',
      '2027-03-06 13:00 17:00 Bar Ada',
      '2027-03-07 18:30 01:00 Bar Bo',
      '2027-03-08 09:00 12:00 Bar Cy',
    ],
  },
  {
    name: 'numbered pairs of times',
    file: 'Datum;Von 1;Bis 1;Von 2;Bis 2;Team;Name\n6.3.2027;9:00;12:00;13:00;17:00;Bar;Ada\n',
    outcome: ['2027-03-06 09:00 12:00 Bar Ada', '2027-03-06 13:00 17:00 Bar Ada'],
  },
  {
    name: 'two pairs of times under equal headings',
    file: 'Date,In,Out,In,Out,Team,Name\n2027-03-06,9:00,12:00,13:00,17:00,Bar,Ada\n',
    outcome: {
      refused:
        /^line 1, In: there are two columns for start_time; if it is of a second shift, call it "In 2"\nline 1, Out: .* "Out 2"$/,
    },
  },
  {
    name: 'two pairs of times as a refusal advises',
    file: 'Date,In,Out,In 2,Out 2,Team,Name\n2027-03-06,9:00,12:00,13:00,17:00,Bar,Ada\n',
    outcome: ['2027-03-06 09:00 12:00 Bar Ada', '2027-03-06 13:00 17:00 Bar Ada'],
  },
  {
    name: 'a second start without its end',
    file: 'Date,Start,End,Start 2,Team,Name\n2027-03-06,9:00,12:00,13:00,Bar,Ada\n',
    outcome: { refused: /line 1, Start 2: there is no end with the same number/ },
  },
  {
    name: 'a second pair of which one is missing',
    file: 'Date,Start,End,Start 2,End 2,Team,Name\n2027-03-06,9:00,12:00,13:00,,Bar,Ada\n',
    outcome: { refused: /cell D2, end_time: is empty/ },
  },
  {
    name: 'a weekday that contradicts an ISO date',
    file: 'Day,Date,Start,End,Team,Name\nSat,2027-03-06,9:00,17:00,Bar,Ada\nMon,2027-03-07,18:30,1:00,Bar,Bo\n',
    outcome: { refused: /line 3, date: 2027-03-07 is not a "Mon", which stands beside it/ },
  },
  {
    name: 'a weekday that contradicts a date with dots',
    file: 'Tag;Datum;Von;Bis;Team;Name\nMontag;6.3.2027;9:00;17:00;Bar;Ada\n',
    outcome: { refused: /line 2, date: 2027-03-06 is not a "Montag"/ },
  },
];

const BLOCK =
  'Date,Start,End,Team\nADA,2027-03-06,9:00,17:00,Bar\n,2027-03-07,9:00,17:00,Bar\nBO,2027-03-07,18:30,1:00,Bar\n';
const SUNDAY = '2027-03-07 09:00 17:00 Bar';

/** Names that begin the rows of a block stand only in its first row. */
const BLOCKS: readonly Kind[] = [
  {
    name: 'people who stand only in the first row of their block',
    file: `Name,${BLOCK}`.replace('ADA', 'Ada').replace('BO', 'Bo'),
    untold: /^line 3, person: is empty below "Ada": .* --fill-down person; .* --fill-down none$/,
    options: { fillDown: ['person'] },
    outcome: [EARLY, `${SUNDAY} Ada`, LATE],
  },
  {
    name: 'open shifts below those of people who begin the rows',
    file: `Name,${BLOCK}`.replace('ADA', 'Ada').replace('BO', 'Bo'),
    options: { fillDown: ['none'] },
    outcome: [EARLY, `${SUNDAY} `, LATE],
  },
  {
    name: 'locations that stand only in the first row of their block',
    file: `Location,${BLOCK}`,
    untold: /^line 3, location: is empty below "ADA": .* --fill-down location; /,
    options: { fillDown: ['location'] },
    outcome: [EARLY.replace('Ada', ''), `${SUNDAY} `, LATE.replace('Bo', '')],
  },
  {
    name: 'an open shift below a person who is repeated',
    file: `Name,${BLOCK}`.replace('ADA', 'Ada').replace('BO', 'Ada'),
    outcome: [EARLY, `${SUNDAY} `, LATE.replace('Bo', 'Ada')],
  },
];

const GROUPED = 'Team,Datum,Von,Bis,Name,Stunden';
const NAMED = 'Name,Datum,Von,Bis,Team,Stunden';
const BO_LATER = '2027-03-07 09:00 17:00 Bar Bo';

/** What is left out counts for none of the rows below it, unless it is a name that stands above them. */
const FILLED: readonly Kind[] = [
  ...Object.entries({ 'a week': 'KW 10,,,,,', 'a total': 'Summe,,,,,8', headings: GROUPED }).map(
    ([what, between]) => ({
      name: `groups that are not repeated, with ${what} between the rows`,
      file: `${GROUPED}\nBar,6.3.2027,9:00,17:00,Ada,8\n${between}\n,7.3.2027,9:00,17:00,Bo,8\n`,
      untold: /line 4, group: is empty; if it is as the one above, say --fill-down group/,
      options: { fillDown: ['group'] as const },
      outcome: [EARLY, BO_LATER],
    }),
  ),
  {
    name: 'people who are not repeated, with a total between the rows',
    file: `${NAMED}\nAda,6.3.2027,9:00,17:00,Bar,8\nSumme,,,,,8\n,7.3.2027,9:00,17:00,Bar,8\n`,
    options: { fillDown: ['person'] },
    outcome: [EARLY, BO_LATER.replace('Bo', 'Ada')],
  },
  {
    name: 'people who stand beside their sum, above their rows',
    file: `${NAMED}\nAda,,,,,8\n,6.3.2027,9:00,17:00,Bar,8\nBo,,,,,8\n,7.3.2027,9:00,17:00,Bar,8\n`,
    options: { fillDown: ['person'] },
    outcome: [EARLY, BO_LATER],
  },
  {
    name: 'groups that stand alone above their rows',
    file: `${GROUPED}\nKitchen,,,,,\n,6.3.2027,9:00,17:00,Ada,8\nBar,,,,,\n,7.3.2027,9:00,17:00,Bo,8\n`,
    options: { fillDown: ['group'] },
    outcome: [EARLY.replace('Bar', 'Kitchen'), BO_LATER],
  },
  {
    name: 'days that stand alone above their rows',
    file: 'Date,Start,End,Team,Name\n2027-03-06,,,,\n,9:00,17:00,Bar,Ada\n2027-03-07,,,,\n,9:00,17:00,Bar,Bo\n',
    options: { fillDown: ['date'] },
    outcome: [EARLY, BO_LATER],
  },
  ...['Summe,,8,8', 'KW 10,,,'].map((between) => ({
    name: `a roster with groups that are not repeated, and ${between}`,
    file: `Team,Name,2027-03-06,2027-03-07\nBar,Ada,9-17,\n${between}\n,Bo,,9-17\n`,
    options: { fillDown: ['group'] as const },
    outcome: [EARLY, BO_LATER],
  })),
  {
    name: 'a roster whose groups begin beside what is needed in them',
    file: 'Team,Name,2027-03-06,2027-03-07\nKitchen,Needed,1,1\n,Ada,9-17,\nBar,Needed,1,1\n,Bo,,9-17\n',
    options: { fillDown: ['group'] },
    outcome: [EARLY.replace('Bar', 'Kitchen'), BO_LATER],
  },
  {
    name: 'groups with a number or a month in their names, alone above their rows',
    file: `${GROUPED}\nSet 2,,,,,\n,6.3.2027,9:00,17:00,Ada,8\nMesse März 2027,,,,,\n,7.3.2027,9:00,17:00,Bo,8\n`,
    options: { fillDown: ['group'] },
    outcome: [EARLY.replace('Bar', 'Set 2'), BO_LATER.replace('Bar', 'Messe März 2027')],
  },
  {
    name: 'a grid of names in which a column of no names is to be filled',
    file: 'Team,Shift,2027-03-06,2027-03-07\nBar,9-17,Ada,Bo\nBar,10-18,Cy,\n',
    options: { fillDown: ['person'] },
    outcome: [EARLY, BO_LATER, '2027-03-06 10:00 18:00 Bar Cy'],
  },
  {
    name: 'open shifts of a grid in which second lines of people are filled',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda,Bar,9-17,\n,Bar,,18-20\noffen,Bar,,9-17\n',
    options: { fillDown: ['person'] },
    outcome: [EARLY, '2027-03-07 18:00 20:00 Bar Ada', '2027-03-07 09:00 17:00 Bar '],
  },
  {
    name: 'people across, with a day on which nobody works above one that is not repeated',
    file: 'Date,Team,Ada,Bo\n2027-03-06,Bar,9-17,\n2027-03-07,Bar,,\n,Bar,,9-17\n',
    options: { fillDown: ['date'] },
    outcome: [EARLY, BO_LATER],
  },
];

/** What stands in a column is looked at before what its heading resembles. */
const TIMED: readonly Kind[] = [
  {
    name: 'times under a heading of groups in another language',
    file: 'Date,Service,Start,End,Name\n2027-03-06,10:30,9:00,17:00,Ada\n',
    outcome: { refused: /^line 2, group: is a time, 10:30, and not a name$/ },
  },
  {
    name: 'times under two unknown headings, of which one resembles that of the address',
    file: 'Date,Call,Wrap,Team,Name\n2027-03-06,9:00,17:00,Bar,Ada\n',
    untold:
      /start_time"; "Call" holds times: .* start_time=Call\n.*end_time"; "Wrap" holds .* end_time=Wrap$/,
    options: {
      columnNames: new Map([
        ['start_time', 'Call'],
        ['end_time', 'Wrap'],
      ]),
    },
    outcome: [EARLY],
  },
];

const CROSSES: readonly Kind[] = [
  ...Object.entries({
    'Date,Shift,Ada,Bo\n2027-03-06,9-17,x,\n2027-03-07,9-17,(x),X\n': /Ada: holds crosses, .*: "x", "\(x\)"/,
    'Date,Start,End,Name,Ada,Bo\n2027-03-06,9:00,17:00,,✓,\n': /Ada: holds crosses, .*: "✓"/,
    'Dia,Hora,Ana,Rui\n2027-03-06,9h-13h,sim,não\n2027-03-07,9h-13h,não,sim\n': /Rui: holds crosses, /,
    'Date,Time,Name,Door,Stage\n2027-03-06,9-17,Ada,x,\n2027-03-06,9-17,Bo,,x\n': /Stage: holds crosses, /,
  }).map(([file, refused]) => ({
    name: `crosses under ${file.split('\n')[0]}`,
    file,
    options: { group: 'Bar' },
    outcome: { refused },
  })),
  {
    name: 'crosses under the names of people',
    file: 'Date,Start,End,Ada,Bo,Cy\n2027-03-06,9:00,17:00,x,,\n2027-03-07,18:30,1:00,,X,-\n2027-03-08,9:00,17:00,,,\n',
    options: {
      group: 'Bar',
      statuses: new Map([
        ['x', 'shift'],
        ['-', 'none'],
      ]),
    },
    untold:
      /Ada: holds crosses, which may say whose a shift is, .*; if so, say --status x=shift; if it changes/,
    outcome: [EARLY, LATE, '2027-03-08 09:00 17:00 Bar '],
  },
  {
    name: 'crosses of which one was not told',
    file: 'Date,Shift,Ada,Bo\n2027-03-06,9-17,x,\n2027-03-07,9-17,(x),x\n',
    options: { group: 'Bar', statuses: new Map([['x', 'shift']]) },
    outcome: { refused: /^cell C3: "\(x\)" is another sign .*--status "\(x\)=shift"/ },
  },
  {
    name: 'crosses under one heading beside names',
    file: 'Date,Time,Team,Name,Keys\n2027-03-06,9-17,Bar,Ada,x\n',
    outcome: [EARLY],
  },
];

const LANGUAGES: readonly Kind[] = [
  {
    name: 'a short Saturday in Czech, which is a Sunday in German',
    file: 'Datum;Od;Do;Tým;Zaměstnanec\nso 6.3.2027;9:00;17:00;Bar;Ada\n',
    outcome: { refused: /that day is another weekday, .*; for a Czech Saturday, write sobota$/ },
  },
  ...saying([EARLY], {
    'a long Saturday in Czech': 'Datum;Od;Do;Tým;Zaměstnanec\nsobota 6.3.2027;9:00;17:00;Bar;Ada\n',
    Polish: 'Data;Od;Do;Zespół;Pracownik\nsobota, 6 marca 2027 r.;9:00;17:00;Bar;Ada\n',
    Czech: 'Datum;Od;Do;Tým;Zaměstnanec\nso 6. března 2027;9:00;17:00;Bar;Ada\n',
    Italian: 'Data;Inizio;Fine;Reparto;Dipendente\nsabato 6 marzo 2027;9:00;17:00;Bar;Ada\n',
    Portuguese: 'Data;Início;Fim;Equipa;Funcionário\nsábado, 6 de março de 2027;9:00;17:00;Bar;Ada\n',
    Danish: 'Dato;Fra;Til;Afdeling;Medarbejder\nlørdag 6. marts 2027;9:00;17:00;Bar;Ada\n',
    Swedish: 'Datum;Från;Till;Avdelning;Medarbetare\nlördag 6 mars 2027;9:00;17:00;Bar;Ada\n',
    Norwegian: 'Dato;Fra;Til;Avdeling;Ansatt\nlørdag 6. mars 2027;9:00;17:00;Bar;Ada\n',
    'first and last names in Italian': 'Nome;Cognome;Data;Dalle;Alle;Reparto\nAda;;6.3.2027;9:00;17:00;Bar\n',
  }),
];

export const LIST_KINDS: readonly Kind[] = [
  ...TOLD,
  ...CLOCKS,
  ...PEOPLE,
  ...STATUS_KINDS,
  ...IDS,
  ...HEADINGS,
  ...WITHOUT_NEED,
  ...BLOCKS,
  ...FILLED,
  ...TIMED,
  ...CROSSES,
  ...LANGUAGES,
];
