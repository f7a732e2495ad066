/** Reads cells that hold a date, a time or both, and says why a cell cannot be read. */

import { quote } from '../../quote.ts';
import type { SheetOptions } from './options.ts';
import type { Reason } from './reason.ts';
import { cutDateAndTime, hasZone } from './values/date-and-time.ts';
import { minuteOfSerial, SERIAL } from './values/date-format.ts';
import {
  type ClockTime,
  MAX_RANGE_CHARACTERS,
  MINUTES_PER_DAY,
  readTime,
  readTimes,
  TIME_RULE,
  TIMES_RULE,
} from './values/time.ts';

/** A cell that was understood. */
export interface Moment {
  readonly date?: string | undefined;
  readonly time?: ClockTime | undefined;
  /** For a cell with both times. */
  readonly end?: ClockTime | undefined;
}

type ReadDate = (text: string) => string | undefined;

/** Some spreadsheets write a date together with the time 00:00. */
export function readDay(text: string, read: ReadDate, isSerial: boolean): Moment | undefined {
  const date = read(text);
  if (isSerial && date !== undefined && /[.,]/.test(text)) return { date, time: timeOfSerial(text) };
  if (date !== undefined) return { date };
  const [dateText, timeText] = cutDateAndTime(text) ?? [];
  if (dateText === undefined || timeText === undefined) return undefined;
  const [cutDate, time] = [read(dateText), readTime(timeText)];
  return cutDate === undefined || time === undefined ? undefined : { date: cutDate, time };
}

export function readMoment(
  text: string,
  read: ReadDate,
  mayBeTwo: boolean,
  isSerial: boolean,
): Moment | undefined {
  const part = isSerial ? readSerialTime(text, read) : undefined;
  if (part !== undefined || (isSerial && /^\d+$/.test(text))) return part;
  const time = readTime(text);
  if (time !== undefined) return { time };
  const two = mayBeTwo ? readTimes(text) : undefined;
  if (two !== undefined) return { time: two[0], end: two[1] };
  const moment = cutDateAndTime(text) === undefined ? undefined : readDay(text, read, isSerial);
  return moment?.time === undefined ? undefined : moment;
}

/** Reads a fraction of a day, with or without a date. */
function readSerialTime(text: string, read: ReadDate): Moment | undefined {
  if (!/^\d{1,20}(?:[.,]\d{1,30})?$/.test(text)) return undefined;
  const number = Number(text.replace(',', '.'));
  if (number === 1) return { time: { minute: MINUTES_PER_DAY, hasHalf: false } };
  const time = timeOfSerial(text);
  if (time === undefined) return undefined;
  if (number < 1) return { time };
  const date = read(text);
  return date === undefined ? undefined : { date, time };
}

function timeOfSerial(text: string): ClockTime | undefined {
  const minute = minuteOfSerial(Number(text.replace(',', '.')));
  return minute === undefined ? undefined : { minute, hasHalf: false };
}

/** If another column has the end, a start alone is enough. */
export function readBoth(text: string, { codes }: SheetOptions, hasEnd: boolean): Moment | undefined {
  const both = readTimes(codeIn(codes, text) ?? text);
  if (both !== undefined) return { time: both[0], end: both[1] };
  const time = hasEnd ? readTime(text) : undefined;
  return time && { time };
}

/** Codes are case-insensitive, unless two of them differ only in case. */
export function codeIn(codes: SheetOptions['codes'], text: string): string | undefined {
  if (codes === undefined) return undefined;
  const exact = codes.get(text);
  if (exact !== undefined) return exact;
  const folded = text.toLowerCase();
  const same = [...codes].filter(([code]) => code.toLowerCase() === folded);
  return same.length === 1 ? same[0]?.[1] : undefined;
}

export function whyNoTime(text: string): string | Reason {
  if (hasZone(text))
    return `${quote(text)} names a time zone: write times as clocks show them where the shift is, without a zone`;
  const message = `${quote(text)} is not ${TIME_RULE}`;
  if (!/^0[.,]\d{2,}$/.test(text)) return message;
  return {
    message: `${message}; if it is a part of a day, say --date-format serial`,
    fix: ['--date-format', SERIAL],
  };
}

/** A code that fits into the option. */
const CODE = /^[^=,\n]{1,20}$/;

export function whyNoTimes(text: string, hasLength: boolean): string | Reason {
  const times = beginOfTimes(text);
  if (times !== undefined)
    return `${quote(text)} says more than two times: leave ${quote(times)} in the cell, and give the rest a column of its own`;
  const message = `${quote(text)} is not ${hasLength ? TIME_RULE : TIMES_RULE}`;
  if (!CODE.test(text) || /^[\d:.,]+$/.test(text)) return message;
  return {
    message: `${message}; if it is a code, say what it stands for, such as --codes ${quote(`${text}=06:00-14:00`)}`,
    fix: ['--codes', `${text}=HH:MM-HH:MM`],
  };
}

/** `9-17` of `9-17 Bar`; undefined: it does not begin with two times. */
function beginOfTimes(text: string): string | undefined {
  for (let end = Math.min(text.length, MAX_RANGE_CHARACTERS) - 1; end > 2; end--) {
    if (/[\s(,;|•]/.test(text[end] ?? '') && readTimes(text.slice(0, end).trim()) !== undefined)
      return text.slice(0, end).trim();
  }
  return undefined;
}
