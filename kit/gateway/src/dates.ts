/** Dates as the API writes them (YYYY-MM-DD), which sort as text. */

const MS_PER_DAY = 86_400_000;
const FIRST_DATE = '1000-01-01';

/** Whether a text is a date that exists. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_DATE) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // Some engines turn 30 February into 2 March.
  return !Number.isNaN(ms) && dateOfMs(ms) === text;
}

export function addDays(date: string, days: number): string {
  return dateOfMs(msOfDate(date) + days * MS_PER_DAY);
}

/** Midnight of a date in UTC, for arithmetic and for `Intl`. */
export function msOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

export function isTimeZone(text: string): boolean {
  // Offsets such as +01:00 are no zones: they know no summer time.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function dateOfMs(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
