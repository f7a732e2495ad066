/**
 * Grids in which something does not fit, or is written as people do: each is read as it is meant, asked about, or
 * refused with what to do. All are of the group Bar.
 */

import { BOTH, type Kind, saying } from './kinds.ts';
import { asDate, book, ods } from './make-workbook.ts';

const DAYS = ['Name', asDate('2027-03-06'), asDate('2027-03-07')];
const MONDAY = '2027-03-08 09:00 17:00 Bar Ada';
const TUESDAY = '2027-03-09 10:00 18:00 Bar Bo';
const WEEK = [MONDAY, TUESDAY];
const DATES = 'Name,Mon 8 Mar 2027,Tue 9 Mar 2027,Wed 10 Mar 2027';
const ROWS = 'Ada,9-17,,\nBo,,10-18,\n';

/** A weekly grid under a title. */
const weekly = (title: string, days = 'Mon,Tue,Wed,Thu,Fri,Sat,Sun') => `${title}\nName,${days}\n${ROWS}`;
const numbered = (title: string, days: string, row = 'Ada,9-17,,,,') => `${title}\nName,${days}\n${row}\n`;

const AS_MEANT: readonly Kind[] = [
  ...saying(WEEK, {
    'a weekly grid under the first day of the week': weekly('Week commencing 8 March 2027'),
    'a weekly grid under an ordinal': weekly('Week beginning Monday 8th March 2027'),
    'a weekly grid under w/c': weekly('Rota W/C 08/03/2027'),
    'a weekly grid under the days of the week': weekly(
      'Woche vom 8. bis 14. März 2027',
      'Mo,Di,Mi,Do,Fr,Sa,So',
    ),
    'a weekly grid under two dates': weekly('08.03.2027 – 14.03.2027', 'Mo;Di;Mi').replaceAll(',', ';'),
    'a weekly grid under the number of a week': weekly('Dienstplan KW 10 2027', 'Mo,Di,Mi,Do,Fr'),
    'a weekly grid beside the number of a week': `KW 10/2027,Mo,Di,Mi\n${ROWS}`,
    'a weekly grid in French': weekly('Semaine du 8 au 14 mars 2027', 'lun,mar,mer,jeu,ven'),
    'a weekly grid in Portuguese': weekly('Semana de 8 de março de 2027', 'Seg,Ter,Qua,Qui,Sex'),
    'a weekly grid in Spanish': weekly('Semana del lunes, 8 de marzo de 2027', 'lun,mar,mié,jue,vie'),
    'a weekly grid with initials': weekly('Week of 8 March 2027', 'M,T,W,T,F,S,S'),
    'a weekly grid under a date in a cell of its own': book([
      ['Week commencing', asDate('2027-03-08')],
      ['Name', 'Mon', 'Tue', 'Wed', 'Total'],
      ['Ada', '9-17', '', '', 8],
      ['Bo', '', '10-18', '', 8],
    ]),
    'numbers beside weekdays, under a month': `March 2027\nName,Mon 8,Tue 9,Thu 11\n${ROWS}`,
    'three numbers under a month': `March 2027\nName,8,9,10\n${ROWS}`,
    ordinals: `Name,8th March 2027,9th March 2027\n${ROWS}`,
    'weekdays above dates': `,Mon,Tue,Wed\nName,2027-03-08,2027-03-09,2027-03-10\n${ROWS}`,
    'weekdays below dates': `Name,8.3.2027,9.3.2027,10.3.2027\n,Mo,Di,Mi\n${ROWS}`,
    'initials below dates': `Name,8.3.2027,9.3.2027,10.3.2027\n,L,M,X\n${ROWS}`,
    'a week for which nobody is planned on one day': `Name,8.3.2027,9.3.2027,11.3.2027\n${ROWS}`,
    'months and weekdays in Polish': `Name,poniedziałek 8 marca 2027,wtorek 9 marca 2027\n${ROWS}`,
    'months and weekdays in Czech': `Name,pondělí 8. března 2027,úterý 9. března 2027\n${ROWS}`,
    'months and weekdays in Italian': `Name,lunedì 8 marzo 2027,martedì 9 marzo 2027\n${ROWS}`,
    'months and weekdays in Portuguese': `Name,segunda-feira 8 de março de 2027,terça-feira 9 de março de 2027\n${ROWS}`,
    'months and weekdays in Danish': `Name,mandag 8. marts 2027,tirsdag 9. marts 2027\n${ROWS}`,
    'short weekdays in Czech beside months': `Name,po 8. března 2027,út 9. března 2027,so 13. března 2027\n${ROWS}`,
    'short weekdays in Czech, which in German are others': `Name,2027-03-08,2027-03-09,2027-03-13\n,po,út,so\n${ROWS}`,
  }),
  ...saying([MONDAY, '2027-03-16 10:00 18:00 Bar Bo'], {
    'a weekly grid with a block for each week':
      'Week 10 2027\nName,Mon,Tue,Wed\nAda,9-17,,\n\nWeek 11 2027\nName,Mon,Tue,Wed\nBo,,10-18,\n',
    'a weekly grid of two weeks side by side':
      'Week commencing 8 March 2027\nName,Mon,Tue,Wed,Mon,Tue,Wed\nAda,9-17\nBo,,,,,10-18\n',
  }),
  ...saying(['2027-03-01 09:00 17:00 Bar Ada'], {
    'numbers under a title with other numbers': numbered('Station 3 – Dienstplan März 2027', '1,2,3,4,5'),
    'numbers under a month and a year in two cells': numbered('Plan,März,2027', '1,2,3,4,5'),
    'initials below numbers': numbered('March 2027', '1,2,3,4,5', ',M,T,W,T,F\nAda,9-17,,,,'),
    'initials below numbers in Dutch': numbered('maart 2027', '1,2,3,4,5', ',M,D,W,D,V\nAda,9-17,,,,'),
    'a date of printing above the month': numbered('Printed 15 February 2027\nMarch 2027', '1,2,3,4,5'),
  }),
  ...saying([...BOTH, '2027-03-07 09:00 17:00 Bar Ada'].toSorted(), {
    'a cell that is merged over days': book([DAYS, ['Ada', '9-17'], ['Bo', '', '18:30-1']], ['B2:C2']),
    'a name that is merged over days': book(
      [
        ['Shift', ...DAYS.slice(1)],
        ['Early 9-17', 'Ada'],
        ['Late 18:30-1', '', 'Bo'],
      ],
      ['B2:C2'],
    ),
  }),
  {
    name: 'a cell that is merged over days and people',
    file: book([DAYS, ['Ada', '9-17'], ['Bo']], ['B2:C3']),
    outcome: ['Ada', 'Bo'].flatMap((name) => [
      `2027-03-06 09:00 17:00 Bar ${name}`,
      `2027-03-07 09:00 17:00 Bar ${name}`,
    ]),
  },
  {
    name: 'a cell that is merged over days in LibreOffice',
    file: ods(
      `<table:table table:name="A"><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>2027-03-06</text:p></table:table-cell><table:table-cell><text:p>2027-03-07</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Ada</text:p></table:table-cell><table:table-cell table:number-columns-spanned="2"><text:p>9-17</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>`,
    ),
    outcome: ['2027-03-06 09:00 17:00 Bar Ada', '2027-03-07 09:00 17:00 Bar Ada'],
  },
  {
    name: 'free days that are merged, under a start and an end',
    file: book(
      [
        ['Name', asDate('2027-03-06'), '', asDate('2027-03-07')],
        ['', 'von', 'bis', 'von', 'bis'],
        ['Ada', 'Urlaub'],
        ['Bo', '9:00', '17:00', 'frei'],
      ],
      ['B3:E3', 'D4:E4'],
    ),
    outcome: ['2027-03-06 09:00 17:00 Bar Bo'],
  },
  {
    name: 'a title that is merged over all columns',
    file: book([DAYS, ['Kitchen'], ['Ada', '9-17']], ['A2:C2']),
    untold: /^cell A2: "Kitchen" may be the group of the rows below it/,
    options: { sections: 'nothing' },
    outcome: ['2027-03-06 09:00 17:00 Bar Ada'],
  },
  {
    name: 'rows for nobody',
    file: 'Name,2027-03-06,2027-03-07\nOPEN,9-17,\nN.N.,9-17,\n?,9-17,\nOpen shift,9-17,\nvrij,9-17,\nUnassigned,9-17,\nn/a,,9-17\nNan,,9-17\n',
    outcome: [
      ...Array.from({ length: 6 }, () => '2027-03-06 09:00 17:00 Bar '),
      '2027-03-07 09:00 17:00 Bar ',
      '2027-03-07 09:00 17:00 Bar Nan',
    ],
  },
  {
    name: 'a column for nobody, and nobody under a shift',
    file: 'Date,9-17,18:30-1\n2027-03-06,TBD,frei\n2027-03-07,off,Bo\n',
    outcome: ['2027-03-06 09:00 17:00 Bar ', '2027-03-07 18:30 01:00 Bar Bo'],
  },
  {
    name: 'a row without a name below an empty one',
    file: 'Name,2027-03-06,2027-03-07\nAda,9-17,\n,,\n,,18:30-1\n',
    outcome: ['2027-03-06 09:00 17:00 Bar Ada', '2027-03-07 18:30 01:00 Bar '],
  },
  {
    name: 'codes that are initials of weekdays',
    file: 'Name,2027-03-08,2027-03-09\nAda,M,T\n',
    options: {
      codes: new Map([
        ['M', '9-17'],
        ['T', '10-18'],
      ]),
    },
    outcome: [MONDAY, '2027-03-09 10:00 18:00 Bar Ada'],
  },
];

const ASKED: readonly Kind[] = [
  {
    name: 'a second line of a person',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda,Bar,9-12,\n,Bar,14-18,\n',
    untold:
      /cell A3, person: is empty below "Ada": .*--fill-down person; if its shifts are open, say --fill-down none/,
    options: { fillDown: ['person'] },
    outcome: ['2027-03-06 09:00 12:00 Bar Ada', '2027-03-06 14:00 18:00 Bar Ada'],
  },
  {
    name: 'open shifts below a person',
    file: 'Team,Name,2027-03-06,2027-03-07\nBar,Ada,9-17,\nBar,,,18:30-1\n',
    untold: /cell B3, person: is empty below "Ada"/,
    options: { fillDown: ['none'] },
    outcome: ['2027-03-06 09:00 17:00 Bar Ada', '2027-03-07 18:30 01:00 Bar '],
  },
  {
    name: 'a word between the names in a cell',
    file: 'Team,Shift,2027-03-06,2027-03-07\nBar,9:00-17:00,Ada und Bo,\n',
    untold: /cell C2, person: "Ada und Bo" may be several people/,
    options: { peopleSeparators: ['und'] },
    outcome: ['2027-03-06 09:00 17:00 Bar Ada', '2027-03-06 09:00 17:00 Bar Bo'],
  },
  {
    name: 'a comma between the names in a cell',
    file: 'Shift,2027-03-06,2027-03-07\n9:00-17:00,"Ada, Bo",\n',
    untold: /cell B2: "Ada, Bo" may be one name or several: .* --people-separator "," for several/,
    options: { peopleSeparators: [','] },
    outcome: ['2027-03-06 09:00 17:00 Bar Ada', '2027-03-06 09:00 17:00 Bar Bo'],
  },
  {
    name: 'a week without a year',
    file: weekly('Semaine du 8 mars', 'lun,mar,mer'),
    untold: /the week above the days lacks its year: give it with --year/,
    options: { year: 2027 },
    outcome: WEEK,
  },
  {
    name: 'a month without a year',
    file: numbered('Dienstplan März', '1,2,3,4,5'),
    untold: /the month above the days lacks its year: give it with --year/,
    options: { year: 2027 },
    outcome: ['2027-03-01 09:00 17:00 Bar Ada'],
  },
  {
    name: 'a column of times that is no day',
    file: 'Name,Team,2027-03-06,2027-03-07,Wish\nAda,Bar,9-17,,8-12\nBo,Bar,,18:30-1,\n',
    untold: /cell E2: "8-12" stands under "Wish", which is no day: .*--ignore-columns "Wish"/,
    options: { ignoredColumns: ['wish'] },
    outcome: BOTH,
  },
];

/** Grids that are refused. */
function refused(
  files: Readonly<Record<string, readonly [file: Kind['file'], why: RegExp]>>,
): readonly Kind[] {
  return Object.entries(files).map(([name, [file, why]]) => ({ name, file, outcome: { refused: why } }));
}

const REFUSED: readonly Kind[] = refused({
  'times of which a spreadsheet made a date': [
    `${DATES}\nAda,05-Sep,9-17,\n`,
    /^cell B2: is a date, 05-Sep, which the spreadsheet may have made of times such as 9-5/,
  ],
  'a group before the times': [
    `${DATES}\nAda,Bar 9-17,9-17,\n`,
    /^cell B2: "Bar 9-17" says more than two times/,
  ],
  'a day of another century': [
    'Name,8.3.2027,9.3.2072,10.3.2027\nAda,9-17,9-17,9-17\n',
    /^cell C1: "9.3.2072" does not fit between the days beside it: correct it$/,
  ],
  'a last day of another century': [
    'Name,8.3.2027,9.3.2027,10.3.2072\nAda,9-17,9-17,9-17\n',
    /^cell D1: "10.3.2072" comes 16438 days after "9.3.2027"/,
  ],
  'a last day of another month': [
    'Name,8.3.2027,9.3.2027,10.4.2027\nAda,9-17,9-17,9-17\n',
    /^cell D1: "10.4.2027" comes 32 days after "9.3.2027": correct one of them; if both are right, give the days/,
  ],
  'a mistyped day': [
    `${DATES.replace('Tue ', 'Tuseday ')}\nAda,9-17,9-17,\n`,
    /^cell C1: "Tuseday 9 Mar 2027" is no day: correct it; or, if the column holds none, say --ignore-columns/,
  ],
  'a mistyped first day': [
    `${DATES.replace('Mon ', 'Monnday ')}\nAda,9-17,9-17,\n`,
    /^cell B1: "Monnday 8 Mar 2027" is no day/,
  ],
  'a mistyped last day': [
    `${DATES.replace('Wed 10 Mar', 'Wed 10 Mra')}\nAda,E,E,E\n`,
    /^cell D1: "Wed 10 Mra 2027" is no day/,
  ],
  'a day that does not exist': [
    'Name,27.2.2027,28.2.2027,29.2.2027\nAda,9-17,9-17,9-17\n',
    /^cell D1: "29.2.2027" is no day/,
  ],
  'days that a spreadsheet took for months': [
    'Name,2027-01-03,2027-02-03,2027-03-03,2027-04-03\nAda,9-17,9-17,9-17,9-17\n',
    /^cell B1: "2027-01-03" and the days after it are a month apart each, .*: correct them/,
  ],
  'a day without its date': [
    `${DATES.replace('Tue 9 Mar 2027', 'Tue')}\n${ROWS}`,
    /^cell C1: "Tue" is no day/,
  ],
  'something in the place of a day': [
    `${DATES.replace('Tue 9 Mar 2027', '???')},Thu 11 Mar 2027\nAda,E,E,E,E\n`,
    /^cell C1: "\?\?\?" is no day/,
  ],
  'two days of which one has another weekday': [
    'Name,Fr 5.3.2027,So 6.3.2027,So 7.3.2027\nAda,9-17,,\n',
    /^cell C1: "So 6.3.2027" is no day after those left of it, or another weekday/,
  ],
  'two tables side by side': [
    'Name,Mon 8 Mar 2027,Tue 9 Mar 2027,Name,Wed 10 Mar 2027,Thu 11 Mar 2027\nAda,9-17,9-17,Bo,9-17,9-17\n',
    /^cell D1: "Name" begins a second table beside the first one: put it below, or on a sheet of its own$/,
  ],
  'two tables of the same days side by side': [
    'Name,8.3.2027,9.3.2027,Mitarbeiter,8.3.2027,9.3.2027\nAda,9-17,9-17,Bo,9-17,9-17\n',
    /^cell D1: "Mitarbeiter" begins a second table/,
  ],
  'a night that is merged over two days': [
    book([DAYS, ['Ada', '22-6']], ['B2:C2']),
    /^cell B2: "22-6" is merged over several cells, and may be one shift over night/,
  ],
  'a code for a night that is merged over two days': [
    book([DAYS, ['Ada', 'N']], ['B2:C2']),
    /^cell B2: "N" is not two times/,
  ],
  'weekdays below dates that contradict them': [
    `Name,2027-03-08,2027-03-09,2027-03-10\n,Di,Mi,Do\n${ROWS}`,
    /^cell B2: "Di" is not the weekday of 2027-03-08: correct the weekday or the date/,
  ],
  'weekdays above dates that contradict them': [
    `,Tue,Wed,Thu\nName,8.3.2027,9.3.2027,10.3.2027\n${ROWS}`,
    /^cell B1: "Tue" is not the weekday of 2027-03-08/,
  ],
  'initials that contradict the dates': [
    numbered('April 2027', '1,2,3,4,5', ',M,T,W,T,F\nAda,9-17,,,,'),
    /^cell B3: "M" is not the weekday of 2027-04-01/,
  ],
  'weekdays of the second week that contradict it': [
    'Name,2027-03-08,2027-03-09\nAda,9-17,\n,Tue,Wed\nName,2027-03-15,2027-03-16\nAda,9-17,\n',
    /^cell B3: "Tue" is not the weekday of 2027-03-15/,
  ],
  'a column of weekdays that contradicts the dates': [
    'Date,Day,Ada,Bo\n2027-03-08,Mon,9-17,\n2027-03-09,Wed,,9-17\n',
    /^cell B3: "Wed" is not the weekday of 2027-03-09/,
  ],
  'a formula without a result in the place of a day': [
    book([
      ['Name', asDate('2027-03-06'), { xml: '><f>B1+1</f>' }, { xml: '><f>C1+1</f>' }],
      ['Ada', '9-17', '9-17', '9-17'],
    ]),
    /^cell C1: "=B1\+1" was never calculated: open the workbook in a spreadsheet program, and save it again/,
  ],
  'a formula without a result in the place of times': [
    book([DAYS, ['Ada', { xml: ' t="str"><f>X1</f>' }, '9-17']]),
    /^cell B2: "=X1" was never calculated/,
  ],
  'a weekly grid without a week': [
    `Name,Mon,Tue,Wed\n${ROWS}`,
    /weekdays without dates: write the week above them, such as "Week of 8 March 2027"/,
  ],
  'a weekly grid under the date of printing': [weekly('Printed 8 March 2027'), /weekdays without dates/],
  'a weekly grid under a day in the middle of the week': [
    weekly('Week of 10 March 2027'),
    /^cell B2: the days from "Mon" on do not fit the week in the title above them/,
  ],
  'a weekly grid whose weeks begin on Sunday, under the number of a week': [
    weekly('Week 10 2027', 'Sun,Mon,Tue,Wed,Thu,Fri,Sat'),
    /^cell B2: the days from "Sun" on do not fit the week/,
  ],
  'a weekly grid with a day that is there twice': [
    weekly('Week of 8 March 2027', 'Mon,Tue,Tue,Thu'),
    /^cell B2: the days from "Mon" on do not fit the week/,
  ],
  'a weekly grid with two days in each other’s place': [
    weekly('Week of 8 March 2027', 'Mon,Tue,Wed,Thu,Fri,Sun,Sat'),
    /^cell B2: the days from "Mon" on do not fit the week/,
  ],
  'a weekly grid with a mistyped day': [
    weekly('Week of 8 March 2027', 'Mon,Tue,Wendesday,Thu,Fri'),
    /^cell D2: "Wendesday" is no day/,
  ],
  'a weekly grid whose second block has no week': [
    'Week of 8 March 2027\nName,Mon,Tue,Wed\nAda,9-17,,\nName,Mon,Tue,Wed\nAda,,9-17,\n',
    /^line 5: "Ada" already stands under these days: if this block is of another time, write the week or month/,
  ],
  'numbers over the end of a month that may begin in two': [
    numbered('August 2027', '30,31,1,2,3'),
    /^line 2: the days may begin in 2027-07 or in 2027-08: write both months above them/,
  ],
  'numbers beside other weekdays': [
    `March 2027\nName,Tue 8,Wed 9\n${ROWS}`,
    /^cell B2: "Tue 8" is not the weekday of 2027-03-08/,
  ],
  'a shift on a day that the month does not have': [
    numbered('February 2027', '26,27,28,29,30', 'Ada,9-17,,,9-17,'),
    /^cell E3: "9-17" stands under "29", which is no day/,
  ],
});

export const GRID_KINDS: readonly Kind[] = [...AS_MEANT, ...ASKED, ...REFUSED];
