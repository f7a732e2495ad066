/** Sheets as people make them, and what must come of each. */

import type { SheetTask } from '../../../src/import/options.ts';

export interface Kind {
  readonly name: string;
  readonly file: string | Buffer;
  readonly options?: Partial<SheetTask>;
  /** Words of the problem as long as the options are not given. */
  readonly untold?: RegExp;
  /** `date start end group person`, or words of the problem. */
  readonly outcome: readonly string[] | { readonly refused: RegExp };
}

export const EARLY = '2027-03-06 09:00 17:00 Bar Ada';
export const LATE = '2027-03-07 18:30 01:00 Bar Bo';
export const BOTH = [EARLY, LATE];
const HEAD = 'Date,Start,End,Team,Name';
const ROWS = '2027-03-06,9:00,17:00,Bar,Ada\n2027-03-07,18:30,1:00,Bar,Bo';
const TWO = `${HEAD}\n${ROWS}\n`;

export const KINDS: readonly Kind[] = [
  ...saying(BOTH, {
    English: TWO,
    'with |': TWO.replaceAll(',', '|'),
    'UTF-16 little end first': Buffer.from(`\ufeff${TWO}`, 'utf16le'),
    'UTF-16 big end first': Buffer.from(`\ufeff${TWO}`, 'utf16le').swap16(),
    Dutch:
      'Datum;Van;Tot;Ploeg;Medewerker\nza 6 maart 2027;9.00;17.00;Bar;Ada\nzo 7 mrt. 2027;18.30;1.00;Bar;Bo\n',
    German:
      'Datum;Von;Bis;Team;Name\nSa, 6. März 2027;9 Uhr;17 Uhr;Bar;Ada\nSo 7.3.27;18:30 Uhr;1 Uhr;Bar;Bo\n',
    French:
      'Date;Début;Fin;Équipe;Nom\nsamedi 6 mars 2027;9h;17h;Bar;Ada\ndim. 7 mars 2027;18h30;1h00;Bar;Bo\n',
    Spanish:
      'Fecha;Inicio;Fin;Equipo;Empleado\nsábado, 6 de marzo de 2027;9:00;17:00;Bar;Ada\n7-mar-2027;18:30;1:00;Bar;Bo\n',
    'am and pm': `${HEAD}\n06-Mar-27,9am,5 p.m.,Bar,Ada\nSun 7 March 2027,6:30pm,1 AM,Bar,Bo\n`,
    'times without colons': `${HEAD}\n2027-03-06,0900,1700,Bar,Ada\n20270307,1830,0100,Bar,Bo`,
    'both times in a cell': 'Date,Time,Team,Name\n2027-03-06,9-17,Bar,Ada\n2027-03-07,18:30 – 01:00,Bar,Bo',
    'both times in the column of the start':
      'Date,Start,Team,Name\n2027-03-06,9am - 5pm,Bar,Ada\n2027-03-07,de 18h30 à 1h,Bar,Bo',
    'date and time together':
      'Start,End,Team,Name\n2027-03-06 09:00,2027-03-06 17:00,Bar,Ada\n7.3.2027 18:30,8.3.2027 1:00,Bar,Bo',
    'a length': 'Date,Start,Hours,Team,Name\n2027-03-06,9,8,Bar,Ada\n2027-03-07,18:30,6.5,Bar,Bo',
    'a length with a comma': 'Datum;Von;Dauer;Team;Name\n6.3.2027;9;8,0;Bar;Ada\n7.3.2027;18:30;6,5;Bar;Bo',
    'a length as a time':
      'Date,Start,Duration,Team,Name\n2027-03-06,9,8:00,Bar,Ada\n2027-03-07,18:30,6h30,Bar,Bo',
    'titles, weeks, totals, empty rows and the headings once more': `Plan of the Lighthouse,,,,\n\nPrinted 2027-01-01,,,,\n${HEAD}\nWeek 9,,,,\n2027-03-06,9,17,Bar,Ada\n,,,,\nTotal,,8,,\nWeek 10\n${HEAD}\n2027-03-07,18:30,1,Bar,Bo\nTotal: 14.5\n`,
    'short rows': `${HEAD},Notes,Star\n${ROWS}\n`,
    'a roster':
      'Plan\n\nName,Team,Sat 6 March 2027,Sun 7 March 2027,Hours\nAda,Bar,9-17,,8\nBo,Bar,,18:30-1,6.5\nTotal,,1,1,14.5\n',
  }),
  ...saying([EARLY], {
    'dates that a weekday decides': `${HEAD}\nSat 3/6/2027,9,17,Bar,Ada`,
    'columns that nobody knows':
      'Day,Date,Rate,Start,End,Team,Name,Shift\nSat,2027-03-06,12,9,17,Bar,Ada,E\n',
    'a day for a date': 'Day,Start,End,Team,Name\n2027-03-06,9,17,Bar,Ada\n',
  }),
  {
    name: 'UTF-16 without a mark',
    file: Buffer.from(TWO, 'utf16le'),
    untold: /--encoding utf-16le/,
    options: { encoding: 'utf-16le' },
    outcome: BOTH,
  },
  {
    name: 'a German Excel',
    file: Buffer.from(
      'Datum;Beginn;Ende;Gruppe;Mitarbeiter\r\n06.03.2027;09:00;17:00;K\u00fcche;Ada\r\n',
      'latin1',
    ),
    untold: /--encoding windows-1252/,
    options: { encoding: 'windows-1252' },
    outcome: ['2027-03-06 09:00 17:00 Küche Ada'],
  },
  {
    name: 'a Polish Excel',
    file: Buffer.from(`${HEAD}\n2027-03-06,9,17,Obs\u00b3uga,Ada\n`, 'latin1'),
    outcome: { refused: /perhaps it is windows-1250, which reads "Obsługa"/ },
  },
  {
    name: 'a French Excel',
    file: Buffer.from(`${HEAD}\n2027-03-06,9,17,S\u009curs,Ren\u00e9\n`, 'latin1'),
    outcome: { refused: /perhaps it is windows-1252, which reads "Sœurs"/ },
  },
  {
    name: 'an old Mac',
    file: Buffer.concat([
      Buffer.from(`${HEAD}\n2027-03-06,9,17,K`),
      Buffer.from([0x9f]),
      Buffer.from('che,Ada\n'),
    ]),
    untold: /--encoding macintosh/,
    options: { encoding: 'macintosh' },
    outcome: ['2027-03-06 09:00 17:00 Küche Ada'],
  },
  {
    name: 'the end of the day',
    file: `${HEAD}\n2027-03-06,16:00,24:00,Bar,Ada`,
    outcome: ['2027-03-06 16:00 00:00 Bar Ada'],
  },
  {
    name: 'am or pm for one of two, where the other needs neither',
    file: 'Date,Time,Team,Name\n2027-03-06,9am-13,Bar,Ada',
    outcome: ['2027-03-06 09:00 13:00 Bar Ada'],
  },
  {
    name: 'a length that may be two',
    file: 'Date,Start,Hours,Team,Name\n2027-03-06,9,7.30,Bar,Ada',
    outcome: { refused: /"7.30" may be hours and minutes, or a part of an hour/ },
  },
  {
    name: 'dates of which a later one decides',
    file: `${HEAD}\n6/3/2027,9,17,Bar,Ada\n7/3/2027,18:30,1,Bar,Bo\n25/3/2027,9,17,Bar,Cy`,
    outcome: [...BOTH, '2027-03-25 09:00 17:00 Bar Cy'],
  },
  {
    name: 'American dates',
    file: `${HEAD}\n3/6/2027,9,17,Bar,Ada\n3/7/2027,18:30,1,Bar,Bo\n3/25/2027,9,17,Bar,Cy`,
    outcome: [...BOTH, '2027-03-25 09:00 17:00 Bar Cy'],
  },
  {
    name: 'dates that may be two',
    file: `${HEAD}\n3/6/2027,9,17,Bar,Ada`,
    untold: /--date-format D\/M\/YYYY or --date-format M\/D\/YYYY/,
    options: { dateFormat: 'M/D/YYYY' },
    outcome: [EARLY],
  },
  {
    name: 'dates in two orders',
    file: `${HEAD}\n25/3/2027,9,17,Bar,Ada\n3/25/2027,9,17,Bar,Ada`,
    outcome: { refused: /not written in one way/ },
  },
  {
    name: 'a weekday that does not agree',
    file: `${HEAD}\nSun 6 March 2027,9,17,Bar,Ada`,
    outcome: { refused: /another weekday/ },
  },
  {
    name: 'numbers of Excel',
    file: `${HEAD}\n46452,0.375,0.708333333333333,Bar,Ada\n46453,0.770833333,0.041666667,Bar,Bo`,
    options: { dateFormat: 'serial' },
    outcome: BOTH,
  },
  {
    name: 'numbers of Excel, not told',
    file: `${HEAD}\n46452,0.375,0.7083,Bar,Ada`,
    outcome: { refused: /"46452" may be a date as Excel counts days: then say --date-format serial/ },
  },
  {
    name: 'no groups',
    file: 'Date,Start,End,Name\n2027-03-06,9,17,Ada\n',
    untold: /--group gives one for all rows/,
    options: { group: 'Bar' },
    outcome: [EARLY],
  },
  {
    name: 'dates once a day',
    file: `${HEAD}\n2027-03-06,9,17,Bar,Ada\n,10,18,Bar,Bo\n`,
    untold: /line 3, date: is empty/,
    options: { fillDown: ['date'] },
    outcome: [EARLY, '2027-03-06 10:00 18:00 Bar Bo'],
  },
  {
    name: 'a formula that failed',
    file: `${HEAD}\n2027-03-06,9,17,#REF!,Ada\n`,
    outcome: { refused: /"#REF!" is an error of the spreadsheet/ },
  },
  {
    name: 'a roster without years',
    file: ';6.3.;7.3.\nAda;9-17;\nBo;;18:30-1\n',
    options: { group: 'Bar' },
    outcome: { refused: /the days lack their year: give it with --year/ },
  },
  {
    name: 'a roster without years, told',
    file: ';6.3.;7.3.\n;Sa;So\nAda;9-17;\nBo;;18:30-1\n',
    options: { group: 'Bar', year: 2027 },
    outcome: BOTH,
  },
  {
    name: 'a roster over the turn of the year',
    file: 'Naam;do 31 dec;vr 1 jan\nAda;9-17;10-18\n',
    options: { group: 'Bar', year: 2026 },
    outcome: ['2026-12-31 09:00 17:00 Bar Ada', '2027-01-01 10:00 18:00 Bar Ada'],
  },
  {
    name: 'a roster with codes',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda,Bar,E,off\nBo,Bar,,L\n',
    outcome: { refused: /cell C2: "E" is not two times .*--codes "E=06:00-14:00"/ },
  },
  {
    name: 'a roster with codes, told',
    file: 'Name,Team,2027-03-06,2027-03-07\nAda,Bar,E,Off\nBo,Bar,,L\n',
    options: {
      codes: new Map([
        ['E', '9-17'],
        ['L', '18:30-01:00'],
        ['off', ''],
      ]),
    },
    outcome: BOTH,
  },
  {
    name: 'a roster of groups',
    file: 'Team;6.3.2027;7.3.2027\nBar;9-17;18:30-1\n',
    outcome: ['2027-03-06 09:00 17:00 Bar ', '2027-03-07 18:30 01:00 Bar '],
  },
  {
    name: 'a roster with groups once, told',
    file: 'Team,Name,2027-03-06,2027-03-07\nBar,Cy,,\n,Ada,9-17,\n,Bo,,18:30-1\n',
    options: { fillDown: ['group'] },
    outcome: BOTH,
  },
  {
    name: 'a roster of days that may be two',
    file: 'Name,Team,3/6/2027,3/7/2027\nAda,Bar,9-17,\n',
    outcome: { refused: /--date-format D\/M\/YYYY or --date-format M\/D\/YYYY/ },
  },
  {
    name: 'a roster of days that may be two, told',
    file: 'Name,Team,3/6/2027,3/7/2027\nAda,Bar,9-17,\nBo,Bar,,18:30-1\n',
    options: { dateFormat: 'M/D/YYYY' },
    outcome: BOTH,
  },
  {
    name: 'a roster of two weeks with a gap',
    file: 'Name,Team,2027-03-06,2027-03-07,Hours,2027-03-13,2027-03-14\nAda,Bar,9-17,,8,10-18,\nBo,Bar,,18:30-1,6.5,,\n',
    outcome: [EARLY, '2027-03-13 10:00 18:00 Bar Ada', LATE],
  },
  {
    name: 'a roster with cells under no day',
    file: 'Name,Team,2027-03-06,,2027-03-07,2027-03-08\nAda,Bar,9-17,18-20,,\n',
    outcome: {
      refused: /cell D2: "18-20" stands under no heading: write the day of this column into cell D1/,
    },
  },
  {
    name: 'a roster with another weekday',
    file: 'Name,Team,Sat 6 March 2027,Sun 7 March 2027,Sun 8 March 2027\nAda,Bar,9-17,,9-17\n',
    outcome: { refused: /cell E1: "Sun 8 March 2027" is no day after those left of it, or another weekday/ },
  },
];

/** Sheets that all say the same shifts. */
export function saying(outcome: readonly string[], files: Readonly<Record<string, Kind['file']>>): Kind[] {
  return Object.entries(files).map(([name, file]) => ({ name, file, outcome }));
}
