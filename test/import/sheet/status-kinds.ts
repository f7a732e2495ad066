/** Columns and words that change what a row of a list means, and what must come of each. */

import type { Kind } from './kinds.ts';

const ADA = '2027-03-06 09:00 17:00 Bar Ada';
const withStatus = (heading: string, ...words: readonly string[]) =>
  [`Date,Start,End,Team,Name,${heading}`, ...words.map((word) => `2027-03-06,9,17,Bar,Ada,${word}`)].join(
    '\n',
  );

export const STATUS_KINDS: readonly Kind[] = [
  {
    name: 'statuses that are known',
    file: withStatus('Status', 'Confirmed', 'cancelled', 'No-show', 'annual leave', 'Sick', '', '-', 'none'),
    outcome: [ADA, `${ADA} cancelled`, `${ADA} noshow`, ADA, ADA, ADA],
  },
  {
    name: 'statuses that are not known',
    file: withStatus('Shift status', 'declined', 'Requested'),
    untold:
      /line 2, Shift status: what "declined" means .* --status "declined=none".*\nline 3, .*"Requested=none"/,
    options: {
      statuses: new Map([
        ['declined', 'none'],
        ['requested', 'shift'],
      ]),
    },
    outcome: [ADA],
  },
  { name: 'absences in German', file: withStatus('Abwesenheit', 'krank', '', 'Urlaub'), outcome: [ADA] },
  {
    name: 'types that say nothing about absence',
    file: withStatus('Type', 'Early', 'Late'),
    outcome: [ADA, ADA],
  },
  {
    name: 'types of which one is an absence',
    file: withStatus('Type', 'Early', 'Vacation'),
    untold: /line 2, Type: what "Early" means for a shift is not known/,
    options: { statuses: new Map([['early', 'shift']]) },
    outcome: [ADA],
  },
  {
    name: 'a status that is left out',
    file: withStatus('Status', 'declined'),
    options: { ignoredColumns: ['Status'] },
    outcome: [ADA],
  },
  ...Object.entries({
    Deleted: 'true',
    Draft: '1',
    'Replaced by': 'Bo',
    Vertretung: 'Bo',
    'New start': '10:00',
    Repeat: 'weekly',
    Krank: 'ja',
    Absent: 'x',
    Approved: 'No',
    Confirmed: 'declined',
    'Staff needed': '3',
  }).map(([heading, word]) => ({
    name: `a column ${heading}, which is not read`,
    file: withStatus(heading, '', word, word),
    untold: new RegExp(
      `^line 1, ${heading}: holds what may change a shift, and is not read: "${word}"; .* --ignore-columns "?${heading}"?$`,
    ),
    options: { ignoredColumns: [heading] },
    outcome: [ADA, ADA, ADA],
  })),
  ...Object.entries({ Reason: 'sick', Category: 'Holiday', Motif: 'Arrêt maladie', Shift: 'Vacation' }).map(
    ([heading, word]) => ({
      name: `${word} in a column ${heading}`,
      file: withStatus(heading, 'Early', word),
      untold: new RegExp(
        `^line 3, ${heading}: "${word}" may say that the shift does not take place; .* --status "${word}=none"`,
      ),
      options: { statuses: new Map([[word, 'none' as const]]) },
      outcome: [ADA],
    }),
  ),
  {
    name: 'remarks that say that a shift is cancelled',
    file: withStatus('Notes', 'bring keys', 'CANCELLED'),
    untold:
      /^line 3, Notes: "CANCELLED" may say that the shift does not take place; if so, say --status "CANCELLED=cancelled"/,
    options: { statuses: new Map([['CANCELLED', 'cancelled']]) },
    outcome: [ADA, `${ADA} cancelled`],
  },
  {
    name: 'a group that may be an absence',
    file: 'Date,Start,End,Team,Name\n2027-03-06,9,17,Bar,Ada\n2027-03-06,9,17,Sick,Ada\n',
    untold: /^line 3, Team: "Sick" may say that the shift does not take place/,
    options: { statuses: new Map([['Sick', 'shift']]) },
    outcome: [ADA, '2027-03-06 09:00 17:00 Sick Ada'],
  },
  {
    name: 'somebody who is sick and replaced, and somebody who is only replaced',
    file: withStatus('Status,Replaced by', 'Sick,Bo', 'Confirmed,Cy'),
    outcome: { refused: /^line 1, Replaced by: holds what may change a shift, and is not read: "Bo"/ },
  },
  {
    name: 'columns that change nothing',
    file: withStatus('Deleted,Staff needed', 'false,1', 'No,0', ',', '-,-'),
    outcome: [ADA, ADA, ADA, ADA],
  },
  {
    name: 'a type that says only far below that shifts are cancelled',
    file: withStatus('Type', ...Array.from({ length: 5_000 }, () => 'Early'), 'cancelled'),
    outcome: [...Array.from({ length: 5_000 }, () => ADA), `${ADA} cancelled`],
  },
  {
    name: 'headings that name a zone',
    file: 'Date,Start (UTC),End (UTC),Team,Name\n2027-03-06,9,17,Bar,Ada\n',
    untold: /line 1, "Start \(UTC\)": the heading names a time zone/,
    options: {
      columnNames: new Map([
        ['start_time', 'Start (UTC)'],
        ['end_time', 'End (UTC)'],
      ]),
    },
    outcome: [ADA],
  },
  {
    name: 'a column of time zones',
    file: withStatus('Time zone', 'Europe/London'),
    untold: /line 2, Time zone: "Europe\/London" may be another time zone than that of the account/,
    options: { timeZone: 'Europe/London' },
    outcome: [ADA],
  },
];
