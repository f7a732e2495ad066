/**
 * Random shifts are written as a grid, in a random layout and language, and something in it is then made wrong. What
 * comes in equals what was meant, or is refused: never anything else.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LANGUAGES } from '../../../sheets/src/words/languages.ts';
import { often } from '../../support/strength.ts';
import { assertAccounted, readSheetText } from '../reading.ts';
import { asDate, book, type MadeCell } from './make-workbook.ts';

const FIRST_DAY = Date.UTC(2026, 11, 14);
const DAY_MS = 86_400_000;

/** The shifts of each person, by day. Times are quarters of an hour. */
const GRID = fc.record({
  /** Days since a Monday in December. */
  start: fc.nat(60),
  dayCount: fc.integer({ min: 2, max: 9 }),
  shifts: fc.array(
    fc.array(fc.option(fc.record({ start: fc.nat(95), length: fc.integer({ min: 1, max: 95 }) })), {
      minLength: 9,
      maxLength: 9,
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
type Grid = typeof GRID extends fc.Arbitrary<infer G> ? G : never;

const FAULTS = [
  'nothing',
  'a mistyped heading',
  'an empty heading',
  'a day twice',
  'another year',
  'a second table',
  'a second line',
  'a merged cell',
  'weekdays that contradict',
] as const;

const WRITING = fc.record({
  days: fc.constantFrom(
    'iso',
    'dots',
    'words',
    'cells',
    'numbers',
    'numbers and weekdays',
    'week',
    'week ending',
    'weeks beside',
  ),
  language: fc.constantFrom(...LANGUAGES.map(({ language }) => language)),
  /** Which of the ways to write a word. */
  way: fc.nat(3),
  weekdays: fc.constantFrom('none', 'above', 'below'),
  hasTotal: fc.boolean(),
  fault: fc.constantFrom(...FAULTS),
  /** Where the fault is. */
  at: fc.nat(8),
});
type Writing = typeof WRITING extends fc.Arbitrary<infer W> ? W : never;

const NAMES = ['Ada', 'Bo', 'Zoë May'];
const two = (number: number) => String(number).padStart(2, '0');
const clock = (quarter: number) => `${two(Math.floor(quarter / 4) % 24)}:${two((quarter % 4) * 15)}`;
const dateAt = (day: number) => new Date(FIRST_DAY + day * DAY_MS);
const iso = (day: number) => dateAt(day).toISOString().slice(0, 10);

test('what comes in from a grid equals what was meant, or is refused', async () => {
  const imported = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(GRID, WRITING, async (grid, writing) => {
      const { rows, merges, meant } = written(grid, writing);
      const read = await readSheetText(book(rows, merges), {
        publishedFrom: '2027-01-01',
        group: 'Bar',
      });
      const found = read.flatMap((part) => ('rows' in part ? part.rows : []));
      if (read.some((part) => 'problem' in part) || found.some(({ shift }) => shift.flawed !== undefined))
        return;
      assert.notEqual(writing.fault, 'weekdays that contradict');
      const shown = found.map(({ shift, person }) =>
        [shift.date, shift.start_time, shift.end_time, person ?? ''].join(' '),
      );
      assert.deepEqual(shown.toSorted(), meant.toSorted());
      assertAccounted(read, rows);
      for (const kind of [writing.fault, writing.days]) imported.set(kind, (imported.get(kind) ?? 0) + 1);
    }),
    { numRuns: often(60, 4_000) },
  );
  // Some are drawn too rarely for few runs.
  for (const kind of often(['nothing'], ['nothing', 'a merged cell', 'iso', 'words', 'numbers', 'week']))
    assert.ok((imported.get(kind) ?? 0) > 0, `nothing is imported of ${kind}`);
});

interface Written {
  readonly rows: MadeCell[][];
  readonly merges: string[];
  /** `date start end person` */
  readonly meant: readonly string[];
}

function written(grid: Grid, writing: Writing): Written {
  const days = Array.from({ length: grid.dayCount }, (_, i) => grid.start + i);
  const headings = headingsOf(days, writing);
  const rows: MadeCell[][] = grid.shifts.map((shifts, person) => [
    NAMES[person] ?? '',
    ...days.map((_, i) => cellOf(shifts[i] ?? null)),
  ]);
  const table: Written = {
    rows: [headings, ...rows],
    merges: [],
    meant: grid.shifts.flatMap((shifts, person) =>
      days.flatMap((day, i) => meaning(day, shifts[i] ?? null, NAMES[person] ?? '')),
    ),
  };
  const faulty = withFault(table, days, writing);
  const weekdays = ['', ...days.map((day) => weekday(day + contradiction(writing), writing))];
  if (writing.weekdays === 'below' || writing.fault === 'weekdays that contradict')
    faulty.rows.splice(1, 0, weekdays);
  else if (writing.weekdays === 'above') faulty.rows.unshift(weekdays);
  if (writing.hasTotal) faulty.rows.push(['Total', ...days.map(() => 8)]);
  if (writing.days === 'weeks beside')
    for (const [i, row] of faulty.rows.entries())
      row.splice(
        1,
        0,
        row[0] === 'Name' && i < 2
          ? 'Week beginning'
          : NAMES.includes(String(row[0]))
            ? iso(days[0] ?? 0)
            : '',
      );
  const above = titleOf(days, writing);
  faulty.rows.unshift(...above);
  const shift = above.length + (writing.weekdays === 'above' ? 1 : 0);
  return {
    ...faulty,
    merges: faulty.merges.map((merge) => moved(merge, shift + (isBelow(writing) ? 1 : 0))),
  };
}

function isBelow({ weekdays }: Writing): boolean {
  return weekdays === 'below';
}

/** `B2:C2` that many rows further down. */
function moved(merge: string, rows: number): string {
  return merge.replaceAll(/\d+/g, (row) => String(Number(row) + rows));
}

function contradiction({ fault, at }: Writing): number {
  return fault === 'weekdays that contradict' ? 1 + (at % 6) : 0;
}

type Shift = Grid['shifts'][number][number];

function cellOf(shift: Shift): string {
  return shift === null ? '' : `${clock(shift.start)}-${clock(shift.start + shift.length)}`;
}

function meaning(day: number, shift: Shift, person: string): readonly string[] {
  return shift === null
    ? []
    : [[iso(day), clock(shift.start), clock(shift.start + shift.length), person].join(' ')];
}

function wordOf(kind: 'months' | 'weekdays', place: number, { language, way }: Writing): string {
  const words = LANGUAGES.find((one) => one.language === language)?.[kind] ?? '';
  const ways = (words.split(', ')[place] ?? '').split(' ');
  return ways[Math.min(way, ways.length - 1)] ?? '';
}

function weekday(day: number, writing: Writing): string {
  return wordOf('weekdays', dateAt(day).getUTCDay(), writing);
}

function monthAndYear(day: number, writing: Writing): string {
  return `${wordOf('months', dateAt(day).getUTCMonth(), { ...writing, way: 0 })} ${dateAt(day).getUTCFullYear()}`;
}

function headingsOf(days: readonly number[], writing: Writing): MadeCell[] {
  const heading = (day: number): MadeCell => {
    const date = dateAt(day);
    switch (writing.days) {
      case 'iso':
        return iso(day);
      case 'dots':
        return `${date.getUTCDate()}.${date.getUTCMonth() + 1}.${date.getUTCFullYear()}`;
      case 'words':
        return `${weekday(day, writing)} ${date.getUTCDate()} ${monthAndYear(day, writing)}`;
      case 'cells':
        return asDate(iso(day));
      case 'numbers':
        return date.getUTCDate();
      case 'numbers and weekdays':
        return `${weekday(day, writing)} ${date.getUTCDate()}`;
      default:
        return weekday(day, writing);
    }
  };
  return ['Name', ...days.map(heading)];
}

function titleOf(days: readonly number[], writing: Writing): MadeCell[][] {
  const first = days[0] ?? 0;
  if (writing.days === 'week ending') {
    const last = days.at(-1) ?? 0;
    const month = monthAndYear(last, { ...writing, language: 'English' });
    return [[`Week ending ${dateAt(last).getUTCDate()} ${month}`]];
  }
  if (writing.days === 'week')
    return [
      [`Week of ${dateAt(first).getUTCDate()} ${monthAndYear(first, { ...writing, language: 'English' })}`],
    ];
  return writing.days.startsWith('numbers')
    ? [['Plan of the Lighthouse'], [`Plan ${monthAndYear(first, writing)}`]]
    : [];
}

function withFault(table: Written, days: readonly number[], writing: Writing): Written {
  const { rows, merges, meant } = table;
  const [headings = []] = rows;
  const at = 1 + (writing.at % days.length);
  const heading = headings[at];
  switch (writing.fault) {
    case 'a mistyped heading':
      if (typeof heading === 'string') headings[at] = mistyped(heading, writing.at);
      return table;
    case 'an empty heading':
      headings[at] = '';
      return table;
    case 'a day twice':
      if (at > 1) headings[at] = headings[at - 1] ?? '';
      return table;
    case 'another year':
      if (typeof heading === 'string') headings[at] = heading.replace(/20(\d)(\d)/, '20$2$1');
      return table;
    case 'a second table':
      return {
        merges,
        rows: rows.map((row, i) => [...row, i === 0 ? 'Name' : 'Cy', ...row.slice(1)]),
        meant: [...meant, ...meant.map((one) => one.replace(/(Ada|Bo|Zoë May)$/, 'Cy'))],
      };
    case 'a second line':
      return {
        merges,
        rows: rows.toSpliced(2, 0, ['', ...days.map((_, i) => (i + 1 === at ? '02:00-03:00' : ''))]),
        meant: [...meant, `${iso(days[at - 1] ?? 0)} 02:00 03:00 Ada`],
      };
    case 'a merged cell': {
      if (writing.days === 'weeks beside') return table;
      const last = Math.min(days.length, at + 1);
      for (const column of [at, last]) (rows[1] as MadeCell[])[column] = column === at ? '09:00-17:00' : '';
      const ofDays = days.slice(at - 1, last).map((day) => `${iso(day)} 09:00 17:00 Ada`);
      const isReplaced = (one: string) =>
        one.endsWith(' Ada') && ofDays.some((day) => day.slice(0, 10) === one.slice(0, 10));
      return {
        rows,
        merges: last > at ? [`${letter(at)}2:${letter(last)}2`] : [],
        meant: [...meant.filter((one) => !isReplaced(one)), ...ofDays],
      };
    }
    default:
      return table;
  }
}

function letter(column: number): string {
  return String.fromCharCode(65 + column);
}

/** Two letters of its longest word in each other's place, if it has one. */
function mistyped(heading: string, at: number): string {
  const word = heading.match(/\p{L}+/gu)?.toSorted((one, other) => other.length - one.length)[0] ?? '';
  const place = word.length < 2 ? 0 : at % (word.length - 1);
  const swapped = `${word.slice(0, place)}${word[place + 1] ?? ''}${word[place] ?? ''}${word.slice(place + 2)}`;
  return word === '' ? heading : heading.replace(word, swapped);
}
