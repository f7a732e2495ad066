/** Counts the shifts of many months: one statement for each run of neighbouring months. */

import { civilOf, type Day, monthOf } from '@shiftfeed/common/days';
import { DAYS_PER_MONTH } from '../listing/day-mask.ts';
import type { DayCountQuery, DayCounts } from './feed-store.ts';

/** Keeps each statement short. */
const MAX_MONTHS_PER_RUN = 120;

/** Splits queries into runs of neighbouring months with the same filter. Each run is one statement. */
export function* runsOf(questions: readonly DayCountQuery[]): Iterable<DayCountQuery[]> {
  let run: DayCountQuery[] = [];
  for (const question of questions) {
    const last = run.at(-1);
    const isNext =
      last?.month === question.month - 1 && last.rows === question.rows && last.today === question.today;
    if (last !== undefined && (!isNext || run.length === MAX_MONTHS_PER_RUN)) {
      yield run;
      run = [];
    }
    run.push(question);
  }
  if (run.length > 0) yield run;
}

/** What was counted on a day. */
export interface CountedDay {
  readonly day: Day;
  readonly rows: number;
  readonly matching: number;
}

/** The counts of each month of a run, in its order. */
export function sortByMonth(run: readonly DayCountQuery[], days: Iterable<CountedDay>): DayCounts[] {
  const firstMonth = (run[0] as DayCountQuery).month;
  const counts = run.map(() => ({ matching: new Uint32Array(DAYS_PER_MONTH), rows: 0 }));
  for (const { day, rows, matching } of days) {
    const { year, month, dayOfMonth } = civilOf(day);
    const ofMonth = counts[monthOf(year, month) - firstMonth];
    if (ofMonth === undefined) continue;
    ofMonth.matching[dayOfMonth - 1] = matching;
    ofMonth.rows += rows;
  }
  return counts;
}
