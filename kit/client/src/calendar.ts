/** Days as the API writes them, `YYYY-MM-DD`, in the calendar that everybody uses today, extended to the past. */

export const DAY_MS = 86_400_000;

/** Whether the text is a date that exists, from 1000-01-01 to 9999-12-31. */
export function isDate(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && writeDate(ms) === text;
}

/** The midnight of the date in UTC, in milliseconds since 1970. */
export function readDate(date: string): number {
  if (!isDate(date)) throw new RangeError(`"${date}" is not a date; expected YYYY-MM-DD.`);
  return Date.parse(date);
}

export function writeDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return writeDate(readDate(date) + days * DAY_MS);
}
