/** Reads a time of day as people write it, or two of them in one cell. */

import { MAX_PARTS } from '../../place.ts';
import { namedMinute } from '../words/clock.ts';

export const TIME_RULE = 'a time from 00:00 to 24:00, such as 9:00, 09.00, 0900, 9h30, 9 Uhr or 9:00 AM';
export const TIMES_RULE = 'two times such as 9-17 or 18:30 – 01:00';

export const MINUTES_PER_DAY = 24 * 60;

export interface ClockTime {
  /** From 0 to 1440, which is the end of the day. */
  readonly minute: number;
  /** Whether am or pm is given; undefined for noon and midnight, which need neither. */
  readonly hasHalf: boolean | undefined;
}

/** undefined: it is no time. */
export function readTime(text: string): ClockTime | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const named = namedMinute(text);
  if (named !== undefined) return { minute: named, hasHalf: undefined };
  // An apostrophe in front makes a spreadsheet keep a time as text.
  const [, before = '', half] = /^'?(.{0,30}?)(?:\s{0,5}([ap])\.?\s?m?\.?)?$/is.exec(text) ?? [];
  const minute = minuteOf(before, half !== undefined);
  if (minute === undefined) return undefined;
  if (half === undefined) return { minute, hasHalf: false };
  if (minute < 60 || minute >= 13 * 60) return undefined;
  return { minute: (minute % (12 * 60)) + (half.toLowerCase() === 'p' ? 12 * 60 : 0), hasHalf: true };
}

/** Both times of a cell such as `9-17` or `de 9h à 17h`; undefined when it holds something else. */
export function readTimes(text: string): readonly [ClockTime, ClockTime] | undefined {
  if (text.length > MAX_RANGE_CHARACTERS) return undefined;
  const [, startText = '', endText = ''] = RANGE.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
  const start = readTime(startText);
  const end = readTime(endText);
  return start === undefined || end === undefined ? undefined : [start, end];
}

/** The parts of a cell such as `9-12 / 14-18`, each with two times; undefined for one part, or something else. */
export function severalTimes(text: string): readonly string[] | undefined {
  if (text.length > MAX_PARTS * MAX_RANGE_CHARACTERS) return undefined;
  const parts = text.split(BETWEEN_TIMES).map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => readTimes(part) !== undefined) ? parts : undefined;
}

/** `2-6pm` is ambiguous: it may begin at night or in the afternoon. */
export function areOfTwoKinds(start: ClockTime, end: ClockTime): boolean {
  if (start.hasHalf === end.hasHalf || start.hasHalf === undefined || end.hasHalf === undefined) return false;
  const { minute } = start.hasHalf ? end : start;
  return minute >= 60 && minute < 13 * 60;
}

/** Such as `09:00`. The end of the day is 00:00. */
export function formatMinute(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
}

const BETWEEN_TIMES = /[/+&;,\n]|\s(?:und|and|en|et|y)\s/i;
const MAX_CHARACTERS = 30;
export const MAX_RANGE_CHARACTERS = 2 * MAX_CHARACTERS;
/** For a text without repeated spaces. */
const RANGE =
  /^(?:(?:von|van|from|de|des|desde) )?(\S.{0,60}?) ?(?:[-–—−~]| (?:bis|tot|to|until|till|à|a|au|hasta) ) ?(\S.{0,60})$/i;

/** Seconds are only accepted if they are zero: shifts begin and end on whole minutes. */
const CLOCK = /^(\d{1,2})(?::(\d\d)(?::00(?:\.0{1,9})?)?|\.(\d\d))?\s{0,5}(uhr|uur|h|hrs?)?\.?$/i;
const CLOCK_IN_WORDS = /^(\d{1,2})\s{0,5}(?:h|uhr|uur|heures?|horas?)\s{0,5}(\d\d)?\s{0,5}(?:m|min)?$/i;
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
