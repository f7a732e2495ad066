/** A date and a time in one cell: `2027-03-06 09:00`, `6.3.2027, 9 Uhr`. */

import type { Cell } from '../cell.ts';

/** Splits a cell that ends with a time, or returns undefined. The first part need not be a date. */
export function cutDateAndTime(text: string): readonly [date: string, time: string] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
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

export function hasDateAndTime(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'date and time';
  if (hasZone(cell)) return /^\d{4}-/.test(cell);
  const [date] = cutDateAndTime(cell) ?? [];
  return date !== undefined && /\d\D{1,30}\d|\d\s{0,5}\p{L}/u.test(date);
}

/** `2027-03-06T09:00:00Z`, `09:00+01:00` */
export function hasZone(text: string): boolean {
  return /\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/.test(text);
}

const MAX_CHARACTERS = 100;

/** The time must have something that a date never has: a colon, an h, am or pm. */
const TIME =
  /[T\s,](\d{1,2}(?::\d\d(?::\d\d(?:\.\d{1,9})?)?(?:\s?[ap]\.?m\.?)?|\s?[ap]\.?m\.?|h(?:\d\d)?|\s?(?:Uhr|uur)|\.\d\d(?:\s?(?:Uhr|uur))?))$/i;
const WORD = /[T\s,](?:at|um|om|à|a las)$/i;
