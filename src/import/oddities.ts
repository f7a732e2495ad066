/** Finds rows of a sheet that are unusual but may be intended: long shifts, far years, equal rows. */

import type { Comparison, Oddities } from '../store/import-store.ts';

/** A shift from 17:00 to 9:00 is this long; 9:00 in the evening was probably meant. */
const LONG_SHIFT_MINUTES = 16 * 60;
const USUAL_YEARS = 2;
/** Further ones are only counted. */
const MAX_KEPT = 3;

/** Looks only at shifts that will be written: unchanged ones were reported by an earlier import. */
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
