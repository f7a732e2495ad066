/** A date and a time in one cell: `2027-03-06 09:00`, `6.3.2027, 9 Uhr`. */

import type { Cell } from '../cell.ts';

/** Splits a cell that ends with a time, or returns undefined. The first part need not be a date. */
export function cutDateAndTime(text: string): readonly [date: string, time: string] | undefined {
  const [, date, time] = CUT.exec(text) ?? [];
  return date === undefined || time === undefined ? undefined : [date, time];
}

export function hasDateAndTime(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'date and time';
  if (hasZone(cell)) return /^\d{4}-/.test(cell);
  const [date] = cutDateAndTime(cell) ?? [];
  return date !== undefined && /\d{1,4}\D+\d|\d\s*\p{L}/u.test(date);
}

/** `2027-03-06T09:00:00Z`, `09:00+01:00` */
export function hasZone(text: string): boolean {
  return /\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/.test(text);
}

/** The time must have something that a date never has: a colon, an h, am or pm. */
const CUT =
  /^(.*\d.*?)(?:[T\s]|,\s*)(?:(?:at|um|om|à|a las)\s+)?(\d{1,2}(?::\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?|\s?[ap]\.?m\.?|h(?:\d\d)?|\s?(?:Uhr|uur)|\.\d\d(?:\s?(?:Uhr|uur))?))$/i;
