/**
 * Layouts that say more than one thing: weeks, two plans in one sheet, tabs and sections that are names, calendar pages,
 * several columns for a day. Each is read as it is meant, asked about, or refused.
 */

import { type Kind, saying } from './kinds.ts';
import { asDate, book, type MadeCell, xlsx } from './make-workbook.ts';

const MONDAY = '2027-03-08 09:00 17:00 Bar Ada';
const TUESDAY = '2027-03-09 10:00 18:00 Bar Bo';
const WEEK = [MONDAY, TUESDAY];
const IN_KITCHEN = ['2027-03-08 09:00 17:00 Kitchen Ada', TUESDAY];
const TWO_WEEKS = [MONDAY, '2027-03-16 10:00 18:00 Bar Bo'];
const ROWS = 'Ada,9-17,,\nBo,,10-18,\n';
const GROUP = { group: 'Bar' };

const weekly = (title: string, days = 'Mon,Tue,Wed,Thu,Fri') => `${title}\nName,${days}\n${ROWS}`;
/** A block for each of two weeks. */
const numberedWeeks = (title: string, first: string, second: string) =>
  `${title}\n${first}\nName,Mon,Tue,Wed\nAda,9-17,,\n\n${second}\nName,Mon,Tue,Wed\nBo,,10-18,\n`;
const tabs = (...sheets: readonly (readonly [string, readonly (readonly MadeCell[])[]])[]) =>
  xlsx(sheets.map(([name, rows]) => ({ name, rows })));
const codes = (...pairs: readonly (readonly [string, string])[]) => ({ codes: new Map(pairs), ...GROUP });
const statuses = (...pairs: readonly (readonly [string, 'shift' | 'none'])[]) => ({
  statuses: new Map(pairs),
  ...GROUP,
});

/** Sheets of the group Bar that are refused. */
const refused = (
  files: Readonly<Record<string, readonly [file: Kind['file'], why: RegExp, options?: Kind['options']]>>,
): readonly Kind[] =>
  Object.entries(files).map(([name, [file, why, options]]) => ({
    name,
    file,
    options: { ...GROUP, ...options },
    outcome: { refused: why },
  }));
/** Sheets of the group Bar that all say the same. */
const meaning = (
  outcome: readonly string[],
  files: Readonly<Record<string, Kind['file']>>,
): readonly Kind[] => saying(outcome, files).map((kind) => ({ ...kind, options: GROUP }));

const OVER_NEW_YEAR = ['2026-12-28 09:00 17:00 Bar Ada', '2027-01-04 09:00 17:00 Bar Ada'];
const inBlocks = (...titles: readonly string[]) =>
  titles.map((title) => `${title}\nName,Mo,Di,Mi\nAda,9-17\n`).join('');
const numberedDays = (...titles: readonly string[]) =>
  titles.map((title) => `${title}\nName,28,29,30\nAda,9-17\n`).join('');
const UNCLEAR_YEAR =
  /it is not clear whether this is in 2026 or in 2027: write the year beside each week or month$/;

/** All with `--year 2026`. */
const AT_NEW_YEAR: readonly Kind[] = [
  ...[
    ['weeks', [['KW 53'], ['Name', 'Mo', 'Di', 'Mi']], [['KW 1'], ['Name', 'Mo', 'Di', 'Mi']]] as const,
    ['months', [['Dezember'], ['Name', 28, 29, 30]], [['Januar'], ['Name', 4, 5, 6]]] as const,
    ['days', [['Name', '28.12.', '29.12.']], [['Name', '4.1.', '5.1.']]] as const,
  ].map(([name, first, second]) => ({
    name: `a tab for each of two ${name} around New Year`,
    file: tabs(['One', [...first, ['Ada', '9-17']]], ['Two', [...second, ['Ada', '9-17']]]),
    options: { ...GROUP, sheet: 'all', tabs: 'nothing' as const },
    outcome: { refused: /^sheet 2: its days are months before those of the sheet left of it/ },
  })),
  ...meaning(OVER_NEW_YEAR, {
    'numbers of weeks over New Year': inBlocks('KW 53', 'KW 1'),
    'weeks with dates over New Year': inBlocks('Woche 28.12. - 3.1.', 'Woche 4.1. - 10.1.'),
    'first days of weeks over New Year': inBlocks('Woche ab 28.12.', 'Woche ab 4.1.'),
    'numbers of weeks under months over New Year': inBlocks('Dezember\nKW 53', 'Januar\nKW 1'),
    'a column with the numbers of weeks over New Year': 'KW,Name,Mo,Di,Mi\n53,Ada,9-17,,\n1,Ada,9-17,,\n',
    'a list with the numbers of weeks over New Year': 'KW,Tag,Von,Bis,Name\n53,Mo,9,17,Ada\n1,Mo,9,17,Ada\n',
    'a list with the first days of weeks over New Year':
      'Woche,Tag,Von,Bis,Name\n28.12.,Mo,9,17,Ada\n4.1.,Mo,9,17,Ada\n',
  }),
  ...meaning(
    ['2026-12-28', '2027-01-28', '2027-03-28'].map((day) => `${day} 09:00 17:00 Bar Ada`),
    {
      'months over New Year': numberedDays('Dezember', 'Januar', 'März'),
      'months over New Year, one with its year': numberedDays('Dezember', 'Januar 2027', 'März'),
    },
  ),
  ...meaning(
    [...OVER_NEW_YEAR, ...OVER_NEW_YEAR].map((row, i) => (i < 2 ? row : row.replace('Ada', 'Bo'))),
    {
      'a list with the weeks of two people over New Year':
        'KW,Tag,Von,Bis,Name\n53,Mo,9,17,Ada\n1,Mo,9,17,Ada\n53,Mo,9,17,Bo\n1,Mo,9,17,Bo\n',
    },
  ),
  ...meaning(
    ['Ada', 'Bo'].flatMap((name) =>
      ['2026-01-05', '2026-05-11', '2026-12-21'].map((day) => `${day} 09:00 17:00 Bar ${name}`),
    ),
    {
      'a list with the weeks of a year of two people':
        'KW,Tag,Von,Bis,Name\n2,Mo,9,17,Ada\n20,Mo,9,17,Ada\n52,Mo,9,17,Ada\n2,Mo,9,17,Bo\n20,Mo,9,17,Bo\n52,Mo,9,17,Bo\n',
    },
  ),
  ...refused({
    'weeks of which nobody knows the order': [inBlocks('KW 1', 'KW 53'), UNCLEAR_YEAR],
    'weeks of a whole year that begin again': [inBlocks('KW 1', 'KW 20', 'KW 53', 'KW 1'), UNCLEAR_YEAR],
    'a list of weeks of which nobody knows the order': [
      'KW,Tag,Von,Bis,Name\n1,Mo,9,17,Ada\n53,Mo,9,17,Ada\n',
      UNCLEAR_YEAR,
    ],
    'months of which nobody knows the order': [numberedDays('Januar', 'Dezember'), UNCLEAR_YEAR],
    'a month that is long after New Year, or before it': [
      numberedDays('Dezember', 'Januar', 'Juli'),
      UNCLEAR_YEAR,
    ],
  }),
].map((kind) => ({ ...kind, options: { ...kind.options, year: 2026 } }));

const TITLES: readonly Kind[] = [
  ...meaning(['2027-03-01 09:00 17:00 Bar Ada'], {
    'a title with a number before its month': '"Station 3, March 2027"\nName,1,2,3,4,5\nAda,9-17,,,,\n',
    'a title with a number and a dash before its month': 'Team 2 - März 2027\nName,1,2,3,4,5\nAda,9-17,,,,\n',
  }),
  ...refused({
    'a title with a number that may be a day': [
      'Ward 12 March 2027\nName,1,2,3,4,5\nAda,9-17,,,,\n',
      /^line 2: the days are numbers: write their month and year above them/,
    ],
  }),
  ...meaning(['2026-12-30 09:00 17:00 Bar Ada', '2027-01-01 10:00 18:00 Bar Ada'], {
    'two months in a title': 'December 2026 / January 2027\nName,30,31,1,2\nAda,9-17,,10-18,\n',
    'two months in a title with one year': 'December – January 2027\nName,30,31,1,2\nAda,9-17,,10-18,\n',
    'days without a year under two months':
      'Rota Dec 2026 - Jan 2027\nName,30 Dec,31 Dec,1 Jan,2 Jan\nAda,9-17,,10-18,\n',
    'weekdays into the next year': 'Week of 28 December 2026\nName,Mon,Tue,Wed,Thu,Fri\nAda,,,9-17,,10-18\n',
  }),
];

const WEEKS: readonly Kind[] = [
  ...meaning(WEEK, {
    'a weekly grid under the last day of the week': weekly('Week ending 14 March 2027'),
    'a weekly grid under a Friday that ends the week': weekly('w/e Friday 12 March 2027'),
    'a column with the last day of each week':
      'Week ending,Name,Mon,Tue,Wed,Thu,Fri,Sat,Sun\n14/03/2027,Ada,9-17\n14/03/2027,Bo,,10-18\n',
    'a second block of people under one week':
      'Week of 8 March 2027\nName,Mon,Tue,Wed\nAda,9-17,,\n\nName,Mon,Tue,Wed\nBo,,10-18,\n',
    'Swedish weekdays under the number of a week': weekly('Vecka 10 2027', 'mån,tis,ons,tors,fre'),
    'a week with its year in short': weekly('KW 10/27', 'Mo,Di,Mi'),
    'a number of a week beside a date of printing': weekly('KW 10/2027 - erstellt am 22.02.2027', 'Mo,Di,Mi'),
    'a week beside a date of printing': weekly('Printed 1/3/2027, week of 8/3/2027'),
    ...Object.fromEntries(
      [
        'Version 2, 8 March 2027 - 14 March 2027',
        'Dienstplan Stand Nord 8.3.-14.3.2027',
        'Updated week 8 March 2027',
      ].map((title) => [`a week beside a word of printing: ${title}`, weekly(`"${title}"`)]),
    ),
    'a week that somebody counts, with its first day': weekly('Week 11 (w/c 8 March 2027)'),
    'a week that somebody counts, with both of its days': weekly('Week 2: 8 – 14 March 2027'),
    'a number of a week that fits its date': weekly('KW 10 ab 08.03.2027', 'Mo,Di,Mi'),
    'a number of a week that settles the order of its date': weekly('Week 10 (8/3/2027)'),
    'a number of a week in a cell beside its word': weekly('Dienstplan KW:,10/2027', 'Mo,Di,Mi'),
    'a number of a week above its date': weekly('KW 10\n08.03. – 14.03.2027', 'Mo,Di,Mi'),
    'Norwegian weekdays under the number of a week': weekly('Uke 10 2027', 'man,tir,ons,tor,fre'),
  }),
  ...meaning(TWO_WEEKS, {
    'a week beside its word above each block':
      'Week of,8 March 2027\nName,Mon,Tue,Wed\nAda,9-17,,\n\nWeek of,15 March 2027\nName,Mon,Tue,Wed\nBo,,10-18,\n',
    'a week beside its word above each block, as dates': book([
      ['Week of', asDate('2027-03-08')],
      ['Name', 'Mon', 'Tue', 'Wed'],
      ['Ada', '9-17'],
      ['Week of', asDate('2027-03-15')],
      ['Name', 'Mon', 'Tue', 'Wed'],
      ['Bo', '', '10-18'],
    ]),
    'weeks that are counted from the first day of a title': numberedWeeks(
      'Rota 8 March 2027 – 21 March 2027',
      'Week 1',
      'Week 2',
    ),
    'weeks of the year under a title with dates': numberedWeeks(
      'Rota 8 March 2027 – 21 March 2027',
      'Week 10',
      'Week 11',
    ),
    'weeks that are counted from a first day alone': numberedWeeks(
      'Rota starting 8 March 2027',
      'Week 1',
      'Week 2',
    ),
    'a column with the first day of each week, once':
      'Week beginning,Name,Mon,Tue,Wed\n8 March 2027,Ada,9-17\n,Cy,,,\n15 March 2027,Bo,,10-18\n',
    'a column with weeks, and weekdays twice':
      'Name,Week of,Mon,Tue,Wed\n,,Mon,Tue,Wed\n,,,,\nAda,8 March 2027,9-17,,\nBo,15 March 2027,,10-18,\n',
    'a column with the numbers of weeks': 'KW,Name,Mo,Di,Mi\nKW 10 2027,Ada,9-17\nKW 11 2027,Bo,,10-18\n',
    'a list with weeks and weekdays':
      'Week ending,Day,Start,End,Name\n14 March 2027,Mon,9:00,17:00,Ada\n21 March 2027,Tue,10:00,18:00,Bo\n',
  }),
  ...refused({
    'a week that a year does not have': [weekly('Week 53 2027'), /2027 has no week 53: /],
    'a German week that a year does not have': [weekly('KW 53 2025', 'Mo,Di,Mi'), /2025 has no week 53: /],
    'weeks that are neither of the year nor of the title': [
      numberedWeeks('Rota 8 March 2027 – 21 March 2027', 'Week 3', 'Week 4'),
      /line 3: "Week 3" is not clear under the dates above it: write its first day, such as "Week of 8 March 2027"/,
    ],
    'weeks of a month': [
      numberedWeeks('Rota April 2027', 'Week 1', 'Week 2'),
      /line 3: "Week 1" is not clear/,
      { year: 2027 },
    ],
    'a row whose week is none': [
      'Week beginning,Name,Mon,Tue,Wed\n8 March 2027,Ada,9-17\nsometime,Bo,,10-18\n',
      /^cell A3: "sometime" is no week: write one such as "8 March 2027"/,
    ],
    ...Object.fromEntries(
      [
        '"Dienstplan KW 10, Stand: 01.03.2027"',
        'KW 10/2027 - am 22.02.2027',
        'Week 9: meeting on Mon 8 March 2027',
        'KW 10: 01.03. - 07.03.2027',
      ].map((title) => [
        `a number that contradicts a date: ${title}`,
        [
          weekly(title),
          /^line 1: ".*" is not clear, as its number and its date may be of different weeks: write one/,
        ],
      ]),
    ),
    'a date of issue in a weekly title': [
      weekly('Weekly rota issued 08/03/2027'),
      /^line 2: the columns are weekdays without dates/,
    ],
    'a number of a week above a date that contradicts it': [
      weekly('KW 10\n01.03. - 07.03.2027', 'Mo,Di,Mi'),
      /^cell B3: the days from "Mo" on do not fit the week/,
    ],
    'a number and a year that may be a date': [
      weekly('Week 10/26'),
      /^line 1: "Week 10\/26" is not clear/,
      { year: 2026 },
    ],
    'two weeks that look like a date': [weekly('KW 10/11 2027'), /^line 1: "KW 10\/11 2027" is not clear/],
    'days that are numbers below a week': [
      'Dienstplan KW:,10/2027\nName,8,9,10,11,12,13,14\nAda,9-17,\n',
      /^line 2: the days are numbers: write their month/,
    ],
    'a list with a week that may be a date': [
      'Week,Day,Start,End,Name\n10/26,Mon,9:00,17:00,Ada\n',
      /^cell A2: "Week 10\/26" is not clear/,
      { year: 2026 },
    ],
    'weeks across': [
      'Name,Week 10,Week 11,Week 12\nAda,9-17,9-17,\n',
      /^line 1: the columns are weeks, and a shift needs its day/,
    ],
    'first days of weeks across': [
      'Name,w/c 8 Mar 2027,w/c 15 Mar 2027\nAda,9-17,9-17\n',
      /^line 1: the columns are weeks/,
    ],
  }),
  {
    name: 'a week with its year in short, which is no date',
    file: weekly('KW 10/26', 'Mo,Di,Mi'),
    options: { year: 2026, ...GROUP },
    outcome: ['2026-03-02 09:00 17:00 Bar Ada', '2026-03-03 10:00 18:00 Bar Bo'],
  },
  {
    name: 'a list with weeks and their years in short',
    file: 'KW,Tag,Von,Bis,Name\n10/27,Mo,9:00,17:00,Ada\n11/27,Dienstag,10:00,18:00,Bo\n',
    options: { year: 2027, ...GROUP },
    outcome: TWO_WEEKS,
  },
  {
    name: 'Mondays across beside the word for weeks',
    file: 'Week commencing,8 Mar 2027,15 Mar 2027,22 Mar 2027\nAda,9-17,,\n',
    untold: /^line 1: the columns may be weeks, .*--columns "person=Week commencing"/,
    options: { columnNames: new Map([['person', 'Week commencing']]), ...GROUP },
    outcome: [MONDAY],
  },
];

const PLANS: readonly Kind[] = [
  {
    name: 'rows for plan and actual',
    file: 'Name,,8.3.2027,9.3.2027\nAda,Plan,9-17,\nAda,Actual,9-18,\nBo,Plan,,10-18\nBo,Actual,,10-19\n',
    untold: /cell B3: "Actual" may be another plan of the same days.*--status "Actual=none"/,
    options: statuses(['Plan', 'shift'], ['Actual', 'none']),
    outcome: WEEK,
  },
  {
    name: 'rows for plan and actual below one name',
    file: 'Name;;8.3.2027;9.3.2027\nAda;Soll;9-18;\n;Ist;9-17;\nBo;Soll;;10-19\n;Ist;;10-18\n',
    untold: /cell B3: "Ist" may be another plan/,
    options: { ...statuses(['Soll', 'none'], ['Ist', 'shift']), fillDown: ['person'] },
    outcome: WEEK,
  },
  {
    name: 'a list of plan and actual',
    file: 'Date,Name,Version,Start,End\n2027-03-08,Ada,Plan,9:00,17:00\n2027-03-08,Ada,Actual,9:00,18:00\n',
    untold: /line 3, Version: "Actual" may be another plan of the same days/,
    options: statuses(['Plan', 'shift'], ['Actual', 'none']),
    outcome: [MONDAY],
  },
  {
    name: 'a list of plan and actual, of which the actual times count',
    file: 'Date,Name,Version,Start,End\n2027-03-08,Ada,Plan,9:00,16:00\n2027-03-08,Ada,Actual,9:00,17:00\n',
    untold: /line 3, Version: "Actual" may be another plan of the same days/,
    options: statuses(['Plan', 'none'], ['Actual', 'shift']),
    outcome: [MONDAY],
  },
  {
    name: 'columns for plan and actual under each day',
    file: 'Name,8.3.2027,,9.3.2027,\n,Plan,Actual,Plan,Actual\nAda,9-17,9-18,,\nBo,,,10-18,10-19\n',
    untold: /cell C2: "Actual" may be another plan/,
    options: statuses(['Plan', 'shift'], ['Actual', 'none']),
    outcome: WEEK,
  },
  {
    name: 'a grid under the title of availability',
    file: `Availability March 2027\nName,8.3.2027,9.3.2027\n${ROWS}`,
    untold: /^line 1: "Availability March 2027" may say that this is no plan.*--status "Availability=shift"/,
    options: statuses(['Availability', 'shift']),
    outcome: WEEK,
  },
  {
    name: 'a list under a title that only says who is absent',
    file: 'Urlaub März 2027\nDatum;Von;Bis;Name\n8.3.2027;9:00;17:00;Ada\n9.3.2027;10:00;18:00;Bo\n',
    untold: /^line 1: "Urlaub März 2027" may say that this is no plan.*--status "Urlaub=shift"/,
    options: statuses(['Urlaub', 'shift']),
    outcome: WEEK,
  },
  ...meaning(WEEK, {
    'a grid below an explanation of its colours': `Urlaub,Krank\nName,8.3.2027,9.3.2027\n${ROWS}`,
  }),
  ...refused({
    'a list under the title of availability': [
      'Verfügbarkeiten\nDatum;Von;Bis;Name\n8.3.2027;9:00;17:00;Ada\n',
      /^line 1: "Verfügbarkeiten" may say that this is no plan/,
    ],
    'times of a clock beside those of a plan': [
      'Date,Name,Scheduled start,Scheduled end,Clock in,Clock out\n8.3.2027,Ada,9:00,17:00,8:57,17:04\n',
      /Clock in: there are two columns for start_time/,
    ],
  }),
];

const OF_ADA = [
  ['Date', 'Start', 'End', 'Team'],
  ['2027-03-08', '9:00', '17:00', 'Bar'],
];
const OF_BO = [
  ['Date', 'Start', 'End', 'Team'],
  ['2027-03-09', '10:00', '18:00', 'Bar'],
];
const LIST = ['Date', 'Start', 'End', 'Name'];

const TABS: readonly Kind[] = [
  {
    name: 'a tab for each person',
    file: tabs(['Ada', OF_ADA], ['Bo', OF_BO]),
    untold: /several sheets of the workbook hold shifts/,
    options: { sheet: 'all', tabs: 'person' },
    outcome: WEEK,
  },
  {
    name: 'a tab for each group',
    file: tabs(
      ['Kitchen', [LIST, ['2027-03-08', '9:00', '17:00', 'Ada']]],
      ['Bar', [LIST, ['2027-03-09', '10:00', '18:00', 'Bo']]],
    ),
    options: { sheet: 'all', tabs: 'group' },
    outcome: IN_KITCHEN,
  },
  {
    name: 'tabs that are nothing',
    file: tabs(['Ada', OF_ADA], ['Bo', OF_BO]),
    options: { sheet: 'all', tabs: 'nothing' },
    outcome: ['2027-03-08 09:00 17:00 Bar ', '2027-03-09 10:00 18:00 Bar '],
  },
  {
    name: 'a tab for each week',
    file: tabs(['KW 10', OF_ADA], ['KW 11', OF_BO]),
    options: { sheet: 'all' },
    outcome: ['2027-03-08 09:00 17:00 Bar ', '2027-03-09 10:00 18:00 Bar '],
  },
  ...refused({
    'a tab of availability': [
      tabs(['KW 10', OF_ADA], ['Availability', OF_BO]),
      /^sheet 2: "Availability" may say that this is no plan/,
      { sheet: 'all', tabs: 'nothing' },
    ],
    'a tab for each person, not told': [
      tabs(['Ada', OF_ADA], ['Bo', OF_BO]),
      /^sheet 1: "Ada" may be the name of a person or of a location.*--tabs person, --tabs location or --tabs nothing/,
      { sheet: 'all' },
    ],
  }),
];

const SECTIONS: readonly Kind[] = [
  {
    name: 'groups above their people',
    file: 'Name,8.3.2027,9.3.2027\nKITCHEN,,\nAda,9-17,\nCy,,\nBAR,,\nBo,,10-18\n',
    untold: /^cell A2: "KITCHEN" may be the group of the rows below it.*--sections group/,
    options: { sections: 'group' },
    outcome: ['2027-03-08 09:00 17:00 KITCHEN Ada', '2027-03-09 10:00 18:00 BAR Bo'],
  },
  {
    name: 'groups above their people that are none',
    file: 'Name,8.3.2027,9.3.2027\nKITCHEN,,\nAda,9-17,\nBAR,,\nBo,,10-18\n',
    options: { sections: 'nothing', ...GROUP },
    outcome: WEEK,
  },
  {
    name: 'groups above the rows of a list',
    file: 'Date,Start,End,Name\nKitchen\n2027-03-08,9:00,17:00,Ada\nBar\n2027-03-09,10:00,18:00,Bo\n',
    untold: /^line 2: "Kitchen" may be the group of the rows below it/,
    options: { sections: 'group' },
    outcome: IN_KITCHEN,
  },
  {
    name: 'groups beside the days of their blocks',
    file: 'Week of 8 March 2027\nKitchen,Mon,Tue,Wed\nAda,9-17,,\n\nBar,Mon,Tue,Wed\nBo,,10-18,\n',
    untold: /^cell A2: "Kitchen" may be the group of the rows below it/,
    options: { sections: 'group' },
    outcome: IN_KITCHEN,
  },
  {
    name: 'groups beside the dates of their blocks',
    file: 'Kitchen,8.3.2027,9.3.2027\nCy,,\nAda,9-17,\n\nBar,8.3.2027,9.3.2027\nBo,,10-18\n',
    untold: /^cell A1: "Kitchen" may be the group of the rows below it/,
    options: { sections: 'group' },
    outcome: IN_KITCHEN,
  },
  {
    name: 'groups above initials, the first one without',
    file: 'Name,8.3.2027,9.3.2027\nJP,9-17,\nKITCHEN,,\nMN,,10-18\nOP,,\nBAR,,\nQR,9-17,\n',
    untold: /^cell A3: "KITCHEN" may be the group of the rows below it/,
    options: { sections: 'group', ...GROUP },
    outcome: [
      '2027-03-08 09:00 17:00 Bar JP',
      '2027-03-09 10:00 18:00 KITCHEN MN',
      '2027-03-08 09:00 17:00 BAR QR',
    ],
  },
  {
    name: 'initials without shifts',
    file: 'Name,8.3.2027,9.3.2027\nAB,9-17,\nCD,,\nEFG,,10-18\nHI,,\nJKL,9-17,\n',
    options: GROUP,
    outcome: [
      '2027-03-08 09:00 17:00 Bar AB',
      '2027-03-09 10:00 18:00 Bar EFG',
      '2027-03-08 09:00 17:00 Bar JKL',
    ],
  },
  {
    name: 'a person without shifts, and a note at the end',
    file: 'Name,8.3.2027,9.3.2027\nAda,9-17,\nCy,,\nBo,,10-18\nPrinted by Ada,,\n',
    options: GROUP,
    outcome: WEEK,
  },
];

/** In ordinary letters, a section looks like somebody without shifts. */
const ORDINARY_SECTIONS: readonly Kind[] = [
  {
    name: 'groups above people with a week each',
    file: 'Name,Week of,Mon,Tue,Wed\n\nKitchen\nAda,8 March 2027,9-17,,\n\nBar\nBo,8 March 2027,,10-18,\n',
    options: { sections: 'group' },
    outcome: IN_KITCHEN,
  },
  ...Object.entries({
    'somebody without shifts below a group': [
      'Kitchen,,\nAda,9-17,\nZoe Hart,,\nBo,,10-18\n',
      'A4: "Zoe Hart"',
    ],
    'somebody without shifts above a group': ['Bar,,\nBob Stone,,\nKitchen,,\nAda,9-17,\n', 'A4: "Kitchen"'],
    'somebody without shifts first in a group': ['Kitchen,,\n,,\nZoe Hart,,\nAda,9-17,\n', 'A4: "Zoe Hart"'],
    'somebody above, with shifts below': ['Zoe Hart,,\nAda,9-17,\nZoe Hart,,10-18\n', 'A2: "Zoe Hart"'],
  }).map(([name, [rows, where = '']]) => ({
    name,
    file: `Name,2027-03-08,2027-03-09\n${rows}`,
    options: { sections: 'group' as const },
    outcome: {
      refused: new RegExp(
        `^cell ${where} may be the group of the rows below it, or a row without shifts: end each group with a colon, such as "Kitchen:"`,
      ),
    },
  })),
  {
    name: 'groups in ordinary letters, each below an empty row, one with somebody who has no shifts',
    file: 'Name,2027-03-08,2027-03-09\nKitchen,,\nAda,9-17,\nCy,,\n\nBar,,\nBo,,10-18\nAda,,\nBo,10-18,\n',
    options: { sections: 'group' },
    outcome: [...IN_KITCHEN, '2027-03-08 10:00 18:00 Bar Bo'],
  },
  {
    name: 'groups with colons, and people without shifts',
    file: 'Name,2027-03-08,2027-03-09\nDoor:,,\nDi,,\nKitchen:,,\n,,\nZoe Hart,,\nAda,9-17,\nCy,,\nBar:,,\nCy,,\nBo,,10-18\n',
    options: { sections: 'group' },
    outcome: IN_KITCHEN,
  },
  {
    name: 'somebody of another sheet who has no shifts in this one',
    file: tabs(
      ['1', [['Name', '2027-03-08', '2027-03-09'], ['BAR'], ['Ada', '9-17'], ['Zoe Hart', '', '10-18']]],
      ['2', [['Name', '2027-03-15', '2027-03-16'], ['Zoe Hart'], ['Bo', '', '10-18']]],
    ),
    options: { sections: 'group', sheet: 'all', tabs: 'nothing', ...GROUP },
    outcome: ['2027-03-08 09:00 17:00 BAR Ada', '2027-03-09 10:00 18:00 BAR Zoe Hart', TWO_WEEKS[1] ?? ''],
  },
];

const UNDER_DAYS = [
  ['Name', '2027-03-08', '', '2027-03-09', ''],
  ['', 'Bar', 'Kitchen', 'Bar', 'Kitchen'],
  ['Ada', '9-17', '', '', '10-18'],
  ['Bo', '', '9-17', 'off', ''],
];

const PARTS: readonly Kind[] = [
  {
    name: 'morning and afternoon under each day',
    file: 'Name,8.3.2027,,9.3.2027,\n,AM,PM,AM,PM\nAda,9-12,13-17,,\nBo,,,10-12,\n',
    options: GROUP,
    outcome: [
      '2027-03-08 09:00 12:00 Bar Ada',
      '2027-03-08 13:00 17:00 Bar Ada',
      '2027-03-09 10:00 12:00 Bar Bo',
    ],
  },
  ...Object.entries({
    'groups under each day': `${UNDER_DAYS.map((row) => row.join()).join('\n')}\n`,
    'groups under days that are merged': xlsx([
      { name: '1', rows: UNDER_DAYS, merges: ['A1:A2', 'B1:C1', 'D1:E1'] },
    ]),
  }).map(([name, file]) => ({
    name,
    file,
    untold:
      /^cell B2: "Bar" may be the group of the shifts below it; if so, say --sections group; if it is their location/,
    options: { sections: 'group' as const, ...GROUP },
    outcome: [
      '2027-03-08 09:00 17:00 Bar Ada',
      '2027-03-09 10:00 18:00 Kitchen Ada',
      '2027-03-08 09:00 17:00 Kitchen Bo',
    ],
  })),
  ...meaning([MONDAY, '2027-03-08 10:00 18:00 Bar Bo'], {
    'a roster of one day': 'Name,2027-03-08\nAda,9-17\nBo,10-18\nCy,\n',
    'a roster of one day, with its weekday and a title':
      'Rota\nFirst name,Last name,Mon 8 March 2027,\nAda,,9-17\nBo,,10-18\n',
    'a roster of one day in a workbook': tabs([
      '1',
      [
        ['Employee', asDate('2027-03-08')],
        ['Ada', '9-17'],
        ['Bo', '10-18'],
      ],
    ]),
  }),
  ...refused({
    'a roster of one day that is written in an unclear way': ['Name,03/08/2027\nAda,9-17\n', /--date-format/],
    'a roster of one day without its year': ['Name,8 March\nAda,9-17\n', /there is no column "date"/],
    'a date beside a word that is no heading of names': [
      'Printed,2027-03-08\nAda,9-17\n',
      /there is no column "date"/,
    ],
    'a second day below a roster of one day': [
      'Name,2027-03-08\nAda,9-17\nName,2027-03-09\nAda,9-17\n',
      /^cell B3: "2027-03-09" is not two times/,
    ],
  }),
  {
    name: 'groups under each day, without a group for all',
    file: 'Shift,2027-03-08,,2027-03-09,\n,Bar,Kitchen,Bar,Kitchen\nEarly 9-17,Ada,Bo,,\n',
    untold: /^cell B2: "Bar" may be the group of the shifts below it.*$/,
    options: { sections: 'group' },
    outcome: [MONDAY, '2027-03-08 09:00 17:00 Kitchen Bo'],
  },
  {
    name: 'crosses under groups of each day',
    file: 'Name,2027-03-08,,2027-03-09,\n,Bar,Kitchen,Bar,Kitchen\nAda,x,,,\nBo,,,,x\n',
    options: { ...codes(['x', '9-17']), sections: 'group' },
    outcome: [MONDAY, '2027-03-09 09:00 17:00 Kitchen Bo'],
  },
  ...refused({
    'words under each day, beside a column of groups': [
      'Name,Team,2027-03-08,,2027-03-09,\n,,Up,Down,Up,Down\nAda,Bar,9-17,,,\n',
      /^cell C2: "Up" may be the location of the shifts below it; if so, say --sections location; if it is nothing/,
      { sections: 'group' },
    ],
    'groups under each day and above rows': [
      'Name,2027-03-08,,2027-03-09,\n,Bar,Kitchen,Bar,Kitchen\nSOUTH\nAda,9-17,,,\n',
      /^cell B4: this shift stands below "SOUTH" and below "Bar", and only one of them can be its group/,
      { sections: 'group' },
    ],
    'a cell that is merged over the parts of a day': [
      xlsx([
        {
          name: '1',
          rows: [
            ['Name', '2027-03-08', '', '2027-03-09', ''],
            ['', 'AM', 'PM', 'AM', 'PM'],
            ['Ada', '9-17'],
          ],
          merges: ['B3:C3'],
        },
      ]),
      /^cell B3: "9-17" is merged over several columns of a day: write it into each in which there is a shift/,
    ],
  }),
  {
    name: 'crosses under the parts of each day',
    file: 'Week of 8 March 2027\nName,Mon,,Tue,,Wed,\n,AM,PM,AM,PM,AM,PM\nAda,x,,,,,\nBo,,,,x,,\n',
    untold: /cell B4: "AM" is not two times .*--codes "AM=06:00-14:00"/,
    options: codes(['AM', '9-17'], ['PM', '10-18']),
    outcome: WEEK,
  },
  ...['(x)', '[x]', 'x)', 'x?', '½'].map((text) => ({
    name: `${text} for a cross under the parts of each day`,
    file: `Name,8.3.2027,,9.3.2027,\n,AM,PM,AM,PM\nAda,x,,,\nBo,,,,${text}\n`,
    options: codes(['AM', '9-17'], ['PM', '10-18']),
    outcome: { refused: new RegExp(`^cell E4: "${RegExp.escape(text)}" is not two times`) },
  })),
  {
    name: 'names under shifts without times',
    file: 'Date,Lunch,Dinner\n2027-03-08,Ada,\n2027-03-09,,Bo\n',
    untold: /cell B2: "Lunch" is not two times .*--codes "Lunch=06:00-14:00"/,
    options: codes(['Lunch', '9-17'], ['Dinner', '10-18']),
    outcome: WEEK,
  },
  {
    name: 'names under shifts without times, of which one has nobody on a day',
    file: 'Date,Lunch,Dinner\n2027-03-08,Ada,--\n2027-03-09,--,Bo\n',
    options: codes(['Lunch', '9-17'], ['Dinner', '10-18']),
    outcome: WEEK,
  },
  {
    name: 'names under a told shift, with a number in a cell',
    file: 'Date,Lunch,Dinner\n2027-03-08,Ada,\n2027-03-09,,7\n2027-03-10,,Bo\n',
    options: codes(['Lunch', '9-17'], ['Dinner', '10-18']),
    outcome: { refused: /cell C3, person: "7" may be more than a name, or no name/ },
  },
  ...['Week 6 - 12 2027', 'KW 9 + 10 / 2027', 'KW 9 und 10 2027', 'Week 9, week 10 2027'].map((title) => ({
    name: `weekdays below ${title}`,
    file: `${title}\nName,Mon,Tue,Wed\nAda,9-17,,13-17\n`,
    options: GROUP,
    outcome: { refused: /the columns are weekdays without dates: write the week above them/ },
  })),
  {
    name: 'names beside shifts without times',
    file: 'Shift,2027-03-08,2027-03-09\nLunch,Ada,\nDinner,,Bo\n',
    untold: /cell B2: "Lunch" is not two times/,
    options: codes(['Lunch', '9-17'], ['Dinner', '10-18']),
    outcome: WEEK,
  },
  ...meaning([MONDAY, '2027-03-08 10:00 18:00 Bar Cy', '2027-03-16 10:00 18:00 Bar Bo'], {
    'a page of a calendar with names and times in its days':
      'March 2027\nMon,Tue,Wed,Thu,Fri,Sat,Sun\n1,2,3,4,5,6,7\n,,,,,,\n8,9,10,11,12,13,14\n"Ada 9-17\n10-18 Cy",,,,,,\n15,16,17,18,19,20,21\n,Bo 10-18,,,,,\n',
  }),
  ...meaning([MONDAY, '2027-03-16 09:00 17:00 Bar Bo', '2027-03-16 09:00 17:00 Bar Cy'], {
    'a page of a calendar with shifts beside its weeks':
      'March 2027\n,Mon,Tue,Wed,Thu,Fri,Sat,Sun\n,8,9,10,11,12,13,14\nEarly 9-17,Ada,,,,,,\n,15,16,17,18,19,20,21\nEarly 9-17,,"Bo\nCy",,,,,\n',
    'weeks down and weekdays across, with names':
      'Week of,Shift,Mon,Tue,Wed\n8 March 2027,Early 9-17,Ada,,\n15 March 2027,Early 9-17,,Bo / Cy,\n',
  }),
];

const TIMES: readonly Kind[] = [
  ...saying(['2027-03-06 09:00 17:00 Bar Ada', '2027-03-07 14:00 18:00 Bar Bo'], {
    'pm for both times': 'Date,Time,Team,Name\n2027-03-06,9-5pm,Bar,Ada\n2027-03-07,2-6pm,Bar,Bo\n',
    'am for the start': 'Date,Start,Team,Name\n2027-03-06,9am-5,Bar,Ada\n2027-03-07,2pm-6,Bar,Bo\n',
  }),
  {
    name: 'pm for both times of a short shift',
    file: 'Date,Time,Team,Name\n2027-03-06,6-8pm,Bar,Ada\n',
    untold: /line 2, times: may be 06:00 to 20:00 or 18:00 to 20:00.*--clock 12/,
    options: { clock: 12 },
    outcome: ['2027-03-06 18:00 20:00 Bar Ada'],
  },
  ...saying(['2027-03-06 08:00 08:00 Bar Ada'], {
    'a day long': 'Date,Start,Hours,Team,Name\n2027-03-06,8:00,24,Bar,Ada\n',
    'a day long, with both times': 'Date,Start,End,Hours,Team,Name\n2027-03-06,8:00,8:00,24,Bar,Ada\n',
    'a day long, in one cell': 'Date,Time,Team,Name\n2027-03-06,08:00-08:00,Bar,Ada\n',
  }),
  {
    name: 'codes that differ only in case',
    file: 'Name,2027-03-08,2027-03-09\nAda,E,\nBo,,e\n',
    options: codes(['E', '9-17']),
    outcome: { refused: /cell C3: "e" is not two times .*--codes "e=06:00-14:00"/ },
  },
  {
    name: 'codes in another case',
    file: 'Name,2027-03-08,2027-03-09\nAda,e,\n',
    options: codes(['E', '9-17']),
    outcome: [MONDAY],
  },
];

/** Names that stand in no column of people. */
const FURTHER_PEOPLE: readonly Kind[] = [
  ...refused(
    Object.fromEntries(
      ['Guard 2', 'Beifahrer', 'Doctor', 'On call', 'Reserve'].map((heading) => [
        `other names under ${heading}`,
        [
          `Date,Start,End,Name,${heading}\n2027-03-08,9,17,Ada,Cy\n2027-03-09,10,18,Bo,Dee\n`,
          new RegExp(`^line 1, ${heading}: holds names of people, and is not read: "Cy", "Dee"`),
        ] as const,
      ]),
    ),
  ),
  ...refused(
    Object.fromEntries(
      ['Suplente', 'Cambio', 'Ruil', 'Échange', 'Binôme', 'Tausch', 'Troca'].map((heading) => [
        `a swap under ${heading}`,
        [
          `Date,Start,End,Name,${heading}\n2027-03-08,9,17,Ada,\n2027-03-09,10,18,Bo,Zoe\n2027-03-10,10,18,Bo,\n`,
          /holds what may change a shift, and is not read: "Zoe"/,
        ] as const,
      ]),
    ),
  ),
  ...refused({
    'two names of the file under another heading': [
      'Date,Start,End,Name,Pair\n2027-03-08,9,17,Ada,\n2027-03-09,10,18,Bo,Ada/Bo\n2027-03-10,9,17,Bo,\n',
      /^line 1, Pair: holds names of people/,
    ],
    'a second person beside one that was told': [
      'Date,Start,End,Driver,Mate\n2027-03-08,9,17,Ada,Cy\n2027-03-09,10,18,Bo,Dee\n',
      /^line 1, Mate: holds names of people/,
      { columnNames: new Map([['person', 'Driver']]) },
    ],
    'a shift without times beside one with': [
      'Date,Early 9-17,Night\n2027-03-08,Ada,Bo\n2027-03-09,Cy,Dee\n',
      /^cell C2: "Night" is not two times .*--codes "Night=06:00-14:00"/,
    ],
    'shifts with and without times down': [
      ',2027-03-08,2027-03-09\nEarly 7-15,Ada,Bo\nNight,Cy,Dee\n',
      /^cell B3: "Night" is not two times/,
    ],
    'a list of a plan and of what came of it, under no heading': [
      'Name,,Date,Start,End\nAda,plan,2027-03-08,9,17\nAda,real,2027-03-08,9,18\n',
      /holds what may change a shift, and is not read: "plan", "real"; give the column a heading/,
    ],
    'rows of a plan and of what came of it': [
      'Name,,2027-03-08,2027-03-09\nAda,plan,9-17,9-17\n,real,9-18,9-17\n',
      /^cell B3: "real" may be another plan of the same days/,
    ],
  }),
  {
    name: 'rows of the same person at the same times',
    file: 'Name,,2027-03-08,2027-03-09\nAda,A,9-17,\n,B,9-18,\nBo,A,,10-18\nBo,B,,10-18\n',
    untold: /^cell B3: "B" may be another plan of the same days.*\ncell B2: "A" may be another plan/,
    options: statuses(['B', 'none']),
    outcome: WEEK,
  },
  {
    name: 'a second row of the same person at other times, beside a word',
    file: 'Name,,2027-03-08,2027-03-09\nAda,AM,9-12,\n,PM,13-17,\n',
    untold: /^cell A3, person: is empty below "Ada"/,
    options: { ...GROUP, fillDown: ['person'] },
    outcome: ['2027-03-08 09:00 12:00 Bar Ada', '2027-03-08 13:00 17:00 Bar Ada'],
  },
  ...meaning(WEEK, {
    'words that are written otherwise than the names, or are fewer': `Date,Start,End,Name,Kind,Task\n2027-03-08,9,17,Ada,early shift,Bar\n2027-03-09,10,18,Bo,late shift,Bar\n`,
  }),
];

/** What stands where names stand, and is none. */
const NO_PEOPLE: readonly Kind[] = [
  ...refused({
    'a row of breaks below people': [
      'Name,8.3.2027,9.3.2027\nAda,9-17,\nBo,,10-18\nPAUSE,12-12:30,12-12:30\n',
      /^cell B4, person: "PAUSE" may be more than a name, or no name; say who is meant with --people/,
    ],
    'a meeting among names beside shifts': [
      'Shift,8.3.2027,9.3.2027\nEarly 9-17,Ada,Teamsitzung\nLate 17-23,Bo,Cy\n',
      /^cell C2, person: "Teamsitzung" may be more than a name/,
    ],
    'a cell that refers to another one, among names': [
      'Shift,8.3.2027,9.3.2027\nEarly 9-17,Ada,same as Monday\nLate 17-23,Bo,Cy\n',
      /^cell C2, person: "same as Monday" may be more than a name/,
    ],
    'two names for one shift, in a calendar': [
      '8.3.2027,9.3.2027\n9-17 José x Ana,Bo 9-17\n',
      /^cell A2, person: "José x Ana" may be more than a name/,
    ],
    'a name with a sign': [
      'Date,Start,End,Name\n2027-03-08,9,17,Ada\n2027-03-08,9,17,Bo†\n',
      /^line 3, person: "Bo†" may be more than a name/,
    ],
  }),
  {
    name: 'a row of breaks that are no shifts',
    file: 'Name,8.3.2027,9.3.2027\nAda,9-17,\nBo,,10-18\nPAUSE,12-12:30,12-12:30\n',
    options: statuses(['PAUSE', 'none']),
    outcome: WEEK,
  },
];

const WITHOUT_NEED: readonly Kind[] = [
  ...meaning(WEEK, {
    'days of a week with a dash': weekly('Week 8-14 March 2027'),
    'hours beside each day': 'Name,2027-03-08,Hrs,2027-03-09,Hrs,Total\nAda,9-17,8,,,8\nBo,,,10-18,8,8\n',
    'hours beside each day, in a row of their own':
      'Name,2027-03-08,,2027-03-09,\n,Shift,Hrs,Shift,Hrs\nAda,9-17,8,,\nBo,,,10-18,8\n',
    'hours beside each weekday':
      'Week of 8 March 2027\nName,Mon,Hrs,Tue,Hrs,Wed,Hrs\nAda,9-17,8,,,,\nBo,,,10-18,8,,\n',
    'how many are needed, and a budget': `Name,2027-03-08,2027-03-09,2027-03-10\nNeeded,2,2,3\n${ROWS}Budget,$120,€ 120,300.50\n`,
    'days without a year that are a Tuesday in Spanish': `8 – 10 March 2027\nName,8 Mar,9 Mar,10 Mar\n${ROWS}`,
    'Danish dates': 'Dato;Fra;Til;Navn\nd. 8. marts 2027;9;17;Ada\nd. 9. marts 2027;10;18;Bo\n',
    'an empty second pair of times':
      'Date,Name,Start,Finish,Start,Finish\n2027-03-08,Ada,9,17,,\n2027-03-09,Bo,10,18,,\n',
    'breaks with a number and a time':
      'Datum;Von;Bis;Name;1. Pause 9:30-9:50;2. Pause\n8.3.2027;9;17;Ada;x;12:00-12:30\n9.3.2027;10;18;Bo;x;13:00-13:30\n',
  }),
  ...meaning(['2026-12-31 09:00 17:00 Bar Ada', '2027-01-01 10:00 18:00 Bar Bo'], {
    'days around the end of a year, which a title has':
      'Plan 28.12.2026 - 03.01.2027\nName,31.12.,01.01.\nAda,9-17,\nBo,,10-18\n',
  }),
  {
    name: 'a cell that says more than its times',
    file: 'Name,2027-03-08,2027-03-09\nAda,9-17 (bar),\nBo,,10-18\n',
    untold: /^cell B2: "9-17 \(bar\)" says more than two times: .* --codes "9-17 \(bar\)=9-17"$/,
    options: codes(['9-17 (bar)', '9-17']),
    outcome: WEEK,
  },
  ...meaning(WEEK, {
    'crosses beside people and their times': 'Name,Shift,2027-03-08,2027-03-09\nAda,9-17,x,\nBo,10-18,,X\n',
    'crosses beside the times of people, and signs for none':
      'Times,Name,2027-03-08,2027-03-09\nEarly 9-17,Ada,✓,-\nLate 10-18,Bo,-,✓\n',
  }),
  ...refused({
    'crosses beside people of whom one has no times': [
      'Name,Shift,2027-03-08,2027-03-09\nAda,9-17,x,\nBo,,,x\n',
      /^cell D3: is empty/,
    ],
  }),
  {
    name: 'how many are there, under no word that says so',
    file: 'Name,2027-03-08,2027-03-09\nAda,9-17,\nBo,,10-18\nPresent,1,1\n',
    untold: /^cell B4: "1" is not two times .* --codes "1=" if there is no shift/,
    options: codes(['1', '']),
    outcome: WEEK,
  },
  {
    name: 'halves of days beside the heading of the names',
    file: ',2027-03-08,,2027-03-09,\nDoctor,AM,PM,AM,PM\nAda,x,,,\nBo,,,,x\n',
    untold: /^cell B3: "AM" is not two times .* --codes "AM=06:00-14:00"/,
    options: codes(['AM', '9-17'], ['PM', '10-18']),
    outcome: WEEK,
  },
  {
    name: 'a space before the year',
    file: 'Dato;Fra;Til;Navn\n8/3 2027;9;17;Ada\n9/3 2027;10;18;Bo\n',
    untold: /--date-format/,
    options: { ...GROUP, dateFormat: 'D/M/YYYY' },
    outcome: WEEK,
  },
  ...meaning(
    ['2027-03-08 09:00 17:00 Bar Di', '2027-03-09 09:00 17:00 Bar Di', '2027-03-08 17:00 22:00 Bar Ada'],
    { 'somebody who is called like a weekday': 'Shift,2027-03-08,2027-03-09\n9-17,Di,Di\n17-22,Ada,\n' },
  ),
  ...meaning(['2027-03-08 09:00 09:45 Bar Ada', '2027-03-08 10:00 10:45 Bar Bo'], {
    'hours with two digits': 'Date,Time,Name\n2027-03-08,09:00-09:45,Ada\n2027-03-08,10:00-10:45,Bo\n',
  }),
  ...meaning(['2027-03-01 09:00 17:00 Bar Ada'], {
    'a month as spreadsheets write it': 'Mar-27\nName,1,2,3,4,5\nAda,9-17,,,,\n',
    'a month with a short year': "March '27\nName,1,2,3,4,5\nAda,9-17,,,,\n",
  }),
  ...refused({
    'a second pair of times that is filled far below': [
      `Date,Name,Start,Finish,Start,Finish\n${'2027-03-08,Ada,9,17,,\n'.repeat(30)}2027-03-09,Bo,9,12,13,17\n`,
      /^line 1, Start: holds times, and is not read: "13"/,
    ],
    'how many are needed for each row': [
      'Date,Start,End,Name,Needed\n2027-03-08,9,17,Ada,2\n',
      /^line 1, Needed: holds what may change a shift/,
    ],
    'hours without two digits': [
      'Date,Time,Name\n2027-03-08,9:00-9:45,Ada\n2027-03-08,10:00-10:45,Bo\n',
      /may be 09:00 to 09:45 or 21:00 to 21:45/,
    ],
  }),
];

export const PLANNER_KINDS: readonly Kind[] = [
  ...FURTHER_PEOPLE,
  ...WITHOUT_NEED,
  ...NO_PEOPLE,
  ...TITLES,
  ...AT_NEW_YEAR,
  ...WEEKS,
  ...PLANS,
  ...TABS,
  ...SECTIONS,
  ...ORDINARY_SECTIONS,
  ...PARTS,
  ...TIMES,
];
