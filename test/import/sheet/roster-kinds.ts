/** Rosters as people lay them out, and what must come of each. All are of the group Bar. */

import { GRID_KINDS } from './grid-kinds.ts';
import { BOTH, EARLY, type Kind, LATE, saying } from './kinds.ts';
import { asDate, asTime, book } from './make-workbook.ts';

const DAYS = ['Name', asDate('2027-03-06'), asDate('2027-03-07')];
const NUMBERS = Array.from({ length: 31 }, (_, i) => i + 1);
const MARCH_ROWS = [
  ['Ada', '', '', '', '', '', '9-17'],
  ['Bo', '', '', '', '', '', '', '18:30-1'],
];

const KINDS: readonly Kind[] = [
  ...saying(BOTH, {
    'a roster with start and end under each day': book(
      [
        ['Name', asDate('2027-03-06'), '', '', asDate('2027-03-07')],
        ['', 'von', 'bis', 'Std', 'von', 'bis', 'Std'],
        ['Ada', asTime('09:00'), asTime('17:00'), 8, 'frei'],
        ['Bo', '', '', '', asTime('18:30'), asTime('01:00'), 6.5],
      ],
      ['B1:D1', 'E1:G1'],
    ),
    'a roster with start and end below each other': book(
      [
        ['Name', '', ...DAYS.slice(1)],
        ['Ada', 'Start', asTime('09:00')],
        ['', 'Ende', asTime('17:00')],
        ['Bo', 'Start', '', asTime('18:30')],
        ['', 'Ende', '', asTime('01:00')],
      ],
      ['A2:A3', 'A4:A5'],
    ),
    'a roster with the numbers of days under a month': book([
      ['Dienstplan März 2027'],
      ['Name', ...NUMBERS],
      ...MARCH_ROWS,
    ]),
    'a roster with the numbers of days and their weekdays under a date for the month': book([
      [asDate('2027-03-01')],
      ['', ...NUMBERS],
      ['', 'Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa', 'So'],
      ...MARCH_ROWS,
    ]),
    'days down and people across':
      'Date,Weekday,Ada,Bo,Cy\n2027-03-06,Sat,9-17,off,\n2027-03-07,Sun,,18:30-1,\nTotal,,8,6.5,0\n',
    'a roster with names beside shifts':
      'Shift,Sat 6 Mar 2027,Sun 7 Mar 2027\nEarly 9-17,Ada,\nLate 18:30-1,,Bo\n',
  }),
  {
    name: 'a roster with two shifts in a cell',
    file: 'Name,2027-03-06,2027-03-07\nAda,9-12 / 14-18,\nBo,,"9-12\n14-18"\n',
    outcome: [
      '2027-03-06 09:00 12:00 Bar Ada',
      '2027-03-06 14:00 18:00 Bar Ada',
      '2027-03-07 09:00 12:00 Bar Bo',
      '2027-03-07 14:00 18:00 Bar Bo',
    ],
  },
  {
    name: 'a list with two shifts in a cell',
    file: 'Date,Times,Name\n2027-03-06,9-12 und 14-18,Ada\n',
    outcome: ['2027-03-06 09:00 12:00 Bar Ada', '2027-03-06 14:00 18:00 Bar Ada'],
  },
  {
    name: 'a roster with a block for each week',
    file: 'Week 9,,\nName,2027-03-06,2027-03-07\nAda,9-17,\nBo,,18:30-1\n,,\nKW 10,2027-03-13,2027-03-14\nAda,10-18,\n',
    outcome: [...BOTH, '2027-03-13 10:00 18:00 Bar Ada'],
  },
  {
    name: 'a roster with a block for each group',
    file: 'Team Bar,2027-03-06,2027-03-07\nAda,9-17,\n,,\nTeam Kitchen,2027-03-06,2027-03-07\nBo,,18:30-1\n',
    outcome: {
      refused: /^cell A1: "Team Bar" may be the group of the rows below it; if so, say --sections group/,
    },
  },
  {
    name: 'a roster with a block for each week, over the turn of the year',
    file: 'Name;30.12.;31.12.\nAda;9-17;\nName;1.1.;2.1.\nAda;;10-18\n',
    options: { year: 2026 },
    outcome: ['2026-12-30 09:00 17:00 Bar Ada', '2027-01-02 10:00 18:00 Bar Ada'],
  },
  {
    name: 'a roster with blocks without years that go back',
    file: 'Name;30.12.;31.12.\nAda;9-17;\nName;1.6.;2.6.\nAda;;10-18\n',
    options: { year: 2026 },
    outcome: { refused: /is no day after those left of it/ },
  },
  {
    name: 'a roster with somebody whose times became dates',
    file: book([DAYS, ['Ada', asDate('2027-05-09'), asDate('2027-06-10')]]),
    outcome: { refused: /cell B2: is a date, 2027-05-09, which the spreadsheet may have made of times/ },
  },
  {
    name: 'a roster with a start that has no end',
    file: ';6.3.2027;;7.3.2027;\nName;Start;End;Start;End\nAda;9:00;;;\n',
    outcome: { refused: /cell B3: "9:00" is not two times/ },
  },
  {
    name: 'a roster with the numbers of days and the weekdays of another month',
    file: 'April 2027\n,1,2,3,4,5\nName,Mo,Di,Mi,Do,Fr\nAda,9-17,,,,\n',
    outcome: { refused: /cell B3: "Mo" is not the weekday of 2027-04-01: correct the weekday or the date/ },
  },
  {
    name: 'a roster with more numbers of days than the month has',
    file: 'February 2027\nName,26,27,28,29,30,31\nAda,9-17,,,,,\n',
    outcome: ['2027-02-26 09:00 17:00 Bar Ada'],
  },
  {
    name: 'a roster with the numbers of days over the end of a month',
    file: 'March 2027\nName,29,30,31,1,2\nAda,9-17,,,10-18,\n',
    outcome: ['2027-03-29 09:00 17:00 Bar Ada', '2027-04-01 10:00 18:00 Bar Ada'],
  },
  {
    name: 'a roster with the numbers of days of a month that nobody knows',
    file: 'Name,1,2,3,4,5\nAda,9-17,,,,\n',
    outcome: { refused: /the days are numbers: write their month and year above them/ },
  },
  {
    name: 'a roster with the numbers of days of two months',
    file: 'March 2027,April 2027\nName,1,2,3,4,5\nAda,9-17,,,,\n',
    outcome: { refused: /and not two such as 2027-03 and 2027-04/ },
  },
  {
    name: 'a roster with weekdays only',
    file: 'Name,Mon,Tue,Wed\nAda,9-17,,\n',
    outcome: { refused: /weekdays without dates/ },
  },
  {
    name: 'a roster with a last day that has no heading',
    file: 'Name,2027-03-06,2027-03-07,\nAda,9-17,,10-18\n',
    outcome: { refused: /cell D2: "10-18" stands under no heading/ },
  },
  {
    name: 'days down and people across, with a code',
    file: 'Date,Ada,Bo\n2027-03-06,9-17,\n2027-03-07,E,18:30-1\n',
    outcome: { refused: /cell B3: "E" is not two times/ },
  },
  {
    name: 'days down and people across, of whom one begins later',
    file: `Date,Ada,Bo\n${'2027-03-06,9-17,\n'.repeat(25)}2027-03-07,,18:30-1\n`,
    outcome: [...Array.from({ length: 25 }, () => EARLY), LATE],
  },
  {
    name: 'names under shifts',
    file: 'Date,Early 9:00-17:00,Late (18:30-1)\n2027-03-06,Ada,-\n2027-03-07,,"Bo\nCy"\n',
    outcome: [...BOTH, '2027-03-07 18:30 01:00 Bar Cy'],
  },
  {
    name: 'names under shifts, with commas',
    file: 'Date,9-17,18:30-1\n2027-03-06,"Ada, Bo",\n',
    outcome: { refused: /cell B2: "Ada, Bo" may be one name or several/ },
  },
];

export const ROSTER_KINDS: readonly Kind[] = [...KINDS, ...GRID_KINDS].map(({ options, ...kind }) => ({
  ...kind,
  options: { group: 'Bar', ...options },
}));
