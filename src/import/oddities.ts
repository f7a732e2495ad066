/** What is odd about the rows of a sheet though it may be meant: long shifts, far years, equal rows. */

import type { Comparison, Oddities } from '../store/import-store.ts';

/** From 17:00 to 9:00 is such a shift, and probably 9:00 in the evening was meant. */
const LONG_SHIFT_MINUTES = 16 * 60;
const USUAL_YEARS = 2;
/** The others are only counted. */
const MAX_KEPT = 3;

/** Of what is written: what stays as it is was told before. */
export function findOddities(shifts: Comparison<'shifts'>, today: string): Promise<Oddities> {
  const year = Number(today.slice(0, 4));
  return shifts.oddities(
    {
      longMinutes: LONG_SHIFT_MINUTES,
      firstDate: `${year - USUAL_YEARS}-01-01`,
      lastDate: `${year + USUAL_YEARS}-12-31`,
    },
    MAX_KEPT,
  );
}
