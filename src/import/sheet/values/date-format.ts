/** `--date-format`: the operator says how the dates of a sheet are written. */

import { type Day, dayOf, formatDate, parseDate } from '../../../listing/calendar.ts';
import { monthNamed } from './date.ts';

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
  const parts = new RegExp(`^${TOKEN}${SEPARATOR}${TOKEN}${SEPARATOR}${TOKEN}$`).exec(name);
  if (parts === null) return undefined;
  const [, first = '', before = '', second = '', after = '', third = ''] = parts;
  const tokens = [first, second, third];
  const letters = tokens.map((token) => token[0]).join('');
  const order = { year: letters.indexOf('Y'), month: letters.indexOf('M'), day: letters.indexOf('D') };
  if (Object.values(order).includes(-1)) return undefined;
  const hasMonthName = (tokens[order.month]?.length ?? 0) > 2;
  if (!hasMonthName && before !== after) return undefined;
  // Without separators, only fixed widths show where a part ends.
  if (before === '' && tokens.some((token) => token.length === 1)) return undefined;
  // YYYY-MM-DD is always accepted, so YYYY-DD-MM would be ambiguous.
  if (letters === 'YDM' && before === '-' && tokens[order.year] === 'YYYY') return undefined;
  const expression = new RegExp(
    `^${partOf(first)}${escaped(before)}${partOf(second)}${escaped(after)}${partOf(third)}$`,
    'u',
  );
  return {
    name,
    read(cell) {
      if (cell.length > MAX_CHARACTERS) return undefined;
      const found = expression.exec(cell);
      if (found === null) return undefined;
      const part = (index: number) => found[index + 1] ?? '';
      const year = part(order.year).padStart(4, '20');
      const month = hasMonthName ? monthNamed(part(order.month)) : part(order.month);
      if (month === undefined) return undefined;
      const date = `${year}-${String(month).padStart(2, '0')}-${part(order.day).padStart(2, '0')}`;
      return parseDate(date) === undefined ? undefined : date;
    },
  };
}

const MAX_CHARACTERS = 60;
const TOKEN = '(DD?|M{1,4}|YYYY|YY)';
const SEPARATOR = '([-/. ]|, |\\. |)';

function partOf(token: string): string {
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

export function readSerial(text: string): string | undefined {
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
