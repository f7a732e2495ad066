/**
 * Random shifts are written in a random layout, language and format. What comes in equals what went out, or is refused:
 * never anything else.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SheetOptions } from '../../../sheets/src/sheet-options.ts';
import type { TableColumn } from '../../../sheets/src/words/headings.ts';
import { LANGUAGES, type Language } from '../../../sheets/src/words/languages.ts';
import { often } from '../../support/strength.ts';
import { assertAccounted, readSheetText } from '../reading.ts';
import { asDate, asTime, book, type MadeCell } from './make-workbook.ts';

interface Shift {
  /** Days since 2026-12-20. */
  readonly day: number;
  readonly start: number;
  /** In minutes, a quarter of an hour to 24 hours. */
  readonly length: number;
  readonly group: string;
  readonly person: string;
}

const SHIFT = fc.record<Shift>({
  day: fc.integer({ min: 0, max: 60 }),
  start: fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15),
  length: fc.integer({ min: 1, max: 95 }).map((quarters) => quarters * 15),
  group: fc.constantFrom('Bar', 'Küche', '7', 'Total'),
  person: fc.constantFrom('Ada', 'Bo', 'Zoë May', ''),
});

type WriteDate = (date: Date, language: string) => string;
const two = (number: number) => String(number).padStart(2, '0');
const iso = (date: Date) => date.toISOString().slice(0, 10);
const parts = (date: Date) => [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear()] as const;
const wordsIn = (name: string) => LANGUAGES.find(({ language }) => language === name) as Language;
const monthName = (date: Date, language: string, way: number) => {
  const ways = (wordsIn(language).months.split(', ')[date.getUTCMonth()] ?? '').split(' ');
  return ways[Math.min(way, ways.length - 1)] ?? '';
};
const weekday = (date: Date, language: string, way: number) => {
  const ways = (wordsIn(language).weekdays.split(', ')[date.getUTCDay()] ?? '').split(' ');
  return ways[Math.min(way, ways.length - 1)] ?? '';
};

const DATES: readonly WriteDate[] = [
  iso,
  (date) => parts(date).join('.'),
  (date) =>
    parts(date)
      .map((part) => two(part % 100))
      .join('.'),
  ...['/', '-'].flatMap<WriteDate>((separator) => [
    (date) => parts(date).join(separator),
    (date) => [parts(date)[1], parts(date)[0], parts(date)[2]].join(separator),
    (date) =>
      parts(date)
        .map((part) => two(part % 100))
        .join(separator),
    (date) => iso(date).slice(2).replaceAll('-', separator),
    (date) => iso(date).replaceAll('-', separator),
  ]),
  (date) => iso(date).replaceAll('-', ''),
  (date, language) => `${date.getUTCDate()} ${monthName(date, language, 0)} ${date.getUTCFullYear()}`,
  (date, language) =>
    `${two(date.getUTCDate())}-${monthName(date, language, 1)}-${two(date.getUTCFullYear() % 100)}`,
  (date, language) => `${monthName(date, language, 1)} ${date.getUTCDate()}, ${date.getUTCFullYear()}`,
  (date, language) =>
    `${weekday(date, language, 0)}, ${date.getUTCDate()}. ${monthName(date, language, 0)} ${date.getUTCFullYear()}`,
  (date, language) => `${weekday(date, language, 1)} ${parts(date).join('/')}`,
  (date, language) => `${weekday(date, language, 1)}. ${parts(date)[1]}/${parts(date)[0]}/${parts(date)[2]}`,
  (date, language) => `${date.getUTCDate()} ${monthName(date, language, 0)}`,
];

const TIMES: readonly ((minute: number) => string)[] = [
  (minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`,
  (minute) => `${Math.floor(minute / 60)}:${two(minute % 60)}`,
  (minute) => `${two(Math.floor(minute / 60))}.${two(minute % 60)}`,
  (minute) => `${two(Math.floor(minute / 60))}${two(minute % 60)}`,
  (minute) => `${Math.floor(minute / 60)}h${minute % 60 === 0 ? '' : two(minute % 60)}`,
  (minute) =>
    minute % 60 === 0 ? `${minute / 60} Uhr` : `${Math.floor(minute / 60)}:${two(minute % 60)} Uhr`,
  (minute) => (minute % 60 === 0 ? `${minute / 60}` : `${Math.floor(minute / 60)}:${two(minute % 60)}`),
  (minute) =>
    `${((Math.floor(minute / 60) + 11) % 12) + 1}:${two(minute % 60)} ${minute < 720 ? 'AM' : 'p.m.'}`,
  (minute) => `${minute / 60}`,
];

const LENGTHS: readonly ((minutes: number) => string)[] = [
  (minutes) => `${minutes / 60}`,
  (minutes) => `${minutes / 60}`.replace('.', ','),
  (minutes) => (minutes / 60).toFixed(2),
  (minutes) => `${Math.floor(minutes / 60)}:${two(minutes % 60)}`,
  (minutes) => `${Math.floor(minutes / 60)}.${two(minutes % 60)}`,
];

const LIST_LAYOUTS = [
  'times',
  'both',
  'length',
  'together',
  'workbook',
  'halves',
  'weekdays',
  'names',
  'twelve',
  'people',
  'status',
] as const;
const ROSTER_LAYOUTS = ['roster', 'blocks', 'pairs', 'below', 'numbers'] as const;

const WRITING = fc.record({
  layout: fc.constantFrom(...LIST_LAYOUTS, ...ROSTER_LAYOUTS),
  language: fc.constantFrom(...LANGUAGES.map(({ language }) => language)),
  date: fc.constantFrom(...DATES),
  time: fc.constantFrom(...TIMES),
  length: fc.constantFrom(...LENGTHS),
  separator: fc.constantFrom(',', ';', '\t', '|'),
  dash: fc.constantFrom('-', ' – ', ' - '),
  heading: fc.nat(9),
  hasTitle: fc.boolean(),
  hasTotal: fc.boolean(),
  /** A column that is not read. All but the first look like something that is read elsewhere. */
  other: fc.option(fc.constantFrom('Colour', 'Cover', 'Until', 'Punched', 'Days', 'Spots'), { freq: 2 }),
  /** Whether the operator says what only a human can know. */
  isTold: fc.boolean(),
  between: fc.constantFrom('; ', ' / ', ' & ', '+', ', ', ' und ', ' et '),
  status: fc.constantFrom('cancelled', 'sick', 'declined', 'Urlaub', 'no-show'),
  statusHeading: fc.constantFrom('Status', 'Absence', 'Type'),
  /** Whether the weekdays are those of the next day. */
  areWeekdaysWrong: fc.boolean(),
});
type Writing = typeof WRITING extends fc.Arbitrary<infer W> ? W : never;

/** Days of 2027-01. */
const inJanuary = (shift: Shift): Shift => ({ ...shift, day: 12 + (shift.day % 31) });
const dateOf = ({ day }: Shift) => new Date(Date.UTC(2026, 11, 20 + day));
const dayAfter = (shift: Shift): Shift => ({ ...shift, day: shift.day + 1 });
const endOf = ({ start, length }: Shift) => (start + length) % 1_440;
const meantTime = TIMES[0] as (minute: number) => string;
const meaning = (shift: Shift) =>
  [iso(dateOf(shift)), meantTime(shift.start), meantTime(endOf(shift)), shift.group, shift.person].join(' ');

test('what comes in equals what went out, or is refused', async () => {
  let imported = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(SHIFT, { minLength: 1, maxLength: 12 }), WRITING, async (shifts, writing) => {
      const written = writtenBy(shifts, writing);
      const meant = written.flatMap((shift) => meantBy(shift, writing));
      const options = { publishedFrom: '2027-01-01', ...toldBy(writing) };
      const table = tableOf(written, writing);
      const read = await readSheetText(fileOf(table, writing), options);
      const rows = read.flatMap((part) => ('rows' in part ? part.rows : []));
      if (isRefused(read)) {
        refused++;
        return;
      }
      imported++;
      assert.ok([null, 'Colour'].includes(writing.other) || isRoster(writing.layout), writing.other ?? '');
      assertAccounted(read, table);
      const found = rows.map(({ shift, group, person }) =>
        [shift.date, shift.start_time, shift.end_time, group, person ?? ''].join(' '),
      );
      assert.deepEqual(found.toSorted(), meant.map(meaning).toSorted());
    }),
    { numRuns: often(100, 6_000) },
  );
  // A third is meant to come in; of a hundred, fewer than a tenth never do by chance.
  assert.ok(imported > refused / 9, `${imported} imported, ${refused} refused`);
});

test('wherever a cell is added, it is read, asked about or listed as left out', async () => {
  const added = fc.record({
    row: fc.nat(9),
    column: fc.nat(9),
    text: fc.constantFrom('x', 'Ada', '9:00', '7', 'Total'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(SHIFT, { minLength: 1, maxLength: 6 }),
      WRITING,
      added,
      async (shifts, writing, { row, column, text }) => {
        const table = tableOf(writtenBy(shifts, writing), writing).map((cells) => [...cells]);
        const cells = table[row % table.length] ?? [];
        while (cells.length < column) cells.push('');
        if (!cells[column]) cells[column] = text;
        const read = await readSheetText(fileOf(table, writing), {
          publishedFrom: '2027-01-01',
          ...toldBy(writing),
        });
        if (!isRefused(read)) assertAccounted(read, table);
      },
    ),
    { numRuns: often(100, 6_000) },
  );
});

function isRefused(parts: Awaited<ReturnType<typeof readSheetText>>): boolean {
  return parts.some(
    (part) =>
      'problem' in part ||
      ('rows' in part && part.rows.some(({ shift: { flawed } }) => flawed !== undefined)),
  );
}

/** The shifts that a layout can show. */
function writtenBy(shifts: readonly Shift[], { layout, isTold }: Writing): readonly Shift[] {
  if (layout === 'numbers') return shifts.map(inJanuary);
  if (layout !== 'twelve') return shifts;
  // Whoever has a 12-hour clock works by day. Nothing but a shift over noon shows the clock.
  const overNoon = { day: 0, start: 540, length: 480, group: 'Bar', person: 'Ada' };
  return [...(isTold ? [] : [overNoon]), ...shifts.map(byDay)];
}

function byDay(shift: Shift): Shift {
  const start = 360 + (shift.start % 960);
  return { ...shift, start, length: Math.min(shift.length, 705, 1_440 - start) };
}

const hasStatus = ({ day }: Shift) => day % 3 === 0;
/** Nobody could know that `Type` is one if it says nothing that is known. */
const statusOf = ({ status, statusHeading }: Writing) => (statusHeading === 'Type' ? 'sick' : status);

/** The shifts that a row means. */
function meantBy(shift: Shift, writing: Writing): readonly Shift[] {
  switch (writing.layout) {
    case 'people':
      return [...(shift.person === '' ? [] : [shift]), { ...shift, person: 'Cy' }];
    case 'status':
      return hasStatus(shift) && !['cancelled', 'no-show'].includes(statusOf(writing)) ? [] : [shift];
    default:
      return [shift];
  }
}

function toldBy({ layout, isTold, between }: Writing): Partial<SheetOptions> {
  if (!isTold) return {};
  if (layout === 'twelve') return { clock: 12 };
  return layout === 'people' ? { peopleSeparators: [between.trim()] } : {};
}

function fileOf(rows: readonly (readonly MadeCell[])[], writing: Writing): string | Buffer {
  return writing.layout === 'workbook' ? book(rows) : inLines(rows as string[][], writing);
}

/** What a column holds that is not read. */
const OTHERS: Readonly<Record<string, (shift: Shift) => string>> = {
  Colour: () => 'red',
  Cover: ({ person }) => person || 'Ada',
  Until: (shift) => iso(dateOf(dayAfter(shift))),
  Punched: ({ start }) => meantTime(start),
  Days: () => 'Mon–Fri',
  Spots: () => '3',
};

function tableOf(shifts: readonly Shift[], writing: Writing): readonly (readonly MadeCell[])[] {
  if (isRoster(writing.layout)) return rosterOf(shifts, writing);
  const { language, time } = writing;
  const heading = (column: Column) => (isOther(column) ? column : headingOf(column, writing));
  const isIso = writing.layout === 'weekdays' && writing.areWeekdaysWrong;
  const date = (shift: Shift) => (isIso ? iso : writing.date)(dateOf(shift), language);
  const columns: readonly ColumnOf[] = [
    ...whenColumns(writing, date, time),
    ['group', ({ group }) => group],
    ...whoColumns(writing),
  ];
  const status: MadeCell[] = [
    writing.statusHeading,
    ...shifts.map((shift) => (hasStatus(shift) ? statusOf(writing) : '')),
  ];
  const rows: MadeCell[][] = [
    columns.map(([column]) => heading(column)),
    ...shifts.map((shift) => columns.map(([, cell]) => cell(shift))),
  ];
  if (writing.layout === 'status') for (const [i, row] of rows.entries()) row.push(status[i] ?? '');
  const { other } = writing;
  if (other !== null)
    for (const [i, row] of rows.entries())
      row.unshift(i === 0 ? other : (OTHERS[other]?.(shifts[i - 1] as Shift) ?? ''));
  if (writing.hasTitle) rows.unshift(['Plan of the Lighthouse'], []);
  if (writing.hasTotal) rows.push(['Week 9'], ['Total', '', '', 'x']);
  return rows;
}

/** A heading that nobody knows, or a column. */
type Column = TableColumn | 'AM/PM' | 'Weekday';
type ColumnOf = readonly [Column, (shift: Shift) => MadeCell];

function isOther(column: Column): column is 'AM/PM' | 'Weekday' {
  return column === 'AM/PM' || column === 'Weekday';
}

function headingOf(column: TableColumn, { language, heading }: Writing): string {
  const words = wordsIn(language)
    .headings[column].split(', ')
    .filter((word) => !word.endsWith('*'));
  return words[heading % words.length] ?? '';
}

function isRoster(layout: Writing['layout']): layout is (typeof ROSTER_LAYOUTS)[number] {
  return ROSTER_LAYOUTS.some((one) => one === layout);
}

/** `9:15` and `am`. */
function twelve(minute: number): readonly [string, string] {
  const hour = ((Math.floor(minute / 60) + 11) % 12) + 1;
  return [`${hour}:${two(minute % 60)}`, minute < 720 ? 'am' : 'PM'];
}

function whoColumns({ layout, between }: Writing): readonly ColumnOf[] {
  if (layout === 'people')
    return [['person', ({ person }) => (person === '' ? 'Cy' : `${person}${between}Cy`)]];
  if (layout !== 'names') return [['person', ({ person }) => person]];
  return [
    ['last_name', ({ person }) => person.split(' ')[1] ?? ''],
    ['first_name', ({ person }) => person.split(' ')[0] ?? ''],
  ];
}

function whenColumns(
  { layout, length, dash, language, heading: way, areWeekdaysWrong }: Writing,
  date: (shift: Shift) => string,
  time: (minute: number) => string,
): readonly ColumnOf[] {
  const [hour, half] = [(minute: number) => twelve(minute)[0], (minute: number) => twelve(minute)[1]];
  switch (layout) {
    case 'halves':
      return [
        ['date', date],
        ['start_time', ({ start }) => hour(start)],
        ['AM/PM', ({ start }) => half(start)],
        ['end_time', (shift) => hour(endOf(shift))],
        ['AM/PM', (shift) => half(endOf(shift))],
      ];
    case 'twelve':
      return [
        ['date', date],
        ['start_time', ({ start }) => hour(start)],
        ['end_time', (shift) => hour(endOf(shift))],
      ];
    case 'weekdays':
      return [
        ['Weekday', (shift) => weekday(dateOf(areWeekdaysWrong ? dayAfter(shift) : shift), language, way)],
        ['date', date],
        ['start_time', ({ start }) => time(start)],
        ['end_time', (shift) => time(endOf(shift))],
      ];
    case 'both':
      return [
        ['date', date],
        ['times', (shift) => `${time(shift.start)}${dash}${time(endOf(shift))}`],
      ];
    case 'length':
      return [
        ['date', date],
        ['start_time', ({ start }) => time(start)],
        ['hours', (shift) => length(shift.length)],
      ];
    case 'together':
      return [
        ['start_time', (shift) => `${date(shift)} ${time(shift.start)}`],
        ['end_time', (shift) => time(endOf(shift))],
      ];
    case 'workbook':
      return [
        ['date', (shift) => asDate(iso(dateOf(shift)))],
        ['start_time', ({ start }) => asTime(meantTime(start))],
        ['end_time', (shift) => asTime(meantTime(endOf(shift)))],
      ];
    default:
      return [
        ['date', date],
        ['start_time', ({ start }) => time(start)],
        ['end_time', (shift) => time(endOf(shift))],
      ];
  }
}

/** A row for each shift: what counts is that each cell becomes one. */
function rosterOf(shifts: readonly Shift[], writing: Writing): readonly (readonly string[])[] {
  const days = [...new Set(shifts.map(({ day }) => day))].toSorted((a, b) => a - b);
  switch (writing.layout) {
    case 'blocks':
      return [days.slice(0, 3), days.slice(3)].flatMap((some, i) =>
        i > 0 && some.length === 0 ? [] : [['Week 9'], ...blockOf(shifts, some, writing)],
      );
    case 'numbers': {
      const january = Array.from({ length: 31 }, (_, i) => 12 + i);
      const [, ...rows] = blockOf(shifts, january, writing);
      const title = `${monthName(new Date(Date.UTC(2027, 0)), writing.language, 0)} 2027`;
      return [[title], ['Team', 'Name', ...january.map((_, i) => String(i + 1))], ...rows];
    }
    default:
      return blockOf(shifts, days, writing);
  }
}

function blockOf(
  shifts: readonly Shift[],
  days: readonly number[],
  writing: Writing,
): readonly (readonly string[])[] {
  const { layout, date, language, time, dash, hasTotal } = writing;
  const dates = days.map((day) => date(dateOf({ day } as Shift), language));
  const [start, end] = (['start_time', 'end_time'] as const).map((column) => headingOf(column, writing)) as [
    string,
    string,
  ];
  const rowOf = ({ group, person, day }: Shift, ...cells: readonly string[]) => [
    group,
    person,
    ...days.flatMap((one) => (one === day ? cells : cells.map(() => ''))),
  ];
  const here = shifts.filter(({ day }) => days.includes(day));
  const total = hasTotal ? [['', 'Total', ...days.map(() => '1')]] : [];
  switch (layout) {
    case 'pairs':
      return [
        ['Team', 'Name', ...dates.flatMap((one) => [one, ''])],
        ['', '', ...days.flatMap(() => [start, end])],
        ...here.map((shift) => rowOf(shift, time(shift.start), time(endOf(shift)))),
      ];
    case 'below':
      return [
        ['Team', 'Name', '', ...dates],
        ...here.flatMap((shift) => [
          rowOf(shift, time(shift.start)).toSpliced(2, 0, start),
          rowOf(shift, time(endOf(shift))).toSpliced(2, 0, end),
        ]),
      ];
    default:
      return [
        ['Team', 'Name', ...dates],
        ...here.map((shift) => rowOf(shift, `${time(shift.start)}${dash}${time(endOf(shift))}`)),
        ...total,
      ];
  }
}

function inLines(rows: readonly (readonly string[])[], { separator }: Writing): string {
  const quoted = (cell: string) => (cell.includes(separator) ? `"${cell}"` : cell);
  return rows.map((cells) => cells.map(quoted).join(separator)).join('\n');
}
