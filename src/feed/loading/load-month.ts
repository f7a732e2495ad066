/** Loads one whole month. */

import { buildMonth, type Scratch } from '../../listing/build-month.ts';
import type { Month } from '../../listing/calendar.ts';
import { ALL_DAYS } from '../../listing/day-mask.ts';
import type { MonthBlock } from '../../listing/month.ts';
import type { AccountState, FeedStore } from '../../store/feed-store.ts';
import { withoutSurplusMonths } from '../access/account-snapshot.ts';

export interface MonthToLoad {
  readonly slug: string;
  readonly history: string;
  readonly month: Month;
  /** The stamp at which the whole month is in memory. */
  readonly heldStamp: number | undefined;
}

export interface LoadedMonth {
  readonly state: AccountState;
  /** undefined: the month is in memory as it is, or it has no shifts. */
  readonly block: MonthBlock | undefined;
}

/** undefined: the account is gone. */
export function loadMonth(
  store: FeedStore,
  { slug, history, month, heldStamp }: MonthToLoad,
  scratch: Scratch,
): Promise<LoadedMonth | undefined> {
  return store.read(
    slug,
    async (transaction) => {
      const { account, months } = transaction.state;
      const state = withoutSurplusMonths(transaction.state);
      const found = months.find((one) => one.month === month);
      if (found === undefined || found.stamp === heldStamp) return { state, block: undefined };
      const shifts = await transaction.shifts({ month, days: ALL_DAYS });
      return { state, block: buildMonth(month, shifts, account.sort, { scratch }) };
    },
    history,
  );
}
