/**
 * What was asked, typed and checked. Fields that are left out do not restrict anything; sets are never empty. How the
 * fields combine is decided by the plan (dates) and by the view (rows).
 */

import type { Day, Weekday } from '@shiftfeed/common/days';

/** Conditions on the day a shift starts. */
export interface DateFilter {
  /** 1 (January) to 12. */
  readonly months?: ReadonlySet<number> | undefined;
  readonly years?: ReadonlySet<number> | undefined;
  /** ISO weeks, 1 to 53. */
  readonly weeks?: ReadonlySet<number> | undefined;
  readonly weekdays?: ReadonlySet<Weekday> | undefined;
  readonly day?: Day | undefined;
  /** Inclusive, like `dateTo`. */
  readonly dateFrom?: Day | undefined;
  readonly dateTo?: Day | undefined;
}

/** Conditions on anything else about a shift. */
export interface RowFilter {
  readonly groupIds?: ReadonlySet<number> | undefined;
  readonly locationIds?: ReadonlySet<number> | undefined;
  readonly includeUnpublished: boolean;
}

export interface Paging {
  readonly page: number;
  readonly perPage: number;
}

export interface Query {
  readonly dates: DateFilter;
  readonly rows: RowFilter;
  readonly paging: Paging;
}

export const MAX_PER_PAGE = 500;
