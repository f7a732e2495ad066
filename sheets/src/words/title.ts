/** What a title says about the days below it: `Dienstplan März 2027`, `Week commencing 8 March 2027`, `KW 10`. */

import { type Day, formatDate, mondayOf, parseDate } from '@shiftfeed/common/days';
import { monthNamed, ORDERS, readWrittenDate, SOME_YEARS } from './date.ts';
import { anyOf, plainWord, plainWords } from './languages.ts';

const MAX_CHARACTERS = 200;

/** The month of a title, as YYYY-MM. `year` is for a month without one. */
export function monthIn(text: string, year: number | undefined): string | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const [, numberFirst, yearAfter, yearFirst, numberAfter] = MONTH_AND_YEAR.exec(text) ?? [];
  if (yearAfter !== undefined) return monthOf(yearAfter, numberFirst);
  if (yearFirst !== undefined) return monthOf(yearFirst, numberAfter);
  const words = wordsOf(text);
  const places = words.flatMap((word, i) => (isMonth(word, words.length) ? i : []));
  const [place = -1, ...more] = places;
  if (place === -1 || more.length > 0) return undefined;
  // With a day beside it, the month is part of a date, such as the one on which the sheet was printed.
  if ([words[place - 1], words[place + 1]].some((word) => /^\d{1,2}$/.test(word ?? ''))) return undefined;
  const [ofTitle, ...others] = words.filter((word) => /^20\d\d$/.test(word));
  return others.length > 0 ? undefined : monthOf(ofTitle ?? year, monthNamed(words[place] ?? ''));
}

const MONTH_AND_YEAR = /^(?:(\d{1,2})[./-](20\d\d)|(20\d\d)[./-](\d{1,2}))$/;

function monthOf(year: string | number | undefined, number = ''): string | undefined {
  const isMonthNumber = Number(number) >= 1 && Number(number) <= 12;
  return year !== undefined && isMonthNumber ? `${year}-${number.padStart(2, '0')}` : undefined;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}[\p{L}\p{M}]*|\d+/gu) ?? [];
}

/** Beside other words than the year, some short forms of months are words of another language. */
function isMonth(word: string, words: number): boolean {
  return monthNamed(word) !== undefined && (words <= 2 || !OTHER_WORDS.has(plainWord(word)));
}

const OTHER_WORDS = plainWords(({ titles }) => titles.notMonths);

/** The week that a title names. */
export type NamedWeek =
  /** Its first day, or in two orders of day and month the two days that are possible. */
  { readonly first: readonly string[]; readonly last?: string | undefined } | 'no year';

/** The week of a title. `year` is for one that does not say its year; undefined: it names none. */
export function weekIn(text: string, year: number | undefined): NamedWeek | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const tokens = tokensOf(text);
  const found = dateAmong(tokens, year);
  const hasWord = wordsOf(text).some((word) => WEEK_WORDS.has(plainWord(word))) || /\bw\/[cb]\b/i.test(text);
  if (found !== undefined) {
    const range = rangeAround(tokens, found, year);
    if (range !== undefined) return range;
    const isAlone = found.from === 0 && found.to === tokens.length;
    // "Week ending 14 March" and "Woche bis 14.3." name the last day, of which there may be two.
    const isEnd = wordsOf(text).some((word) => END_WORDS.has(plainWord(word))) || /\bw\/e\b/i.test(text);
    if (isEnd && hasWord) return undefined;
    if (hasWord || isAlone) return found.dates.length === 0 ? 'no year' : { first: found.dates };
  }
  const [, number] = WEEK_NUMBER.exec(text) ?? [];
  if (number === undefined || Number(number) < 1 || Number(number) > 53) return undefined;
  const ofTitle = text.match(/(?<!\d)20\d\d(?!\d)/g) ?? [];
  const weekYear = ofTitle.length > 0 ? Number(ofTitle[0]) : year;
  if (weekYear === undefined || ofTitle.length > 1) return 'no year';
  const monday = mondayOf({ year: weekYear, week: Number(number) });
  return { first: [formatDate(monday)], last: formatDate((monday + 6) as Day) };
}

const WEEK_WORDS = plainWords(({ titles }) => titles.week);

const END_WORDS = plainWords(({ titles }) => titles.end);
const TO_WORDS = plainWords(({ titles }) => titles.to);
const NUMBERED_WEEK = anyOf(({ titles }) => titles.numberedWeek);

const WEEK_NUMBER = new RegExp(
  `(?:^|[^\\p{L}])${NUMBERED_WEEK}\\.?\\s{0,3}(?:${anyOf(({ titles }) => titles.number)}\\.?|#)?\\s{0,3}(\\d{1,2})(?!\\d|[./-](?!20\\d\\d)\\d|\\.?\\s{0,3}\\p{L})`,
  'iu',
);
const WEEK_LABEL = new RegExp(`^${NUMBERED_WEEK}(?![\\p{L}\\p{M}])`, 'iu');

const DASH = '–';

/** Words of a title, and dashes between them. */
function tokensOf(text: string): readonly string[] {
  return text
    .replaceAll(/[–—]|\s-\s|(?<=\d\.)-(?=\d)|(?<=\d{4})-(?=\d{1,2}[./])/g, ` ${DASH} `)
    .split(/[\s:;()[\]]+/)
    .filter((token) => token !== '')
    .slice(0, MAX_TOKENS);
}

const MAX_TOKENS = 30;
/** `del lunes, 8 de marzo de 2027`: a date that is cut short would lack its year. */
const MAX_DATE_TOKENS = 7;

interface FoundDate {
  readonly from: number;
  readonly to: number;
  /** Empty if it lacks its year. */
  readonly dates: readonly string[];
}

/** The first date of a title, as long as it can be. */
function dateAmong(tokens: readonly string[], year: number | undefined, start = 0): FoundDate | undefined {
  for (let from = start; from < tokens.length; from++) {
    // The "do" of "8 do 14 marca" is no Sunday.
    if (isTo(tokens[from]) && DAY_ALONE.test(tokens[from - 1] ?? '')) continue;
    for (let to = Math.min(tokens.length, from + MAX_DATE_TOKENS); to > from; to--) {
      if (tokens.slice(from, to).includes(DASH)) continue;
      const text = tokens.slice(from, to).join(' ').replace(/[,.]$/, '');
      const isDate = ORDERS.some((order) => readWrittenDate(text, order, ...SOME_YEARS) !== undefined);
      if (!isDate || !/\d/.test(text)) continue;
      const dates = ORDERS.flatMap((order) => readWrittenDate(text, order, year) ?? []);
      return { from, to, dates: [...new Set(dates)] };
    }
  }
  return undefined;
}

/** `8.3. – 14.3.2027`, `8–14 March 2027`, `du 8 au 14 mars 2027`: the month and the year may stand only at the end. */
function rangeAround(
  tokens: readonly string[],
  found: FoundDate,
  year: number | undefined,
): NamedWeek | undefined {
  const [, day] = DAY_ALONE.exec(tokens[found.from - 2] ?? '') ?? [];
  if (day !== undefined && isTo(tokens[found.from - 1]))
    return rangeTo(found.dates, (date) => endsWith(date, day));
  if (!isTo(tokens[found.to])) return undefined;
  const [lastDay = '', lastYear = ''] = tokens.slice(found.to + 1);
  const start = tokens.slice(found.from, found.to).join(' ');
  // "March 8 – 14, 2027"
  if (/^\d{1,2},?$/.test(lastDay) && /^20\d\d$/.test(lastYear)) {
    const first = ORDERS.flatMap((order) => readWrittenDate(start, order, Number(lastYear)) ?? [])[0] ?? '';
    const last = `${first.slice(0, 8)}${String(Number.parseInt(lastDay, 10)).padStart(2, '0')}`;
    return parseDate(last) === undefined ? undefined : rangeTo([last], (date) => date === first);
  }
  const end = dateAmong(tokens, year, found.to + 1);
  if (end === undefined || end.from !== found.to + 1) return undefined;
  if (found.dates.length > 0) return rangeTo(end.dates, (date) => found.dates.includes(date));
  return rangeTo(end.dates, (date) =>
    ORDERS.some((order) => readWrittenDate(start, order, Number(date.slice(0, 4))) === date),
  );
}

const DAY_ALONE = /^(\d{1,2})\D{0,3}$/;

function isTo(token = ''): boolean {
  return token === DASH || TO_WORDS.has(plainWord(token));
}

function endsWith(date: string, day: string): boolean {
  return Number(date.slice(8)) === Number(day);
}

/** The week that ends with one of these dates and begins as told. */
function rangeTo(ends: readonly string[], isFirst: (date: string) => boolean): NamedWeek | undefined {
  if (ends.length === 0) return 'no year';
  for (const last of ends) {
    for (let back = 1; back <= 6; back++) {
      const first = formatDate(((parseDate(last) as Day) - back) as Day);
      if (isFirst(first)) return { first: [first], last };
    }
  }
  return undefined;
}

/** Whether a label beside days names a week: `KW 10`. */
export function isWeekLabel(text: string): boolean {
  return WEEK_LABEL.test(text);
}

/** Whether a title names a month or a week, with its year or without. */
export function tellsWhen(title: string): boolean {
  return (monthIn(title, SOME_YEARS[0]) ?? weekIn(title, SOME_YEARS[0])) !== undefined;
}
