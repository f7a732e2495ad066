/**
 * Reads a date as people write it, or as --date-format says. Only the order of its numbers may be ambiguous (`3/6/2027`, `26-12-01`), and it is
 * never guessed: the caller says which order to try.
 */

import { type Day, dayOf, formatDate, parseDate, weekdayOf } from '@shiftfeed/common/days';
import { type InLanguages, plainWord } from './words.ts';

export const ORDERS = ['day first', 'month first', 'year first'] as const;
export type DateOrder = (typeof ORDERS)[number];

/** A date that may lack its year, as in the headings of a roster. */
interface WrittenDate {
  readonly year: number | undefined;
  readonly month: number;
  readonly day: number;
}

/**
 * Returns YYYY-MM-DD, or undefined if the text is no date in this order or names another weekday. `year` is for dates
 * without one.
 */
export function readDate(text: string, order: DateOrder, year?: number): string | undefined {
  return readDateIn(text, order, [year]);
}

/** The same in the first of several years in which there is such a date. */
export function readDateIn(
  text: string,
  order: DateOrder,
  years: readonly (number | undefined)[],
): string | undefined {
  if (ISO_DATE.test(text)) return parseDate(text) === undefined ? undefined : text;
  if (text.length > MAX_CHARACTERS) return undefined;
  const pieces = piecesOf(text);
  const written = pieces && writtenDate(pieces, order);
  if (pieces === undefined || written === undefined) return undefined;
  for (const year of years) {
    const day = dayNumber(written, year);
    if (day !== undefined && agreesWith(pieces, day)) return formatDate(day);
  }
  return undefined;
}

/** Why a text that is almost a date is none. */
export function whyNoDate(text: string): 'no year' | 'another weekday' | undefined {
  const pieces = text.length > MAX_CHARACTERS ? undefined : piecesOf(text);
  if (pieces === undefined) return undefined;
  for (const order of ORDERS) {
    const written = writtenDate(pieces, order);
    if (written === undefined) continue;
    if (written.year === undefined) {
      if (dayNumber(written, LEAP_YEAR) !== undefined) return 'no year';
      continue;
    }
    const day = dayNumber(written, undefined);
    if (day !== undefined && !agreesWith(pieces, day)) return 'another weekday';
  }
  return undefined;
}

/** The month that a word stands for; undefined for none. */
function monthNamed(word: string): number | undefined {
  return MONTH_NUMBERS.get(plainWord(word));
}

export function isWeekday(text: string): boolean {
  return weekdaysNamed(text) !== undefined;
}

/** The weekdays that a word may stand for; undefined for none. */
export function weekdaysNamed(text: string): ReadonlySet<number> | undefined {
  return WEEKDAY_NUMBERS.get(plainWord(text));
}

/** The month of a title such as `Dienstplan März 2027` or `03/2027`, as YYYY-MM. `year` is for a month without one. */
export function monthIn(text: string, year: number | undefined): string | undefined {
  if (text.length > MAX_TITLE_CHARACTERS) return undefined;
  const [, numberFirst, yearAfter, yearFirst, numberAfter] = MONTH_AND_YEAR.exec(text) ?? [];
  const ofYear = (inYear: string | number, month: string | number) =>
    Number(month) >= 1 && Number(month) <= 12 ? `${inYear}-${String(month).padStart(2, '0')}` : undefined;
  if (yearAfter !== undefined) return ofYear(yearAfter, numberFirst ?? '');
  if (yearFirst !== undefined) return ofYear(yearFirst, numberAfter ?? '');
  if (year !== undefined && monthNamed(text) !== undefined) return ofYear(year, monthNamed(text) ?? '');
  const months = [...text.matchAll(/\p{L}[\p{L}\p{M}]*/gu)].flatMap(([word]) => monthNamed(word) ?? []);
  const numbers = text.match(/\d+/g) ?? [];
  if (months.length !== 1 || numbers.length !== 1 || !/^20\d\d$/.test(numbers[0])) return undefined;
  return ofYear(numbers[0], months[0] ?? '');
}

const MONTH_AND_YEAR = /^(?:(\d{1,2})[./-](20\d\d)|(20\d\d)[./-](\d{1,2}))$/;

export const ISO_DATE = /^\d{4}-\d\d-\d\d$/;
const MAX_CHARACTERS = 60;
const MAX_TITLE_CHARACTERS = 200;
const LEAP_YEAR = 2028;

interface Pieces {
  readonly numbers: readonly string[];
  /** What stands between them. */
  readonly separators: readonly string[];
  readonly month: number | undefined;
  /** How many numbers stand before the name of the month. */
  readonly numbersBeforeMonth: number;
  /** The weekdays that its words may stand for. A word may be one in several languages. */
  readonly weekdays: readonly ReadonlySet<number>[];
}

/** Returns undefined if the text contains something that no date has. */
function piecesOf(text: string): Pieces | undefined {
  const numbers: string[] = [];
  const separators: string[] = [];
  const weekdays: ReadonlySet<number>[] = [];
  let month: number | undefined;
  let numbersBeforeMonth = 0;
  const unsure: { readonly month: number; readonly days: ReadonlySet<number>; readonly before: number }[] =
    [];
  let between = '';
  for (const [, word, number, other] of text.matchAll(PIECES)) {
    if (other !== undefined) {
      if (!/^[\s.,/\-–()']+$/.test(other)) return undefined;
      between += other;
    } else if (number !== undefined) {
      if (numbers.length > 0) separators.push(between.trim());
      between = '';
      numbers.push(number);
    } else {
      const plain = plainWord(word ?? '');
      const asMonth = MONTH_NUMBERS.get(plain);
      const asWeekday = WEEKDAY_NUMBERS.get(plain);
      if (asMonth !== undefined && asWeekday !== undefined) {
        unsure.push({ month: asMonth, days: asWeekday, before: numbers.length });
      } else if (asMonth !== undefined) {
        if (month !== undefined) return undefined;
        month = asMonth;
        numbersBeforeMonth = numbers.length;
      } else if (asWeekday !== undefined) {
        weekdays.push(asWeekday);
      } else if (!FILLER_WORDS.has(plain)) {
        return undefined;
      }
    }
  }
  // "mar" is March, but also Tuesday in French and Spanish. It is the month if no other word is.
  for (const { month: asMonth, days, before } of unsure) {
    if (month === undefined && numbers.length < 3) {
      month = asMonth;
      numbersBeforeMonth = before;
    } else {
      weekdays.push(days);
    }
  }
  return { numbers, separators, month, numbersBeforeMonth, weekdays };
}

const PIECES = /(\p{L}[\p{L}\p{M}]*)|(\d+)|([^\p{L}\d]+)/gu;

function writtenDate(pieces: Pieces, order: DateOrder): WrittenDate | undefined {
  return pieces.month === undefined ? inNumbers(pieces, order) : withMonthName(pieces, pieces.month);
}

/** `6 March 2027`, `March 6, 2027`, `2027 March 6`, `06-Mar-27`. A year of two digits comes last. */
function withMonthName({ numbers, numbersBeforeMonth }: Pieces, month: number): WrittenDate | undefined {
  const [first = '', second = '', third] = numbers;
  if (third !== undefined || first === '') return undefined;
  if (second === '') return isShort(first) ? { year: undefined, month, day: Number(first) } : undefined;
  if (first.length === 4 && isShort(second)) {
    return numbersBeforeMonth === 1 ? { year: Number(first), month, day: Number(second) } : undefined;
  }
  const year = yearOf(second);
  if (!isShort(first) || year === undefined || numbersBeforeMonth === 2) return undefined;
  return { year, month, day: Number(first) };
}

/** With dots, the day always comes first. If the year comes first, the month is second. */
function inNumbers({ numbers, separators }: Pieces, order: DateOrder): WrittenDate | undefined {
  const [first = '', second = '', third, ...others] = numbers;
  if (others.length > 0 || separators.some((one) => one !== separators[0])) return undefined;
  const separator = separators[0] ?? '';
  if (numbers.length === 1) return compact(first);
  if (!['.', '/', '-', ''].includes(separator)) return undefined;
  if (third === undefined) {
    if (!isShort(first) || !isShort(second) || separator === '') return undefined;
    return inOrder([first, second], undefined, separator === '.' ? 'day first' : order);
  }
  if (first.length === 4) {
    if (!isShort(second) || !isShort(third)) return undefined;
    return { year: Number(first), month: Number(second), day: Number(third) };
  }
  if (!isShort(first) || !isShort(second)) return undefined;
  if (separator !== '.' && order === 'year first') {
    const year = yearOf(first);
    return year === undefined || !isShort(third)
      ? undefined
      : { year, month: Number(second), day: Number(third) };
  }
  const year = yearOf(third);
  return year === undefined
    ? undefined
    : inOrder([first, second], year, separator === '.' ? 'day first' : order);
}

function inOrder(
  [first, second]: readonly [string, string],
  year: number | undefined,
  order: DateOrder,
): WrittenDate | undefined {
  if (order === 'year first') return undefined;
  return order === 'day first'
    ? { year, month: Number(second), day: Number(first) }
    : { year, month: Number(first), day: Number(second) };
}

/** `20270306`: from 2013 on, the first four digits can be neither DDMM nor MMDD. */
function compact(digits: string): WrittenDate | undefined {
  const [, year, month, day] = /^(20(?:1[3-9]|[2-9]\d))(\d\d)(\d\d)$/.exec(digits) ?? [];
  return year === undefined ? undefined : { year: Number(year), month: Number(month), day: Number(day) };
}

function isShort(number: string): boolean {
  return number.length <= 2;
}

function yearOf(number: string): number | undefined {
  if (number.length === 4) return Number(number);
  return number.length === 2 ? 2000 + Number(number) : undefined;
}

function dayNumber({ year, month, day }: WrittenDate, yearOfOthers: number | undefined): Day | undefined {
  const inYear = year ?? yearOfOthers;
  if (inYear === undefined) return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  if (parseDate(`${String(inYear).padStart(4, '0')}-${two(month)}-${two(day)}`) === undefined)
    return undefined;
  return dayOf(inYear, month, day);
}

function agreesWith({ weekdays }: Pieces, day: Day): boolean {
  return weekdays.every((possible) => possible.has(weekdayOf(day)));
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
  const order = { year: letters.indexOf('Y'), month: letters.indexOf('M'), day: letters.indexOf('D') };
  if (Object.values(order).includes(-1)) return undefined;
  const hasMonthName = (tokens[order.month]?.length ?? 0) > 2;
  if (!hasMonthName && before !== after) return undefined;
  // Without separators, only fixed widths show where a number ends.
  if (before === '' && tokens.some((token) => token.length === 1)) return undefined;
  // YYYY-MM-DD is always accepted, so YYYY-DD-MM would be ambiguous.
  if (letters === 'YDM' && before === '-' && tokens[order.year] === 'YYYY') return undefined;
  const expression = new RegExp(
    `^${expressionOf(first)}${escaped(before)}${expressionOf(second)}${escaped(after)}${expressionOf(third)}$`,
    'u',
  );
  return {
    name,
    read(cell) {
      if (cell.length > MAX_CHARACTERS) return undefined;
      const pieces = expression.exec(cell);
      if (pieces === null) return undefined;
      const piece = (index: number) => pieces[index + 1] ?? '';
      const year = piece(order.year).padStart(4, '20');
      const month = hasMonthName ? monthNamed(piece(order.month)) : piece(order.month);
      if (month === undefined) return undefined;
      const date = `${year}-${String(month).padStart(2, '0')}-${piece(order.day).padStart(2, '0')}`;
      return parseDate(date) === undefined ? undefined : date;
    },
  };
}

const TOKEN = '(DD?|M{1,4}|YYYY|YY)';
const SEPARATOR = '([-/. ]|, |\\. |)';

function expressionOf(token: string): string {
  if (token.startsWith('MMM')) return '(\\p{L}[\\p{L}\\p{M}]*)\\.?';
  return token.length === 1 ? '(\\d{1,2})' : `(\\d{${token.length}})`;
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

/** From January on, with the ways in which people shorten them. */
export const MONTHS: InLanguages<string> = {
  English:
    'January Jan, February Feb, March Mar, April Apr, May, June Jun, July Jul, August Aug, September Sept Sep, October Oct, November Nov, December Dec',
  Dutch:
    'januari jan, februari feb febr, maart mrt, april apr, mei, juni jun, juli jul, augustus aug, september sept sep, oktober okt, november nov, december dec',
  German:
    'Januar Jänner Jan Jän, Februar Feber Feb Febr, März Maerz Mär Mrz, April Apr, Mai, Juni Jun, Juli Jul, August Aug, September Sept Sep, Oktober Okt, November Nov, Dezember Dez',
  French:
    'janvier janv jan, février févr fév, mars, avril avr, mai, juin, juillet juil, août, septembre sept, octobre oct, novembre nov, décembre déc',
  Spanish:
    'enero ene, febrero feb, marzo mar, abril abr, mayo may, junio jun, julio jul, agosto ago, septiembre setiembre sept sep, octubre oct, noviembre nov, diciembre dic',
};

/** From Sunday on. */
export const WEEKDAYS: InLanguages<string> = {
  English:
    'Sunday Sun Su, Monday Mon Mo, Tuesday Tues Tue Tu, Wednesday Weds Wed We, Thursday Thurs Thur Thu Th, Friday Fri Fr, Saturday Sat Sa',
  Dutch:
    'zondag zo zon, maandag ma maa, dinsdag di din, woensdag wo woe, donderdag do don, vrijdag vr vrij vri, zaterdag za zat',
  German:
    'Sonntag So Son, Montag Mo Mon, Dienstag Di Die, Mittwoch Mi Mit, Donnerstag Do Don, Freitag Fr Fre, Samstag Sonnabend Sa Sam',
  French:
    'dimanche dim di, lundi lun lu, mardi mar ma, mercredi mer me, jeudi jeu je, vendredi ven ve, samedi sam sa',
  Spanish:
    'domingo dom do, lunes lun lu, martes mar ma, miércoles mié mi, jueves jue ju, viernes vie vi, sábado sáb sa',
};

/** Filler words that a date may contain: `6 de marzo de 2027`, `le 6 mars`, `6th of March`. */
const FILLERS = 'de del el le den der am the of op on st nd rd th er';

/** The positions of words in the lists of all languages, counted from 1. */
function placesOf(words: InLanguages<string>): Map<string, Set<number>> {
  const places = new Map<string, Set<number>>();
  for (const ofLanguage of Object.values(words)) {
    for (const [i, ways] of ofLanguage.split(', ').entries()) {
      for (const word of ways.split(' ').map(plainWord)) {
        places.set(word, (places.get(word) ?? new Set()).add(i + 1));
      }
    }
  }
  return places;
}

const WEEKDAY_NUMBERS: ReadonlyMap<string, ReadonlySet<number>> = placesOf(WEEKDAYS);
/** No word stands for two different months in two languages; a test checks this. */
const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map(
  [...placesOf(MONTHS)].map(([word, [month = 0]]) => [word, month]),
);
const FILLER_WORDS: ReadonlySet<string> = new Set(FILLERS.split(' '));
