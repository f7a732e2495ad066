/**
 * Reads a date as people write it, or as --date-format says. Only the order of its numbers may be ambiguous (`3/6/2027`, `26-12-01`), and it is
 * never guessed: the caller says which order to try.
 */

import { type Day, dayOf, formatDate, isDate, parseDate, weekdayOf } from '@shiftfeed/common/days';
import { memoize } from '@shiftfeed/common/memoize';
import { distance } from 'fastest-levenshtein';
import { anyOf, LANGUAGES, plainWord, plainWords } from './languages.ts';

export const ORDERS = ['day first', 'month first', 'year first'] as const;
export type DateOrder = (typeof ORDERS)[number];

/** The date of a text that can be read in one way only. */
export function onlyDate(text: string, year: number | undefined): string | undefined {
  const [date, ...others] = new Set(ORDERS.flatMap((order) => readWrittenDate(text, order, year) ?? []));
  return others.length > 0 ? undefined : date;
}

/**
 * Returns YYYY-MM-DD, or undefined if the text is no date in this order or names another weekday. A date without a year
 * is in the first of `years` in which there is such a date.
 */
export function readWrittenDate(
  text: string,
  order: DateOrder,
  ...years: readonly (number | undefined)[]
): string | undefined {
  if (ISO_DATE.test(text)) return isDate(text) ? text : undefined;
  const pieces = piecesOf(text);
  const written = pieces && writtenDate(pieces, order);
  if (pieces === undefined || written === undefined) return undefined;
  for (const year of written.year === undefined ? years : [undefined]) {
    const date = dateIn(written, year);
    if (date !== undefined && agreesWith(pieces, date)) return date;
  }
  return undefined;
}

/** Why a text that is almost a date is none. */
export function whyNoDate(text: string): 'no year' | 'another weekday' | undefined {
  const pieces = piecesOf(text);
  if (pieces === undefined) return undefined;
  for (const order of ORDERS) {
    const written = writtenDate(pieces, order);
    const date = written && dateIn(written, LEAP_YEAR);
    if (date === undefined) continue;
    if (written?.year === undefined) return 'no year';
    if (!agreesWith(pieces, date)) return 'another weekday';
  }
  return undefined;
}

/** In these years, every date but 29 February falls on every weekday at least once. */
export const SOME_YEARS = [2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029, 2030, 2031];

/** The number of the month that a word stands for; undefined for none. */
export function monthNamed(word: string): string | undefined {
  return MONTH_NUMBERS.get(plainWord(word));
}

export function isWeekday(text: string): boolean {
  return weekdaysNamed(text) !== undefined;
}

/** The weekdays that a word may stand for; undefined for none. */
export function weekdaysNamed(text: string): ReadonlySet<number> | undefined {
  return WEEKDAY_NUMBERS.get(plainWord(text));
}

/** The weekday that stands beside a date; undefined if there is none, or if it may be a month. */
export function weekdayWord(text: string): string | undefined {
  const [word, ...more] = wordsIn(text).filter((one) => isWeekday(one) && monthNamed(one) === undefined);
  return more.length > 0 ? undefined : word;
}

function wordsIn(text: string): readonly string[] {
  return [...text.slice(0, MAX_CHARACTERS).matchAll(PIECES)].flatMap(([, word]) => word ?? []);
}

/** Whether a text that is no date was probably meant for one, or for a weekday: `Tuseday 9 Mar 2027`, `31.2.2027`. */
export function mayBeMistypedDay(text: string): boolean {
  const words = wordsIn(text).map(plainWord);
  if (!/\d/.test(text)) return isWeekday(text) || (words.length === 1 && words.some(isNearlyWeekday));
  if (/^\D{0,15}\d{1,4}\s?[./-]\s?\d{1,2}(?:\D|$)/.test(text)) return true;
  return words.some(
    (word) =>
      WEEKDAY_NUMBERS.has(word) || MONTH_NUMBERS.has(word) || isNearlyWeekday(word) || isNearlyMonth(word),
  );
}

const isNearlyWeekday = memoize((word: string) => isNearly(word, WEEKDAY_NUMBERS.keys()));
const isNearlyMonth = memoize((word: string) => isNearly(word, MONTH_NUMBERS.keys()));

/** One letter of five may be wrong, and two of seven. */
function isNearly(word: string, known: Iterable<string>): boolean {
  const most = word.length >= 7 ? 2 : word.length >= 5 ? 1 : 0;
  if (most === 0 || word.length > MAX_WORD) return false;
  for (const one of known) {
    if (one.length >= 5 && Math.abs(one.length - word.length) <= most && distance(word, one) <= most)
      return true;
  }
  return false;
}

const MAX_WORD = 20;

export const ISO_DATE = /^\d{4}-\d\d-\d\d$/;
const MAX_CHARACTERS = 60;
const LEAP_YEAR = 2028;

interface Pieces {
  readonly numbers: readonly string[];
  /** What stands between them. */
  readonly separators: readonly string[];
  readonly month: NamedWord | undefined;
  /** The weekdays that its other words may stand for. */
  readonly weekdays: readonly ReadonlySet<number>[];
}

/** The name of a month, or of a weekday. It may be one in several languages. */
interface NamedWord {
  readonly plain: string;
  readonly month: string | undefined;
  readonly weekdays: ReadonlySet<number> | undefined;
  /** How many numbers stand before it. */
  readonly numbersBefore: number;
}

/** Returns undefined if the text contains something that no date has. */
function piecesOf(text: string): Pieces | undefined {
  if (text.length > MAX_CHARACTERS || !/\d/.test(text)) return undefined;
  const numbers: string[] = [];
  const separators: string[] = [];
  const words: NamedWord[] = [];
  let between = '';
  for (const [, word = '', number, other] of text.matchAll(PIECES)) {
    if (other !== undefined) {
      if (!/^[\s.,/\-–()']+$/.test(other)) return undefined;
      between += other;
    } else if (number !== undefined) {
      if (numbers.length > 0) separators.push(between.trim());
      between = '';
      numbers.push(number);
    } else {
      const named = {
        plain: plainWord(word),
        month: monthNamed(word),
        weekdays: weekdaysNamed(word),
        numbersBefore: numbers.length,
      };
      if (named.month !== undefined || named.weekdays !== undefined) words.push(named);
      else if (!FILLER_WORDS.has(named.plain)) return undefined;
    }
  }
  const [sure, ...more] = words.filter(({ weekdays }) => weekdays === undefined);
  if (more.length > 0) return undefined;
  // "mar" is March, but also Tuesday in French and Spanish. It is the month if no other word is.
  const month = sure ?? (numbers.length < 3 ? words.find((word) => word.month !== undefined) : undefined);
  const weekdays = words.flatMap((word) => (word === month ? [] : (weekdaysBeside(word, month) ?? [])));
  return { numbers, separators, month, weekdays };
}

/** Beside `března`, `so` is a Czech Saturday: a weekday is read in the language of the month, if it is one there. */
function weekdaysBeside({ plain, weekdays }: NamedWord, month: NamedWord | undefined) {
  if (month === undefined) return weekdays;
  const inLanguage = LANGUAGE_WORDS.flatMap(({ months, days }) =>
    months.has(month.plain) ? [...(days.get(plain) ?? [])] : [],
  );
  return inLanguage.length > 0 ? new Set(inLanguage) : weekdays;
}

/** What follows a number directly makes it an ordinal: the `th` of `8th` is no Thursday. */
const PIECES = new RegExp(
  `(\\p{L}[\\p{L}\\p{M}]*)|(\\d{1,60})(?:${anyOf(({ dates }) => dates.ordinals)}(?![\\p{L}\\p{M}]))?|([^\\p{L}\\d]+)`,
  'giu',
);

/** The digits of a date that may lack its year, as in the headings of a roster. There may be no such date. */
interface WrittenDate {
  readonly year: string | undefined;
  readonly month: string;
  readonly day: string;
}

function writtenDate({ numbers, separators, month }: Pieces, order: DateOrder): WrittenDate | undefined {
  const [first = '', second, third] = numbers;
  if (month !== undefined) return numbers.length > 2 ? undefined : withMonthName(month, first, second);
  if (numbers.length === 1) return compact(first);
  // "6/3 2027" has none before its year.
  const [separator = '', beforeYear = separator] = separators;
  const isOne = beforeYear === separator || (beforeYear === '' && third?.length === 4);
  if (numbers.length > 3 || !isOne) return undefined;
  if (!['.', '/', '-'].includes(separator) && (separator !== '' || third === undefined)) return undefined;
  if (first.length === 4) return written(first, second, third);
  // With dots, the day always comes first.
  switch (separator === '.' ? 'day first' : order) {
    case 'day first':
      return written(third, second, first);
    case 'month first':
      return written(third, first, second);
    case 'year first':
      return written(first, second, third);
  }
}

/** `6 March 2027`, `March 6, 2027`, `2027 March 6`, `06-Mar-27`. A year of two digits comes last. */
function withMonthName({ month, numbersBefore }: NamedWord, first: string, second: string | undefined) {
  if (first.length === 4) return numbersBefore === 1 ? written(first, month, second) : undefined;
  return numbersBefore === 2 ? undefined : written(second, month, first);
}

/** `20270306`: from 2013 on, the first four digits can be neither DDMM nor MMDD. */
function compact(digits: string): WrittenDate | undefined {
  const [, year, month, day] = /^(20(?:1[3-9]|[2-9]\d))(\d\d)(\d\d)$/.exec(digits) ?? [];
  return written(year, month, day);
}

/** Returns undefined if month or day is missing, or a number has too many digits or too few. */
function written(year: string | undefined, month = '', day = ''): WrittenDate | undefined {
  const isShort = (digits: string) => digits.length === 1 || digits.length === 2;
  if (!isShort(month) || !isShort(day)) return undefined;
  if (year === undefined || year.length === 4) return { year, month, day };
  return year.length === 2 ? { year: `20${year}`, month, day } : undefined;
}

/** As YYYY-MM-DD, or undefined if there is no such date. */
function dateIn({ year, month, day }: WrittenDate, yearOfOthers?: number): string | undefined {
  const date = `${year ?? yearOfOthers}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
}

function agreesWith({ weekdays }: Pieces, date: string): boolean {
  return weekdays.every((possible) => isOneOf(possible, date));
}

/** Whether a date falls on one of these weekdays, if there are any. */
export function isOneOf(possible: ReadonlySet<number> | undefined, date: string): boolean {
  return possible === undefined || possible.has(weekdayOf(parseDate(date) as Day));
}

/** Whether a word is no weekday, or may be that of a date. */
export function fitsWeekday(word: string, date: string): boolean {
  return isOneOf(weekdaysNamed(word), date);
}

/** `--date-format`: the operator says how the dates of a sheet are written. */
export interface DateFormat {
  /** Such as `D-M-YYYY`. */
  readonly name: string;
  /** The date as YYYY-MM-DD; undefined when it is written otherwise or does not exist. */
  read(text: string): string | undefined;
}

export const DATE_FORMAT_RULE =
  'a pattern of D or DD, M, MM, MMM or MMMM, and YY or YYYY, such as DD-MM-YYYY, D/M/YY, MMM D, YYYY or YYYYMMDD, or serial';

/** Dates as Excel counts them, and times as parts of a day. */
export const SERIAL = 'serial';

/** Returns undefined unless the text is a pattern that can be read in exactly one way. */
export function parseDateFormat(text: string): DateFormat | undefined {
  if (text.toLowerCase() === SERIAL) return { name: SERIAL, read: readSerial };
  const name = text.toUpperCase();
  const found = new RegExp(`^${TOKEN}${SEPARATOR}${TOKEN}${SEPARATOR}${TOKEN}$`).exec(name);
  if (found === null) return undefined;
  const [, first = '', before = '', second = '', after = '', third = ''] = found;
  const tokens = [first, second, third];
  const letters = tokens.map((token) => token[0]).join('');
  if (new Set(letters).size < tokens.length) return undefined;
  const hasMonthName = name.includes('MMM');
  if (!hasMonthName && before !== after) return undefined;
  // Without separators, only fixed widths show where a number ends.
  if (before === '' && tokens.some((token) => token.length === 1)) return undefined;
  // YYYY-MM-DD is always accepted, so YYYY-DD-MM would be ambiguous.
  if (letters === 'YDM' && before === '-' && first === 'YYYY') return undefined;
  const expression = new RegExp(
    `^${expressionOf(first)}${escaped(before)}${expressionOf(second)}${escaped(after)}${expressionOf(third)}$`,
    'u',
  );
  return {
    name,
    read(cell) {
      if (cell.length > MAX_CHARACTERS) return undefined;
      // "6/3 2027" is read as 6/3/2027.
      const matched =
        expression.exec(cell) ?? expression.exec(cell.replace(/(?<=\d) (?=\d{4}$)/, () => after));
      const { Y, M = '', D } = matched?.groups ?? {};
      const date = written(Y, hasMonthName ? monthNamed(M) : M, D);
      return date && dateIn(date);
    },
  };
}

const TOKEN = '(DD?|M{1,4}|YYYY|YY)';
const SEPARATOR = '([-/. ]|, |\\. |)';

/** The group is named by the letter of the token. */
function expressionOf(token: string): string {
  if (token.startsWith('MMM')) return '(?<M>\\p{L}[\\p{L}\\p{M}]*)\\.?';
  return `(?<${token[0]}>\\d{${token.length === 1 ? '1,2' : token.length}})`;
}

function escaped(separator: string): string {
  return separator.replace('.', '\\.').replace(' ', '\\s*');
}

/** Excel counts 29 February 1900, which never existed, so dates before March 1900 are refused. */
const FIRST_SERIAL = 61;
const LAST_SERIAL = 2_958_465;
const DAY_OF_SERIAL_0 = dayOf(1899, 12, 30);

function readSerial(text: string): string | undefined {
  if (!/^\d{1,7}(?:[.,]\d{1,30})?$/.test(text)) return undefined;
  return dateOfSerial(Math.floor(Number(text.replace(',', '.'))));
}

export function dateOfSerial(serial: number): string | undefined {
  if (serial < FIRST_SERIAL || serial > LAST_SERIAL) return undefined;
  return formatDate((DAY_OF_SERIAL_0 + serial) as Day);
}

/** The minute of the day, or undefined if the time is not a whole minute. */
export function minuteOfSerial(serial: number): number | undefined {
  const seconds = Math.round((serial % 1) * 86_400);
  return seconds % 60 === 0 ? seconds / 60 : undefined;
}

/** The positions of words in the lists of all languages, counted from 1. */
function placesOf(lists: readonly string[]): Map<string, Set<number>> {
  const places = new Map<string, Set<number>>();
  for (const ofLanguage of lists) {
    for (const [i, ways] of ofLanguage.split(', ').entries()) {
      for (const word of ways.split(' ').map(plainWord)) {
        places.set(word, (places.get(word) ?? new Set()).add(i + 1));
      }
    }
  }
  return places;
}

const LANGUAGE_WORDS = LANGUAGES.map((language) => ({
  months: placesOf([language.months]),
  days: placesOf([language.weekdays]),
}));
/** A Czech `so` is a Saturday. Alone it is a German Sunday, which is written more often; in a row it may be either. */
const WEEKDAYS_ALONE = LANGUAGES.flatMap(({ weekdays, weekdaysAlone }) =>
  [...placesOf([weekdays])].filter(([word]) => weekdaysAlone.split(', ').map(plainWord).includes(word)),
);
const WEEKDAY_NUMBERS: ReadonlyMap<string, ReadonlySet<number>> = new Map([
  ...placesOf(LANGUAGES.map(({ weekdays }) => weekdays)),
  ...WEEKDAYS_ALONE,
]);
/** No word stands for two different months in two languages; a test checks this. */
const MONTH_NUMBERS: ReadonlyMap<string, string> = new Map(
  [...placesOf(LANGUAGES.map(({ months }) => months))].map(([word, [month]]) => [word, String(month)]),
);
/** Words that a date may contain beside its own: `6 de marzo de 2027`, `le 6 mars`, `6th of March`. */
const FILLER_WORDS = plainWords(({ dates }) => dates.fillers);

/** A weekday of Sunday = 1 to Saturday = 7. */
type Weekdays = ReadonlySet<number>;

/** The weekdays that each word may stand for, by language. */
const BY_LANGUAGE: readonly ReadonlyMap<string, Weekdays>[] = LANGUAGES.map(
  // Some short forms count only in whole rows.
  ({ weekdays, weekdaysInRows }) => placesOf([weekdays, weekdaysInRows]),
);

/**
 * What texts mean as weekdays, in each language in which all of them are some. Alone, `M` or `so` may be several weekdays,
 * or a code; side by side, all of them are of one language.
 */
export function weekdayReadings(texts: readonly string[]): readonly (readonly Weekdays[])[] {
  const plain = texts.map((text) => (text.length > MAX_WEEKDAY_CHARACTERS ? '' : plainWord(text)));
  return BY_LANGUAGE.flatMap((words) => {
    const reading = plain.flatMap((word) => words.get(word) ?? []);
    return reading.length === texts.length && reading.length > 0 ? [reading] : [];
  });
}

const MAX_WEEKDAY_CHARACTERS = 30;

/**
 * The index of the first text that is not the weekday of its date, in the language that fits best; undefined if all
 * are, and 'no weekdays' if the texts are something else.
 */
export function wrongWeekday(
  texts: readonly string[],
  dates: readonly string[],
): number | undefined | 'no weekdays' {
  const readings = weekdayReadings(texts);
  if (readings.length === 0) return 'no weekdays';
  const weekdays = dates.map((date) => weekdayOf(parseDate(date) as Day));
  const wrong = readings.map((reading) =>
    reading.findIndex((possible, i) => !possible.has(weekdays[i] as number)),
  );
  return wrong.includes(-1) ? undefined : Math.max(...wrong);
}

/** Whether a text is a single letter, which may well be a code. */
export function isInitial(text: string): boolean {
  return /^\p{L}\p{M}*\.?$/u.test(text);
}
