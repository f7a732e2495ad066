/** Finds out from the first rows how the dates and lengths of each column are written. */

import { quote } from '../../quote.ts';
import { placeInSheet } from '../place.ts';
import type { ImportProblem } from '../problems.ts';
import { type Cell, type GridRow, textOf } from './cell.ts';
import type { SheetOptions } from './options.ts';
import type { Reason } from './reason.ts';
import type { ColumnPlaces, Header } from './table/columns.ts';
import { type DateOrder, isWeekday, ORDERS, readDate, whyNoDate } from './values/date.ts';
import { cutDateAndTime } from './values/date-and-time.ts';
import { parseDateFormat, SERIAL } from './values/date-format.ts';
import { HalfConverted } from './values/half-converted.ts';
import { readLength } from './values/length.ts';
import { Narrowing, type Settled } from './values/narrowing.ts';

export interface ColumnReadings {
  date(column: DayColumn): (text: string) => string | undefined;
  /** Why a text is no date, as the end of a sentence. */
  whyNoDate(column: DayColumn, text: string): string | Reason;
  readonly length: (text: string) => number | undefined;
  /** Columns that can be read in two ways, or in none. */
  readonly problems: readonly ImportProblem[];
}

/** The columns that may hold dates. */
export type DayColumn = 'date' | 'start_time' | 'end_time' | 'end_date' | 'publish_date';
const DAY_COLUMNS: readonly DayColumn[] = ['date', 'start_time', 'end_time', 'end_date', 'publish_date'];

/** Looks at rows, and at the end says how to read these and the following ones. */
export class ReadingsFinder {
  readonly #places: ColumnPlaces;
  readonly #weekday: number | undefined;
  readonly #halfConverted = new HalfConverted();
  readonly #options: SheetOptions;
  readonly #dates: ReadonlyMap<DayColumn, Narrowing<string>>;
  readonly #lengths = new Narrowing<number>([
    { name: '7.5', read: (text) => readLength(text, 'decimal') },
    { name: '7:30', read: (text) => readLength(text, 'minutes') },
  ]);

  constructor({ places, weekday }: Pick<Header, 'places' | 'weekday'>, options: SheetOptions) {
    this.#places = places;
    this.#weekday = weekday;
    this.#options = options;
    const columns = DAY_COLUMNS.filter((column) => places[column] !== undefined);
    this.#dates = new Map(columns.map((column) => [column, dateNarrowing(options.year)]));
  }

  look({ cells, line }: GridRow): void {
    if (this.#options.dateFormat === undefined) {
      for (const [column, narrowing] of this.#dates) {
        const text = dateTextOf(cells[this.#places[column] ?? -1] ?? '', column);
        if (text === undefined) continue;
        narrowing.look(text, line);
        const weekday = textOf(cells[this.#weekday ?? -1]);
        if (column === 'date' && isWeekday(weekday)) narrowing.look(`${weekday} ${text}`, line);
      }
      this.#halfConverted.look(cells[this.#places.date ?? -1] ?? '');
    }
    const length = this.#places.hours === undefined ? '' : (cells[this.#places.hours] ?? '');
    if (typeof length === 'string' && length !== '') this.#lengths.look(length, line);
  }

  /** Whether more rows would tell nothing new. */
  isSettled(): boolean {
    return this.#lengths.isSettled() && [...this.#dates.values()].every((one) => one.isSettled());
  }

  settle(): ColumnReadings {
    const { dateFormat } = this.#options;
    const format = dateFormat === undefined ? undefined : parseDateFormat(dateFormat);
    const dates = new Map([...this.#dates].map(([column, narrowing]) => [column, narrowing.settle()]));
    const lengths = this.#lengths.settle();
    const read = (column: DayColumn) => (text: string) =>
      ISO_DATE.test(text)
        ? readDate(text, 'day first')
        : format
          ? format.read(text)
          : dates.get(column)?.read(text);
    return {
      date: read,
      whyNoDate: (_, text) =>
        format
          ? `${quote(text)} is not a date ${format.name} or YYYY-MM-DD from 1000-01-01 to 9999-12-31`
          : noDate(text, DATE_RULE),
      length: lengths.read,
      problems: [
        ...[...dates].flatMap(([column, settled]) => dateProblem(column, settled)),
        ...lengthProblem(lengths),
        ...(this.#halfConverted.isLikely() ? [HALF_CONVERTED] : []),
      ],
    };
  }
}

/** A day from 2009 on, with or without a time of day. */
const EXCEL_DAY = /^[4-6]\d{4}(?:[.,]\d{1,30})?$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

export const DATE_RULE =
  'a date such as 2027-03-06, 6.3.2027 or 6 March 2027; if dates are written otherwise, say how, such as --date-format DD-MM-YYYY';

const HALF_CONVERTED: ImportProblem = {
  place: 'date',
  message:
    'dates with days up to 12 are dates in the workbook and those above are text, as when a spreadsheet takes days for months: compare them with the plan, and write them alike; if they are right, say how the text is written, such as --date-format D/M/YYYY',
};

function dateNarrowing(year: number | undefined): Narrowing<string> {
  return new Narrowing<string>(ORDERS.map((name) => ({ name, read: (text) => readDate(text, name, year) })));
}

/** The part of a cell that may be an ambiguous date, or undefined. Columns of times may hold times alone. */
function dateTextOf(cell: Cell, column: DayColumn): string | undefined {
  const text = textOf(cell);
  if (text === '' || ISO_DATE.test(text)) return undefined;
  const [date] = cutDateAndTime(text) ?? [];
  if (column === 'start_time' || column === 'end_time') return date;
  // "6. 3.27" could be cut, too.
  return ORDERS.some((order) => readDate(text, order) !== undefined) ? text : (date ?? text);
}

export function dateProblem(
  column: DayColumn,
  { open, contradiction }: Pick<Settled<string>, 'open' | 'contradiction'>,
): readonly ImportProblem[] {
  if (contradiction !== undefined) {
    const texts = [...new Map(contradiction.map((one) => [one.text, one])).values()];
    const shown = texts.map(({ text, line }) => `${quote(text)} (line ${line})`).join(' and ');
    const message = `the dates of this column are not written in one way, see ${shown}; write them alike, or as YYYY-MM-DD`;
    return [{ place: placeInSheet(Math.max(...texts.map(({ line }) => line)), column), message }];
  }
  if (open === undefined) return [];
  const patterns = open.names.map((order) => patternOf(open.text, order as DateOrder));
  const message =
    `${quote(open.text)} can be read in ${patterns.length === 2 ? 'two' : 'three'} ways, and so can all dates of this column; ` +
    `say which is meant: ${patterns.map((pattern) => `--date-format ${pattern}`).join(' or ')}`;
  return [
    { place: placeInSheet(open.line, column), message, fix: ['--date-format', ...(patterns as [string])] },
  ];
}

/** The pattern of a text whose numbers come in this order. */
export function patternOf(text: string, order: DateOrder): string {
  const [, separator = '/', last = '2027'] =
    /\d\s?([^\d\s]|\s)\s?\d{1,9}(?:\D{1,9}(\d{1,9}))?/.exec(text) ?? [];
  const year = order === 'year first' ? 'YY' : 'Y'.repeat(last.length);
  const parts = {
    'day first': ['D', 'M', year],
    'month first': ['M', 'D', year],
    'year first': [year, 'M', 'D'],
  };
  return parts[order].join(separator);
}

function lengthProblem({
  open,
  contradiction,
}: Pick<Settled<number>, 'open' | 'contradiction'>): readonly ImportProblem[] {
  const unclear = open ?? contradiction?.[0];
  if (unclear === undefined) return [];
  const message = `${quote(unclear.text)} may be hours and minutes, or a part of an hour; write ${quote('7:30')} or ${quote('7.5')}`;
  return [{ place: placeInSheet(unclear.line, 'hours'), message }];
}

/** Why a text is no date, as the end of a sentence. */
function noDate(text: string, expected: string): string | Reason {
  switch (whyNoDate(text)) {
    case 'no year':
      return {
        message: `${quote(text)} lacks its year: give the one of all such dates with --year`,
        fix: ['--year', 'YEAR'],
      };
    case 'another weekday':
      return `${quote(text)} is not a date: that day is another weekday, or does not exist`;
    default:
      if (EXCEL_DAY.test(text)) {
        return {
          message: `${quote(text)} may be a date as Excel counts days: then say --date-format serial`,
          fix: ['--date-format', SERIAL],
        };
      }
      return `${quote(text)} is not ${expected}`;
  }
}
