/** Reads a time of day as people write it, two of them, a time with its date, or how long a shift is. */

import { MAX_SHIFTS_IN_CELL } from '../problem.ts';
import { anyOf, oneOf, plainWord, plainWords, wordsOf } from './languages.ts';

export const TIME_RULE = 'a time from 00:00 to 24:00, such as 9:00, 09.00, 0900, 9h30, 9 Uhr or 9:00 AM';
export const TIMES_RULE = 'two times such as 9-17 or 18:30 – 01:00';

/** Such as `am` or `p.m.`. */
export const HALF_OF_DAY = /^[ap]\.?\s?m?\.?$/i;

export const MINUTES_PER_DAY = 24 * 60;

export interface ClockTime {
  /** From 0 to 1440, which is the end of the day. An end may lie on the next one. */
  readonly minute: number;
  /** Whether am or pm is given; undefined for noon and midnight, which need neither. */
  readonly hasHalf: boolean | undefined;
  /** Set if it may be of a 12-hour clock, on which nobody writes `05:00` but a program. */
  readonly open: 'plain' | 'padded' | undefined;
}

/** undefined: it is no time. */
export function readTime(text: string): ClockTime | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const named = /^\d/.test(text) ? undefined : NAMED_MINUTES.get(plainWord(text));
  if (named !== undefined) return { minute: named, hasHalf: undefined, open: undefined };
  // An apostrophe in front makes a spreadsheet keep a time as text.
  const [, before = '', half] = /^'?(.{0,30}?)(?:\s{0,5}([ap])\.?\s?m?\.?)?$/is.exec(text) ?? [];
  const minute = minuteOf(before, half !== undefined);
  if (minute === undefined) return undefined;
  if (half === undefined) return { minute, hasHalf: false, open: opennessOf(before, minute) };
  if (minute < 60 || minute >= 13 * 60) return undefined;
  const ofDay = (minute % (12 * 60)) + (half.toLowerCase() === 'p' ? 12 * 60 : 0);
  return { minute: ofDay, hasHalf: true, open: undefined };
}

/** Only people with a 24-hour clock write `9h` and `9 Uhr`. */
function opennessOf(text: string, minute: number): ClockTime['open'] {
  if (minute < 60 || minute >= 13 * 60 || /[hu]/i.test(text)) return undefined;
  return text.startsWith('0') ? 'padded' : 'plain';
}

/** `9.5` and `17.75` as parts of an hour; undefined: it is none. */
export function readDecimalTime(text: string): ClockTime | undefined {
  const [, hour, fraction = '0'] = /^(\d{1,2})(?:[.,](0|00|25|50?|75))?$/.exec(text) ?? [];
  const minute = hour === undefined ? undefined : minuteAt(hour, String(Number(`0.${fraction}`) * 60));
  if (minute === undefined) return undefined;
  return { minute, hasHalf: false, open: opennessOf(text, minute) };
}

/** The same for an end, which may be `26:00` for two at night. */
export function readEnd(text: string): ClockTime | undefined {
  const [, hour, minute] = /^(2[4-9]|3[0-5]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) return readTime(text);
  return { minute: Number(hour) * 60 + Number(minute), hasHalf: false, open: undefined };
}

/** Both times of a cell such as `9-17` or `de 9h à 17h`; undefined when it holds something else. */
export function readTimes(text: string): readonly [ClockTime, ClockTime] | undefined {
  if (text.length > MAX_RANGE_CHARACTERS) return undefined;
  const [, startText = '', endText = ''] = RANGE.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
  const start = readTime(startText);
  const end = readEnd(endText);
  return start === undefined || end === undefined ? undefined : [start, end];
}

/** `9-17` of `Early 9-17` or `Früh (9-17)`; undefined if the text contains no times. */
export function timesNamed(text: string): string | undefined {
  const [before = ''] = text.split(/\d/, 1);
  const end = text.trimEnd().endsWith(')') ? text.lastIndexOf(')') : text.length;
  const times = text.slice(before.length, end);
  return readTimes(times) === undefined ? undefined : times;
}

/** `9-12` and `14-18` of a cell such as `9-12 / 14-18`; undefined unless it holds two times more than once. */
export function severalTimes(text: string): readonly string[] | undefined {
  if (text.length > MAX_SHIFTS_IN_CELL * MAX_RANGE_CHARACTERS) return undefined;
  const areTimes = (ranges: readonly string[]) =>
    ranges.length > 1 && ranges.every((range) => readTimes(range) !== undefined);
  for (const between of BETWEEN_TIMES) {
    const ranges = text.split(between).map((range) => range.trim());
    if (areTimes(ranges)) return ranges;
  }
  const words = text.trim().split(/\s+/);
  return areTimes(words) ? words : undefined;
}

/** `2-6pm` is ambiguous: it may begin at night or in the afternoon. */
export function areOfTwoKinds(start: ClockTime, end: ClockTime): boolean {
  if (start.hasHalf === end.hasHalf || start.hasHalf === undefined || end.hasHalf === undefined) return false;
  const { minute } = start.hasHalf ? end : start;
  return minute >= 60 && minute < 13 * 60;
}

/** Such as `09:00`. The end of the day is 00:00. */
export function formatMinute(minute: number): string {
  return MINUTE_TEXTS[minute % MINUTES_PER_DAY] ?? '';
}

/** Each is written for many rows. */
const MINUTE_TEXTS: readonly string[] = Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
  [Math.floor(minute / 60), minute % 60].map((number) => String(number).padStart(2, '0')).join(':'),
);

const AND = wordsOf(({ separators }) => separators);
const TO = wordsOf(({ times }) => times.to);
/** The Czech `a` between two shifts is the Spanish `to` within one, so it counts only where the others do not help. */
const BETWEEN_TIMES = [AND.filter((word) => !TO.includes(word)), AND].map(
  (words) => new RegExp(`[/+&;,\\n]|\\s${oneOf(words)}\\s`, 'i'),
);
const MAX_CHARACTERS = 30;
export const MAX_RANGE_CHARACTERS = 2 * MAX_CHARACTERS;
/** For a text without repeated spaces. */
const RANGE = new RegExp(
  `^(?:${anyOf(({ times }) => times.from)} )?(\\S.{0,60}?) ?(?:[-–—−~]| ${anyOf(({ times }) => times.to)} ) ?(\\S.{0,60})$`,
  'i',
);

/** Seconds are only accepted if they are zero: shifts begin and end on whole minutes. */
const O_CLOCK = anyOf(({ times }) => times.clock);
const CLOCK = new RegExp(
  `^(\\d{1,2})(?::(\\d\\d)(?::00(?:\\.0{1,9})?)?|\\.(\\d\\d))?\\s{0,5}(${O_CLOCK}|h)?\\.?$`,
  'i',
);
const CLOCK_IN_WORDS = new RegExp(
  `^(\\d{1,2})\\s{0,5}(?:h|${anyOf(({ times }) => times.clockBeforeMinutes)})\\s{0,5}(\\d\\d)?\\s{0,5}(?:m|min)?$`,
  'i',
);
const DIGITS = /^(\d{1,2})(\d\d)$/;

function minuteOf(text: string, hasHalf: boolean): number | undefined {
  const [, hour, colon, dot, word] = CLOCK.exec(text) ?? [];
  if (hour !== undefined) {
    const mayBePart = dot !== undefined && PARTS_OF_AN_HOUR.has(dot) && word === undefined && !hasHalf;
    return mayBePart ? undefined : minuteAt(hour, colon ?? dot ?? '0');
  }
  const [, hourInWords, minutes = '0'] = CLOCK_IN_WORDS.exec(text) ?? [];
  if (hourInWords !== undefined) return minuteAt(hourInWords, minutes);
  const [, digitsHour, digitsMinutes = ''] = hasHalf ? [] : (DIGITS.exec(text) ?? []);
  return digitsHour === undefined ? undefined : minuteAt(digitsHour, digitsMinutes);
}

/** `9.25` may mean a quarter past nine, and `9.50` half past nine. */
const PARTS_OF_AN_HOUR: ReadonlySet<string> = new Set(['25', '50']);

function minuteAt(hourText: string, minuteText: string): number | undefined {
  const [hour, minute] = [Number(hourText), Number(minuteText)];
  const ofDay = hour * 60 + minute;
  return minute < 60 && ofDay <= MINUTES_PER_DAY ? ofDay : undefined;
}

/** The word for noon is missing in some languages, in which it also means a part of the day. */
const NAMED_MINUTES: ReadonlyMap<string, number> = new Map([
  ...[...plainWords(({ times }) => times.noon)].map((word) => [word, 12 * 60] as const),
  ...[...plainWords(({ times }) => times.midnight)].map((word) => [word, 0] as const),
]);

/** Splits a cell that ends with a time, or returns undefined. What stands before it need not be a date. */
export function cutDateAndTime(text: string): readonly [date: string, time: string] | undefined {
  if (text.length > MAX_DATE_AND_TIME_CHARACTERS) return undefined;
  const [ending = '', time] = TIME.exec(text) ?? [];
  if (time === undefined) return undefined;
  const date = text
    .slice(0, -ending.length)
    .trimEnd()
    .replace(WORD, '')
    .trimEnd()
    .replace(/,$/, '')
    .trimEnd();
  return /\d/.test(date) && !/[\n\r]/.test(date) ? [date, time] : undefined;
}

/** A date that a program wrote as midnight in UTC, which is how dates without a time are written. */
export function withoutMidnight(text: string): string {
  return text.endsWith('Z') ? text.replace(/T00:00(?::00(?:\.0{1,9})?)?Z$/, '') : text;
}

/** `2027-03-06T09:00:00Z`, `09:00+01:00` */
export function hasZone(text: string): boolean {
  return /\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/.test(text);
}

const MAX_DATE_AND_TIME_CHARACTERS = 100;

/** The time must have something that a date never has: a colon, an h, am or pm. */
const TIME = new RegExp(
  `[T\\s,](\\d{1,2}(?::\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:\\s?[ap]\\.?m\\.?)?|\\s?[ap]\\.?m\\.?|h(?:\\d\\d)?|\\s?${O_CLOCK}|\\.\\d\\d(?:\\s?${O_CLOCK})?))$`,
  'i',
);
const WORD = new RegExp(`[T\\s,]${anyOf(({ times }) => times.at)}$`, 'i');

export const LENGTH_RULE = 'a length such as 8, 7.5, 7,5, 7:30, 7h30 or 450 min, of at most 24 hours';

/** `7.30` may be 7 hours 30 minutes or 7.3 hours, so the caller says which one to try. */
type FractionKind = 'decimal' | 'minutes' | 'count of minutes';

/** undefined: it is no length. */
export function readLength(text: string, fractions: FractionKind): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const minutes = minutesOf(text.trim().toLowerCase(), fractions);
  return minutes !== undefined && minutes > 0 && minutes <= MINUTES_PER_DAY ? minutes : undefined;
}

/** No shift has so many hours. */
const MIN_COUNTED_MINUTES = 25;
const HOURS = `(?:h|${anyOf(({ times }) => times.hours)})`;
const MINUTES = `(?:m|${anyOf(({ times }) => times.minutes)})`;
const COUNTED = new RegExp(`^(\\d{1,4})\\s{0,5}${MINUTES}\\.?$`, 'i');
const WHOLE = /^(\d{1,2})(?:[:h](\d\d)(?::00)?)?$/;
const IN_WORDS = new RegExp(
  `^(\\d{1,2})\\s{0,5}${HOURS}\\.?(?:\\s{0,5}(\\d{1,2})\\s{0,5}${MINUTES}?\\.?)?$`,
  'i',
);
const FRACTION = new RegExp(`^(\\d{1,2})[.,](\\d{1,4})\\s{0,5}${HOURS}?\\.?$`, 'i');

function minutesOf(text: string, fractions: FractionKind): number | undefined {
  const [, counted] = COUNTED.exec(text) ?? [];
  if (counted !== undefined) return Number(counted);
  if (fractions === 'count of minutes')
    return /^\d{2,4}$/.test(text) && Number(text) >= MIN_COUNTED_MINUTES ? Number(text) : undefined;
  const [, hours, minutes = '0'] = WHOLE.exec(text) ?? IN_WORDS.exec(text) ?? [];
  if (hours !== undefined) return Number(minutes) < 60 ? Number(hours) * 60 + Number(minutes) : undefined;
  const [, whole, fraction = ''] = FRACTION.exec(text) ?? [];
  if (whole === undefined) return undefined;
  if (fractions === 'minutes') {
    return fraction.length === 2 && Number(fraction) < 60 ? Number(whole) * 60 + Number(fraction) : undefined;
  }
  // A third of an hour is written with any number of digits.
  const exact = Number(`${whole}.${fraction}`) * 60;
  const rounded = Math.round(exact);
  return Math.abs(exact - rounded) <= (fraction.length > 1 ? 0.4 : 0.001) ? rounded : undefined;
}
