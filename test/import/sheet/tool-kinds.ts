/** Sheets as other programs for planning write them, and what must come of each. */

import { BOTH, EARLY, type Kind, saying } from './kinds.ts';

export const TOOL_KINDS: readonly Kind[] = [
  ...saying(BOTH, {
    'In and Out':
      'Employee,Role,Department,Date,In,Out,Labor %\nAda,Barkeeper,Bar,2027-03-06,9a,5p,12%\nBo,Barkeeper,Bar,2027-03-07,6:30p,1a,9%\n',
    'shifts as times': 'Date,Shift,Team,Name\n2027-03-06,9a-5p,Bar,Ada\n2027-03-07,6:30p-1a,Bar,Bo\n',
    'am and pm in columns of their own':
      'Date,Start,AM/PM,End,AM/PM,Team,Name\n2027-03-06,9:00,AM,5:00,PM,Bar,Ada\n2027-03-07,6:30,PM,1:00,AM,Bar,Bo\n',
    'dates that a column of weekdays decides':
      'Day,Date,Start,End,Team,Name\nSaturday,3/6/2027,9:00,17:00,Bar,Ada\nSunday,3/7/2027,18:30,1:00,Bar,Bo\n',
  }),
  ...saying([EARLY], {
    'start day and end day':
      'id,Employee,Position,Start Day,Start Time,End Day,End Time\n88,Ada,Bar,"Mar 6, 2027",9:00 am,"Mar 6, 2027",5:00 pm\n',
    'starts_at and ends_at':
      'shift_id,starts_at,ends_at,team,employee\n17,2027-03-06T09:00:00,2027-03-06T17:00:00,Bar,Ada\n',
    'apostrophes before times': "Date,Start,End,Team,Name\n'2027-03-06,'09:00,'17:00,Bar,Ada\n",
    'free days in a list':
      'Datum;Von;Bis;Team;Name\n6.3.2027;9:00;17:00;Bar;Ada\n7.3.2027;frei;;Bar;Ada\n8.3.2027;-;-;Bar;Ada\n',
  }),
  {
    name: 'first and last names, positions',
    file: '"First Name","Last Name","Date","Start Time","End Time","Unpaid Break","Position","Notes"\r\n"Ada","Byron","03/20/2027","9:00am","5:00pm","30","Bar",""\r\n',
    outcome: ['2027-03-20 09:00 17:00 Bar Ada Byron'],
  },
  {
    name: 'Nom and Prénom',
    file: 'Nom;Prénom;Date;Début;Fin;Service\nByron;Ada;6 mars 2027;9h;17h;Bar\n',
    outcome: ['2027-03-06 09:00 17:00 Bar Ada Byron'],
  },
  {
    name: 'Nombre and Apellidos',
    file: 'Nombre;Apellidos;Fecha;Hora de entrada;Hora de salida;Área\nAda;Byron;6.3.2027;9:00;17:00;Bar\n',
    outcome: ['2027-03-06 09:00 17:00 Bar Ada Byron'],
  },
  {
    name: 'areas, and whether a shift is published',
    file: 'Employee,Area,Date,Start Time,End Time,Published\nAda,Bar,20/03/2027,09:00 AM,05:00 PM,Yes\n',
    outcome: ['2027-03-20 09:00 17:00 Bar Ada'],
  },
  {
    name: 'a shift that is not published',
    file: 'Employee,Area,Date,Start Time,End Time,Published\nAda,Bar,20/03/2027,09:00 AM,05:00 PM,No\n',
    outcome: { refused: /"No" says that the shift is not published/ },
  },
  {
    name: 'positions and areas, of which nobody can tell which is the group',
    file: 'Name,Position,Area,Date,Start,End\nAda,Barkeeper,Bar,2027-03-06,9,17\n',
    outcome: { refused: /two columns for group, "Position" and this one/ },
  },
  {
    name: 'users and names, of which nobody can tell which is the person',
    file: 'User,Name,Team,Date,Start,End\nada7,Ada,Bar,2027-03-06,9,17\n',
    outcome: { refused: /two columns for person, "User" and this one/ },
  },
  {
    name: 'times with a zone',
    file: 'start,end,team,employee\n2027-03-06T09:00:00Z,2027-03-06T17:00:00Z,Bar,Ada\n',
    outcome: { refused: /start_time: "2027-03-06T09:00:00Z" names a time zone/ },
  },
  {
    name: 'addresses without places',
    file: 'Date,Start,End,Shift title,Job,Users,Address\n2027-03-06,9,17,Early,Bar,Ada,Long Pier 4\n',
    outcome: { refused: /say --columns location=Address/ },
  },
  {
    name: 'shifts as codes',
    file: 'Datum;Schicht;Team;Name\n6.3.2027;F;Bar;Ada\n',
    outcome: { refused: /"F" is not two times .*--codes "F=06:00-14:00"/ },
  },
  {
    name: 'noon and midnight',
    file: 'Date,Start,End,Team,Name\n2027-03-06,noon,midnight,Bar,Ada\n2027-03-07,9 AM,Noon,Bar,Bo\n',
    outcome: ['2027-03-06 12:00 00:00 Bar Ada', '2027-03-07 09:00 12:00 Bar Bo'],
  },
  {
    name: 'hours that may be with breaks',
    file: 'Datum;Von;Stunden;Pause;Team;Name\n6.3.2027;9:00;7,5;0,5;Bar;Ada\n',
    outcome: { refused: /the hours may be with the breaks or without/ },
  },
  {
    name: 'hours that may be with breaks, told',
    file: 'Datum;Von;Stunden;Pause;Team;Name\n6.3.2027;9:00;8;0,5;Bar;Ada\n',
    options: { ignoredColumns: ['Pause'] },
    outcome: [EARLY],
  },
  {
    name: 'a column without a heading',
    file: 'Date,Start,End,Team,,\n2027-03-06,9,17,Bar,Ada,\n',
    outcome: ['2027-03-06 09:00 17:00 Bar '],
  },
  {
    name: 'dates without a year',
    file: 'Datum;Von;Bis;Team;Name\nSa 6.3.;9:00;17:00;Bar;Ada\n',
    outcome: { refused: /"Sa 6.3." lacks its year/ },
  },
  {
    name: 'a roster with free days',
    file: 'Name;06.03.2027;07.03.2027\nAda;9-17;frei\nBo;krank;18:30-1\nCy;–;Urlaub\n',
    options: { group: 'Bar' },
    outcome: BOTH,
  },
  {
    name: 'a roster with places in its cells',
    file: 'Name,2027-03-06,2027-03-07\nAda,"9:00 AM - 5:00 PM\nBar • Pier",\n',
    options: { group: 'Bar' },
    outcome: { refused: /says more than two times: leave "9:00 AM - 5:00 PM" in the cell/ },
  },
  {
    name: 'am and pm in a column of the end only',
    file: 'Date,Start,End,AM/PM,Team,Name\n2027-03-06,9:00,5:00,PM,Bar,Ada\n',
    outcome: { refused: /one says am or pm and the other does not/ },
  },
  {
    name: 'a title that is not UTF-8 above headings that are understood',
    file: Buffer.from('Dienstplan März\nDatum;Beginn;Ende;Name\n3/6/2027;9;17;Ada\n', 'latin1'),
    outcome: {
      refused:
        /no column "group".*--date-format D\/M\/YYYY or --date-format M\/D\/YYYY.*line 1: .*windows-1252, which reads "März"/s,
    },
  },
  {
    name: 'the letters of an old PC',
    file: Buffer.from('Datum;Beginn;Ende;Gruppe;Name\n6.3.2027;9;17;K\x81che;Ada\n', 'latin1'),
    outcome: { refused: /not UTF-8: save the sheet as "CSV UTF-8"/ },
  },
  {
    name: 'a web page',
    file: '<html><body><table><tr><td>Date</td></tr></table></body></html>',
    outcome: { refused: /a web page or XML, .*save it as .xlsx/ },
  },
  {
    name: 'a workbook as XML',
    file: '<?xml version="1.0"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
    outcome: { refused: /a web page or XML, .*save it as .xlsx/ },
  },
  { name: 'a PDF', file: '%PDF-1.7\n1 0 obj\n', outcome: { refused: /a PDF/ } },
];
