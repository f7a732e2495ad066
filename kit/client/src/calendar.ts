/** Days as the API writes them, `YYYY-MM-DD`, in the calendar that everybody uses today, extended to the past. */

export const DAY_MS = 86_400_000;

/** Whether the text is a date that exists, from 1000-01-01 to 9999-12-31. */
export function isDate(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = numbersOf(text);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** The midnight of the date in UTC, in milliseconds since 1970. */
export function readDate(date: string): number {
  if (!isDate(date)) throw new RangeError(`"${date}" is not a date; expected YYYY-MM-DD.`);
  const [year, month, day] = numbersOf(date);
  return Date.UTC(year, month - 1, day);
}

function numbersOf(date: string): [year: number, month: number, day: number] {
  return [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8))];
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function writeDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const FIRST_MS = Date.UTC(1000, 0, 1);
const LAST_MS = Date.UTC(9999, 11, 31);

/** Stays within the days that the API knows. */
export function addDays(date: string, days: number): string {
  return writeDate(Math.min(LAST_MS, Math.max(FIRST_MS, readDate(date) + days * DAY_MS)));
}
