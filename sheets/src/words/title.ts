/** What a title says about the days below it: `Dienstplan März 2027`, `Week commencing 8 March 2027`, `KW 10`. */

import { addDays, type Day, formatDate, isoWeekOf, parseDate } from '@shiftfeed/common/days';
import { memoize } from '@shiftfeed/common/memoize';
import { isWeekday, monthNamed, ORDERS, readWrittenDate, SOME_YEARS } from './date.ts';
import { anyOf, plainWord, plainWords } from './languages.ts';
import { isTotalWord } from './words.ts';

const MAX_CHARACTERS = 200;

/** The month of a title, or two of them, as YYYY-MM. `year` is for months without one. */
export function monthsNamed(text: string, year: number | undefined): readonly string[] {
  if (text.length > MAX_CHARACTERS) return [];
  const [, numberFirst, yearAfter, yearFirst, numberAfter] = MONTH_AND_YEAR.exec(text) ?? [];
  if (yearAfter !== undefined) return monthOf(yearAfter, numberFirst);
  if (yearFirst !== undefined) return monthOf(yearFirst, numberAfter);
  const [, name = '', ofCentury] = SHORT_MONTH.exec(text) ?? [];
  if (ofCentury !== undefined && monthNamed(name) !== undefined)
    return monthOf(`20${ofCentury}`, monthNamed(name));
  const words = wordsOf(withoutDates(text)).filter((word) => isYear(word) || isMonth(word, wordsOf(text)));
  const places = words.flatMap((word, i) => (isYear(word) ? [] : i));
  const years = words.filter(isYear).map(Number);
  const [one, other, ...more] = places.map((place) => Number(monthNamed(words[place] ?? '')));
  if (one === undefined || more.length > 0 || years.length > places.length) return [];
  const [known = year, ofOther] = years;
  if (other === undefined || known === undefined) return other === undefined ? monthOf(known, one) : [];
  const turn = other < one ? 1 : 0;
  // "December – January 2027" says the year of the second.
  const first = years.length === 1 && isYear(words.at(-1)) ? known - turn : known;
  return [...monthOf(first, one), ...monthOf(ofOther ?? first + turn, other)];
}

/** Days are no months: a title may also say when it was printed. In "Station 3, March 2027", the 3 is no day. */
function withoutDates(text: string): string {
  const tokens = tokensOf(text.replaceAll(/(?<=\d)\s?[,:;(|/](?=\s{0,9}\p{L})/gu, ` ${DASH} `));
  const left: string[] = [];
  for (let from = 0; from < tokens.length; ) {
    const date = dateAmong(tokens, SOME_YEARS[0], from);
    left.push(...tokens.slice(from, date?.from));
    from = date?.to ?? tokens.length;
  }
  return left.join(' ');
}

function isYear(word = ''): boolean {
  return /^20\d\d$/.test(word);
}

const MONTH_AND_YEAR = /^(?:(\d{1,2})[./-](20\d\d)|(20\d\d)[./-](\d{1,2}))$/;

/** `Mar-27`, as spreadsheets write months, and `March '27`. */
const SHORT_MONTH = /^(\p{L}{3,10})(?:-|\.?\s?['’])(\d\d)$/u;

function monthOf(year: string | number | undefined, number: string | number = ''): readonly string[] {
  const isMonthNumber = Number(number) >= 1 && Number(number) <= 12;
  return year !== undefined && isMonthNumber ? [`${year}-${String(number).padStart(2, '0')}`] : [];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}[\p{L}\p{M}]*|\d+/gu) ?? [];
}

/** Beside other words than the year, some short forms of months are words of another language. */
function isMonth(word: string, { length }: readonly string[]): boolean {
  return monthNamed(word) !== undefined && (length <= 2 || !OTHER_WORDS.has(plainWord(word)));
}

const OTHER_WORDS = plainWords(({ titles }) => titles.notMonths);

/** Days that follow each other. */
export interface Period {
  readonly first: string;
  readonly last?: string | undefined;
}

/** The week that a title names. */
export type NamedWeek =
  /** In two orders of day and month, the two that are possible. None: it lacks its year. */
  | readonly Period[]
  /** Its number, and the year beside it. */
  | { readonly number: number; readonly year: number | undefined }
  /** Its number contradicts its date, or may be a part of one. */
  | 'unclear';

/** The week of a title. `year` is for one that does not say its year; undefined: it names none. */
export function weekIn(text: string, year: number | undefined): NamedWeek | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const [found = '', number = '', inFull, short] = WEEK_NUMBER.exec(text) ?? [];
  const ofWeek = inFull ?? (short && `20${short}`);
  const inYear = ofWeek === undefined ? year : Number(ofWeek);
  // Without its year, a number takes none of a date of printing.
  const find = number === '' || ofWeek !== undefined ? dayAmong : dateAmong;
  const withDate = datedWeek(text, short === undefined ? inYear : year, find);
  // Of several weeks, none is the one.
  const isOne = !text.matchAll(ANY_WEEK).some(([, other]) => other !== number);
  if (Number(number) < 1 || Number(number) > 53 || !isOne) return withDate;
  const isNumbered = ONLY_NUMBERED.test(found);
  if (short !== undefined && !/^[23]\d$/.test(short)) return withDate && isNumbered ? 'unclear' : withDate;
  const onlyDate = datedWeek(text.replace(found, found.replace(/\d.*/s, '')), inYear, find);
  if (withDate?.map(daysOf).join() !== onlyDate?.map(daysOf).join()) {
    // Either "10/26" or the 8 of "8.-14.3.2027" is a part of the date.
    if (short === undefined || withDate?.some(({ last }) => last !== undefined)) return withDate;
    if (!isNumbered) return 'unclear';
  }
  if (onlyDate !== undefined) {
    const agreeing = onlyDate.filter(({ first }) => isOfWeek(first, Number(number), ofWeek));
    if (agreeing.length > 0 || onlyDate.length === 0) return agreeing;
    // Others may count weeks of their own, as in "Week 2: 8 – 14 March 2027" and "Week 11 (w/c 8 March 2027)".
    const isOwn = onlyDate.every(({ last }) => last !== undefined) || hasWeekWord(text.replace(found, ''));
    return isOwn && !isNumbered ? onlyDate : 'unclear';
  }
  const years = ofWeek === undefined ? (text.match(/(?<!\d)20\d\d(?!\d)/g) ?? []) : [ofWeek];
  return years.length > 1 ? [] : { number: Number(number), year: years[0] ? Number(years[0]) : undefined };
}

/** The week of a title with a date. */
function datedWeek(
  text: string,
  year: number | undefined,
  find: typeof dateAmong,
): readonly Period[] | undefined {
  const tokens = tokensOf(text);
  const found = find(tokens, year);
  if (found === undefined) return undefined;
  const range = rangeAround(tokens, found, year);
  if (range !== undefined) return range.filter(isWeek).length === range.length ? range : undefined;
  const isAlone = found.from === 0 && found.to === tokens.length;
  // "Week ending 14 March" and "Woche bis 14.3." name the last day.
  if (isLastDay(text)) return found.dates.map((last) => ({ first: daysAfter(last, -6), last }));
  return hasWeekWord(text) || isAlone ? found.dates.map((first) => ({ first })) : undefined;
}

function daysOf({ first, last = '' }: Period): string {
  return `${first} ${last}`;
}

/** Whether a week that begins on this day has this number. It may begin on the Sunday before. */
function isOfWeek(first: string, number: number, ofYear: string | undefined): boolean {
  const { year, week } = isoWeekOf(parseDate(daysAfter(first, 1)) as Day);
  return week === number && (ofYear === undefined || Number(ofYear) === year);
}

/** The days that a title names if they are more than a week, or begin with a day that it names. */
export function periodIn(text: string, year: number | undefined): Period | undefined {
  const tokens = text.length > MAX_CHARACTERS ? [] : tokensOf(text);
  const found = dayAmong(tokens, year);
  const range = found && rangeAround(tokens, found, year);
  if (range !== undefined) return range.find((one) => !isWeek(one));
  const [first, other] = found?.dates ?? [];
  const isStart = !hasWeekWord(text) && wordsOf(text).some((word) => START_WORDS.has(plainWord(word)));
  return isStart && first !== undefined && other === undefined ? { first } : undefined;
}

function isWeek({ first, last = first }: Period): boolean {
  return last < daysAfter(first, 7);
}

function isLastDay(text: string): boolean {
  const isEnd = wordsOf(text).some((word) => END_WORDS.has(plainWord(word)));
  return (isEnd && hasWeekWord(text)) || /\bw\/e\b/i.test(text);
}

/** Whether a text speaks of a week: `Week ending`, `KW`, `w/c`. */
export function hasWeekWord(text: string): boolean {
  return wordsOf(text).some((word) => WEEK_WORDS.has(plainWord(word))) || /\bw\/[cbe]\b/i.test(text);
}

export function daysAfter(date: string, days: number): string {
  return formatDate(addDays(parseDate(date) as Day, days));
}

const WEEK_WORDS = plainWords(({ titles }) => titles.week);

const PRINTED_WORDS = plainWords(({ titles }) => titles.printed);
const START_WORDS = plainWords(({ titles }) => titles.start);
const END_WORDS = plainWords(({ titles }) => titles.end);
const TO_WORDS = plainWords(({ titles }) => titles.to);
const NUMBERED_WEEK = anyOf(({ titles }) => titles.numberedWeek);

const WEEK = `(?:^|[^\\p{L}])${NUMBERED_WEEK}[.:]?\\s{0,3}(?:${anyOf(({ titles }) => titles.number)}\\.?|#)?\\s{0,3}(\\d{1,2})(?!\\d)`;
const ANY_WEEK = new RegExp(WEEK, 'giu');
/** With its year, `10/2027` or `10/27`, or alone: not `Week 8 March`, and not `Week 9 + 10`. */
const WEEK_NUMBER = new RegExp(
  `${WEEK}(?:\\s?[./-]\\s?(20\\d\\d)(?!\\d)|\\s?/\\s?(\\d{1,2})(?![\\d./-])|(?![./-]\\d|\\.?\\s{0,3}(?:\\p{L}|[-–—+&/,]\\s{0,3}\\d{1,2}(?![\\d.]))))`,
  'iu',
);
/** What stands behind these words is never a date. */
const ONLY_NUMBERED = new RegExp(
  anyOf(({ titles }) => titles.onlyNumbered),
  'iu',
);
const WEEK_LABEL = new RegExp(`^${NUMBERED_WEEK}(?![\\p{L}\\p{M}])`, 'iu');

const DASH = '–';

/** Words of a title, and dashes between them. */
function tokensOf(text: string): readonly string[] {
  return text
    .replaceAll(
      /[–—]|\s-\s|(?<=\d\.)-(?=\d)|(?<=\d{4})-(?=\d{1,2}[./])|(?<=\s\d{1,2})-(?=\d{1,2}\.?\s\p{L})/gu,
      ` ${DASH} `,
    )
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

/** The first date of a title that may be of the days below it, and not that of printing. */
function dayAmong(tokens: readonly string[], year: number | undefined, start = 0): FoundDate | undefined {
  const found = dateAmong(tokens, year, start);
  const before = tokens.slice(Math.max(0, (found?.from ?? 0) - 2), found?.from);
  const isOfPrinting =
    before.some((token) => PRINTED_WORDS.has(plainWord(token))) && !hasWeekWord(before.at(-1) ?? '');
  // Nobody prints from one day to another.
  const isOfDays = !isOfPrinting || (found && rangeAround(tokens, found, year) !== undefined);
  return found && !isOfDays ? dayAmong(tokens, year, found.to) : found;
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
): readonly Period[] | undefined {
  const [, day] = DAY_ALONE.exec(tokens[found.from - 2] ?? '') ?? [];
  if (day !== undefined && isTo(tokens[found.from - 1]))
    return rangeTo(found.dates, (date) => Number(date.slice(8)) === Number(day));
  if (!isTo(tokens[found.to])) return undefined;
  const [lastDay = '', lastYear = ''] = tokens.slice(found.to + 1);
  const start = tokens.slice(found.from, found.to).join(' ');
  // "March 8 – 14, 2027"
  if (/^\d{1,2},?$/.test(lastDay) && isYear(lastYear)) {
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

/** A plan is hardly longer. */
const MAX_DAYS = 100;

/** The days that end with one of these dates and begin as told. None: they lack their year. */
function rangeTo(ends: readonly string[], isFirst: (date: string) => boolean): readonly Period[] | undefined {
  if (ends.length === 0) return [];
  const ranges = ends.flatMap((last) => {
    for (let back = 1; back <= MAX_DAYS; back++) {
      const first = daysAfter(last, -back);
      if (isFirst(first)) return [{ first, last }];
    }
    return [];
  });
  const weeks = ranges.filter(isWeek);
  return ranges.length === 0 ? undefined : (weeks.length > 0 ? weeks : ranges).slice(0, 1);
}

/** Whether a label beside days names a week: `KW 10`. */
export function isWeekLabel(text: string): boolean {
  return WEEK_LABEL.test(text);
}

/** Whether a cell that stands alone may be the name of a group, a location or a person. */
export function mayBeName(cell: unknown): boolean {
  if (typeof cell !== 'string' || cell.length > MAX_NAME_CHARACTERS || !/^\p{L}/u.test(cell)) return false;
  return isNoOtherWord(cell);
}

/** Files repeat names, and codes, in most of their rows. */
const isNoOtherWord = memoize((text) => !isTotalWord(text) && !isWeekday(text) && !tellsWhen(text));

const MAX_NAME_CHARACTERS = 40;

/** Whether a title names a month or a week, with its year or without. */
export function tellsWhen(title: string): boolean {
  return monthsNamed(title, SOME_YEARS[0]).length > 0 || weekIn(title, SOME_YEARS[0]) !== undefined;
}
