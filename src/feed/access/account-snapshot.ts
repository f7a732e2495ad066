/**
 * An account at one revision: its settings, and the stamp of each month. It holds no shifts; together with month blocks
 * of the same stamps it is one state of the data.
 *
 * An account with shifts in thousands of months is *huge*. Its snapshot has no months, because planning over all of
 * them would block other requests.
 */

import type { Month } from '../../listing/calendar.ts';
import type { Account } from '../../store/account.ts';
import { type AccountState, MAX_HELD_MONTHS, type MonthStamp } from '../../store/feed-store.ts';

export interface AccountSnapshot {
  readonly account: Account;
  readonly history: string;
  readonly revision: number;
  /** Ascending. */
  readonly months: readonly Month[];
  readonly stamps: ReadonlyMap<Month, number>;
  readonly isHuge: boolean;
}

export function isHuge({ months }: Pick<AccountState, 'months'>): boolean {
  return months.length > MAX_HELD_MONTHS;
}

export function snapshotOf(state: AccountState): AccountSnapshot {
  const { account, history, revision, months } = state;
  if (isHuge(state)) return { account, history, revision, months: [], stamps: new Map(), isHuge: true };
  return {
    account,
    history,
    revision,
    months: months.map(({ month }) => month),
    stamps: new Map(months.map(({ month, stamp }) => [month, stamp])),
    isHuge: false,
  };
}

/** The same state, with only as many months as it takes to show that the account is huge. */
export function withoutSurplusMonths(state: AccountState): AccountState {
  const months: readonly MonthStamp[] = state.months.slice(0, MAX_HELD_MONTHS + 1);
  return { ...state, months };
}

/** An estimate. */
export function sizeOfSnapshot({ months }: AccountSnapshot): number {
  return 1024 + 64 * months.length;
}
