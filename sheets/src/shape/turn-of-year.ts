/** In which year weeks and months are that lack it: `Januar` below `Dezember` is in the year after that of --year. */

import { refusedAt } from '../cell.ts';
import type { SheetPlace } from '../problem.ts';

/** Says in which year days are read. `day` is one of them, as it is in the year that was given. Throws SheetRefused. */
export type FindYear = (day: string | undefined, lacksYear: boolean, place: SheetPlace) => number | undefined;

/** With a turn, months up to June are in the next year. Those after it would be in either. */
const LAST_MONTH_OF_NEXT = 6;
const LAST_MONTH_OF_EITHER = 8;

/**
 * Takes weeks and months in the order of the sheet. `year` is the one that was given. In a list, a year that has begun
 * above may begin again for the next person: `isForEach`.
 */
export function yearFinder(year: number | undefined, isForEach = false): FindYear {
  /** Those of the year that was given. */
  const months = new Set<number>();
  let last = 0;
  let hasTurned = false;
  const hasMonth = (from: number, to: number) => [...months].some((month) => month >= from && month <= to);
  return (day = '', lacksYear, place) => {
    const [inYear, month = 0] = day.split('-').map(Number);
    if (year === undefined || inYear !== year) {
      hasTurned ||= inYear !== undefined && year !== undefined && inYear > year;
      return year;
    }
    const hasBegun = hasMonth(1, LAST_MONTH_OF_EITHER);
    const isTurn = !hasTurned && last === 12 && month === 1 && !(isForEach && hasBegun);
    const isUnclear = isTurn
      ? hasBegun
      : hasTurned && month > LAST_MONTH_OF_NEXT && month <= LAST_MONTH_OF_EITHER;
    hasTurned ||= lacksYear && isTurn;
    last = month;
    const isInNext = lacksYear && hasTurned && month <= LAST_MONTH_OF_NEXT;
    if (!isInNext) months.add(month);
    // Nobody knows whether February or December comes first.
    const areEndsOnly = !hasTurned && hasMonth(12, 12) && hasMonth(1, 2) && !hasMonth(3, 10);
    if (lacksYear && (isUnclear || areEndsOnly))
      throw refusedAt(
        place,
        `it is not clear whether this is in ${year} or in ${year + 1}: write the year beside each week or month`,
      );
    return isInNext ? year + 1 : year;
  };
}
