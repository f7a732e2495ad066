/** Finds out from the first rows how the dates and lengths of each column are written. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { Columns, ListColumns } from '../columns.ts';
import { placeInSheet, type Reason, type SheetPlace, type SheetProblem } from '../problem.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import { KEEP_EMPTY, type SheetOptions } from '../sheet-options.ts';
import {
  type DateFormat,
  ISO_DATE,
  isWeekday,
  ORDERS,
  parseDateFormat,
  readWrittenDate,
  SERIAL,
  whyNoDate,
} from '../words/date.ts';
import { plainWord } from '../words/languages.ts';
import { dateNarrowing, dateProblem, Narrowing } from '../words/narrowing.ts';
import { cutDateAndTime, readLength } from '../words/time.ts';
import { clockQuestion, decimalTimesQuestion, type ReadDecimalTime, type ReadSpan } from './clock.ts';
import { commaQuestion } from './row-names.ts';
import { statusQuestion } from './row-status.ts';

export interface ColumnFormats {
  date(column: DayColumn): (text: string) => string | undefined;
  /** The date in the year after that of --year, of a text that lacks its year. */
  nextDate(column: DayColumn): (text: string) => string | undefined;
  /** Why a text is no date, as the end of a sentence. */
  whyNoDate(text: string): string | Reason;
  readonly length: (text: string) => number | undefined;
  readonly span: ReadSpan;
  /** The times that a code stands for. */
  code(text: string): string | undefined;
  /** Set if times are parts of an hour. */
  readonly decimalTime: ReadDecimalTime | undefined;
  /** The columns in which an unknown word is a question. */
  readonly statuses: ReadonlySet<number>;
  /** Whether people are written as `Byron, Ada`. */
  readonly haveNamesCommas: boolean;
  /** Columns that can be read in two ways, or in none. */
  readonly problems: readonly SheetProblem[];
}

/** The columns that may hold dates. */
type DayColumn = 'date' | 'start_time' | 'end_time' | 'end_date' | 'publish_date';
const DAY_COLUMNS: readonly DayColumn[] = ['date', 'start_time', 'end_time', 'end_date', 'publish_date'];

/** What is asked about a column as a whole, if the rows that were looked at do not settle it. */
interface ColumnQuestion {
  look(row: GridRow): void;
  /** Whether more rows would tell nothing new. By default, no number of rows is needed. */
  isSettled?(): boolean;
  problems?(): readonly SheetProblem[];
}

/** Looks at rows, and at the end says how to read these and the following ones. */
export function formatFinder(columns: Columns, options: SheetOptions) {
  const { places } = columns;
  const { dateFormat, year } = options;
  const format = dateFormat === undefined ? undefined : parseDateFormat(dateFormat);
  const dates = DAY_COLUMNS.filter((name) => format === undefined && places[name] !== undefined).map((name) =>
    dateQuestion(name, columns, year),
  );
  const lengths = lengthQuestion(places.hours);
  const clock = clockQuestion(places, options);
  const decimalTimes = decimalTimesQuestion(places);
  const list = columns.kind === 'list' ? columns : undefined;
  const statuses = statusQuestion(list?.statuses);
  const codes = codeQuestion(places, options);
  const commas = commaQuestion(places.person);
  const questions: readonly ColumnQuestion[] = [
    ...dates,
    lengths,
    clock,
    decimalTimes,
    commas,
    codes,
    statuses,
    ...(list ? [staffNumberQuestion(list, options), blockQuestion(list, options)] : []),
    ...(format === undefined ? [halfConvertedQuestion(places.date)] : []),
  ];
  return {
    look(row: GridRow): void {
      for (const question of questions) question.look(row);
    },
    isSettled: () => questions.every((question) => question.isSettled?.() ?? true),
    settle(): ColumnFormats {
      const readers = new Map(dates.map(({ name, reader }) => [name, reader()]));
      const nextReaders = new Map(dates.map(({ name, nextReader }) => [name, nextReader()]));
      return {
        date: (name) => (text) => {
          if (ISO_DATE.test(text)) return readWrittenDate(text, 'day first');
          return format ? format.read(text) : readers.get(name)?.(text);
        },
        nextDate: (name) => (text) => (lacksYear(text) ? nextReaders.get(name)?.(text) : undefined),
        whyNoDate: (text) => noDate(text, format),
        length: lengths.reader(),
        span: clock.reader(),
        code: codes.reader,
        decimalTime: decimalTimes.reader(),
        statuses: statuses.reader(),
        haveNamesCommas: commas.reader(),
        problems: questions.flatMap((question) => question.problems?.() ?? []),
      };
    },
  };
}

/** In which order are the numbers of its dates? */
function dateQuestion(name: DayColumn, { places, weekday = -1 }: Columns, year: number | undefined) {
  const textsIn = ({ cells }: GridRow) => {
    const text = dateTextOf(cells[places[name] ?? -1] ?? '', name);
    if (text === undefined) return [];
    const day = textOf(cells[weekday]);
    return name === 'date' && isWeekday(day) ? [text, `${day} ${text}`] : [text];
  };
  const question = narrowedBy(dateNarrowing(year), textsIn, (settled) => dateProblem(name, settled));
  if (year === undefined) return { name, ...question, nextReader: () => () => undefined };
  const next = narrowedBy(dateNarrowing(year + 1), textsIn, () => []);
  const turn = turnOfYear(name);
  const hasTurn = name === 'date' || name === 'start_time';
  const settle = () => turn.settle(question.reader(), next.reader());
  return {
    ...question,
    name,
    look(row: GridRow) {
      question.look(row);
      next.look(row);
      const [text] = textsIn(row);
      if (text !== undefined && hasTurn) turn.look(text, row);
    },
    reader: () => settle().read,
    nextReader: next.reader,
    problems: () => [...question.problems(), ...settle().problems],
  };
}

/** Is `n` the code `N`? Codes are case-insensitive, unless two of them, or two texts of the sheet, differ only in case. */
function codeQuestion({ times, start_time }: ColumnPlaces, { codes = new Map() }: SheetOptions) {
  const known = Map.groupBy(codes.keys(), (code) => code.toLowerCase());
  const seen = new Set<string>();
  return {
    look({ cells }: GridRow): void {
      const text = codes.size === 0 ? '' : textOf(cells[times ?? start_time ?? -1]);
      if (codes.has(text)) seen.add(text);
    },
    reader(text: string): string | undefined {
      if (codes.size === 0) return undefined;
      const exact = codes.get(text);
      if (exact !== undefined) return exact;
      const [code, other] = known.get(text.toLowerCase()) ?? [];
      return code === undefined || other !== undefined || seen.has(code) ? undefined : codes.get(code);
    },
  };
}

/** Is `7.30` a part of an hour, or are these minutes? Is `450` all minutes? */
function lengthQuestion(place = -1) {
  const narrowing = new Narrowing<number>([
    { name: '7.5', read: (text) => readLength(text, 'decimal') },
    { name: '7:30', read: (text) => readLength(text, 'minutes') },
    { name: '450', read: (text) => readLength(text, 'count of minutes') },
  ]);
  const textsIn = ({ cells }: GridRow) => {
    const cell = cells[place] ?? '';
    // Other numbers of a workbook are parts of an hour.
    return cell !== '' && (typeof cell === 'string' || /^\d+$/.test(cell.text)) ? [textOf(cell)] : [];
  };
  return narrowedBy(narrowing, textsIn, ({ open, contradiction }) => {
    const unclear = open ?? contradiction?.[0];
    if (unclear === undefined) return [];
    const message =
      contradiction !== undefined && contradiction.length > 1
        ? `the lengths are not written in one way, see ${contradiction.map(({ text }) => quote(text)).join(' and ')}: write hours such as ${quote('7:30')}`
        : `${quote(unclear.text)} may be hours and minutes, or a part of an hour; write ${quote('7:30')} or ${quote('7.5')}`;
    return [{ place: placeInSheet(unclear.place, 'hours'), message }];
  });
}

function narrowedBy<Value>(
  narrowing: Narrowing<Value>,
  textsIn: (row: GridRow) => readonly string[],
  tell: (settled: ReturnType<Narrowing<Value>['settle']>) => readonly SheetProblem[],
) {
  return {
    look(row: GridRow) {
      for (const text of textsIn(row)) narrowing.look(text, row);
    },
    isSettled: () => narrowing.isSettled(),
    reader: () => narrowing.settle().read,
    problems: () => tell(narrowing.settle()),
  };
}

/**
 * Has a spreadsheet with the settings of another country half converted its dates? It turns 7/3/2027 into a date with
 * day and month swapped, and leaves 13/3/2027 as text. All dates of such a column have days up to 12, and all its texts
 * have days above 12.
 */
function halfConvertedQuestion(place = -1): ColumnQuestion {
  let [hasDates, hasTexts, isOther] = [false, false, false];
  return {
    look({ cells }) {
      const cell = cells[place] ?? '';
      if (typeof cell !== 'string') {
        if (cell.type !== 'date' && cell.type !== 'date and time') return;
        hasDates = true;
        if (Number(cell.text.slice(8, 10)) > 12) isOther = true;
      } else if (/^\d{1,2}([/-])\d{1,2}\1\d{2,4}$/.test(cell)) {
        hasTexts = true;
        if (
          (readWrittenDate(cell, 'day first') === undefined) ===
          (readWrittenDate(cell, 'month first') === undefined)
        )
          isOther = true;
      }
    },
    problems: () => (hasDates && hasTexts && !isOther ? [HALF_CONVERTED] : []),
  };
}

/** A day from 2009 on, with or without a time of day. */
const EXCEL_DAY = /^[4-6]\d{4}(?:[.,]\d{1,30})?$/;

export const DATE_RULE = 'a date such as 2027-03-06, 6.3.2027 or 6 March 2027';

const HALF_CONVERTED: SheetProblem = {
  place: { name: 'date' },
  message:
    'dates with days up to 12 are dates in the workbook and those above are text, as when a spreadsheet takes days for months: compare them with the plan, and write them alike',
  advice: '; if they are right, say how the text is written, such as --date-format D/M/YYYY',
};

/** The text of a cell that may be an ambiguous date, or undefined. Columns of times may hold times alone. */
function dateTextOf(cell: Cell, column: DayColumn): string | undefined {
  const text = textOf(cell);
  if (text === '' || ISO_DATE.test(text)) return undefined;
  const [date] = cutDateAndTime(text) ?? [];
  if (column === 'start_time' || column === 'end_time') return date;
  // "6. 3.27" could be cut, too.
  return ORDERS.some((order) => readWrittenDate(text, order) !== undefined) ? text : (date ?? text);
}

/** Why a text is no date, as the end of a sentence. */
function noDate(text: string, format: DateFormat | undefined): string | Reason {
  if (format !== undefined)
    return `${quote(text)} is not a date ${format.name} or YYYY-MM-DD from 1000-01-01 to 9999-12-31`;
  switch (whyNoDate(text)) {
    case 'no year':
      return {
        message: `${quote(text)} lacks its year`,
        advice: ': give the one of all such dates with --year',
        fix: [['year', '', 'gap']],
      };
    case 'another weekday': {
      const czech = /^so\b/i.test(text) ? '; for a Czech Saturday, write sobota' : '';
      return `${quote(text)} is not a date: that day is another weekday, or does not exist${czech}`;
    }
    default:
      if (EXCEL_DAY.test(text)) {
        return {
          message: `${quote(text)} may be a date as Excel counts days`,
          advice: ': then say --date-format serial',
          about: text,
          fix: byOption('date-format', SERIAL),
        };
      }
      return {
        message: `${quote(text)} is not ${DATE_RULE}`,
        advice: '; if dates are written otherwise, say how, such as --date-format DD-MM-YYYY',
      };
  }
}

type ReadDate = (text: string) => string | undefined;

function lacksYear(text: string): boolean {
  return whyNoDate(text) === 'no year';
}

/** More different dates than a year has are not looked at. */
const MAX_DATES = 1_000;

/** With a turn, months up to June are in the next year. Those around it would be in either. */
const LAST_MONTH_OF_NEXT = 6;
const MIDDLE = [5, 6, 7, 8];
const AWAY_FROM_TURN = [3, 4, 5, 6, 7, 8, 9, 10];

/** Do the dates of a list, which lack their year, go on after the end of it? `31.12.` is then followed by `01.01.`. */
function turnOfYear(name: DayColumn) {
  const places = new Map<string, SheetPlace>();
  const pairs = new Map<string, readonly [string, string]>();
  let before: string | undefined;

  function look(text: string, place: SheetPlace): void {
    if (text === before || places.size >= MAX_DATES || (!places.has(text) && !lacksYear(text))) return;
    if (!places.has(text)) places.set(text, place);
    if (before !== undefined && pairs.size < MAX_DATES) pairs.set(`${before}\0${text}`, [before, text]);
    before = text;
  }

  /** `inYear` and `inNext` read a date that lacks its year in the year that was given, and in the next one. */
  function settle(inYear: ReadDate, inNext: ReadDate): { read: ReadDate; problems: readonly SheetProblem[] } {
    const monthOf = (text: string) => Number((inYear(text) ?? inNext(text) ?? '').slice(5, 7));
    const months = new Set([...places.keys()].map(monthOf));
    const hasTurn = [...pairs.values()].some(([one, next]) => monthOf(one) === 12 && monthOf(next) === 1);
    const isUnclear = hasTurn
      ? MIDDLE.some((month) => months.has(month))
      : months.has(12) && months.has(1) && !AWAY_FROM_TURN.some((month) => months.has(month));
    const read: ReadDate = (text) =>
      hasTurn && lacksYear(text) && monthOf(text) <= LAST_MONTH_OF_NEXT ? inNext(text) : inYear(text);
    const [text, place] = [...places].find(([one]) => monthOf(one) === 1) ?? [];
    if (!isUnclear || text === undefined || place === undefined) return { read, problems: [] };
    const message = 'it is not clear which dates are in the next year: write the year of each';
    return { read, problems: [{ place: placeInSheet(place, name), message }] };
  }
  return { look, settle };
}

/**
 * Does a name count for the rows below it, too? Then it begins the first row of its block, and is not repeated. Below it,
 * an empty cell may as well be an open shift, or one without a location.
 */
function blockQuestion({ places }: ListColumns, { fillDown = [] }: SheetOptions): ColumnQuestion {
  const { id: _, ...others } = places;
  const begin = Math.min(...Object.values(others));
  const name = (['person', 'location'] as const).find((one) => places[one] === begin);
  let isClear = name === undefined || fillDown.some((one) => one === KEEP_EMPTY || one === name);
  let last = '';
  let below: { readonly name: string; readonly place: SheetPlace } | undefined;
  return {
    look(row) {
      const text = isClear ? '' : textOf(row.cells[begin]);
      if (text !== '') [isClear, last] = [text === last && row.nth === undefined, text];
      else if (last !== '') below ??= { name: last, place: row };
    },
    problems() {
      if (isClear || name === undefined || below === undefined) return [];
      return [
        {
          place: placeInSheet(below.place, name),
          message: `is empty below ${quote(below.name)}`,
          advice: `: if it is as the one above, say --fill-down ${name}; if there is none, say --fill-down ${KEEP_EMPTY}`,
          fix: byOption('fill-down', name, KEEP_EMPTY),
        },
      ];
    },
  };
}

/** One row alone tells nothing. */
const MIN_ROWS = 2;

export function staffNumberQuestion(
  { places, headings, lacking, isExport }: ListColumns,
  { columnNames }: SheetOptions,
) {
  const { id = -1, person = -1, first_name = -1, last_name = -1 } = places;
  const heading = headings[id] ?? '';
  // A sheet that lacks columns changes shifts that are known by their ids.
  const mayAsk = plainWord(heading) === 'id' && !isExport && lacking.length === 0 && !columnNames.has('id');
  const people = new Map<string, string>();
  const ids = new Map<string, string>();
  let first: SheetPlace | undefined;
  let repeated: SheetPlace | undefined;
  let areOfShifts = !mayAsk;
  return {
    look(row: GridRow): void {
      if (areOfShifts) return;
      const [number, ...names] = [id, person, first_name, last_name].map((place) => textOf(row.cells[place]));
      const name = names.join(' ').trim();
      if (!number || name === '') return;
      first ??= row;
      const isSame = people.get(number) === name;
      if (isSame) repeated ??= row;
      else if (people.has(number) || ids.has(name)) areOfShifts = true;
      people.set(number, name);
      ids.set(name, number);
    },
    problems(): readonly SheetProblem[] {
      const place = repeated ?? first;
      if (areOfShifts || place === undefined || (repeated === undefined && people.size < MIN_ROWS)) return [];
      const why = repeated ? 'repeats the one of its person' : 'stands beside one person each';
      return [
        {
          place: placeInSheet(place, heading),
          message: why,
          advice: `; if it is a staff number, say --ignore-columns ${heading}${repeated ? '' : `; if it is the id of the shift, say --columns id=${heading}`}`,
          fix: [
            ...byOption('ignore-columns', heading),
            ...(repeated ? [] : byOption('columns', `id=${heading}`)),
          ],
        },
      ];
    },
  };
}
