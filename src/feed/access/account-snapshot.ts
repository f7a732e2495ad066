/**
 * An account at one revision: its settings, and the stamp of each month. It holds no shifts; together with month blocks
 * of the same stamps it is one state of the data.
 *
 * An account with shifts in thousands of months is *huge*. Its snapshot has no months, because planning over all of
 * them would block other requests.
 */

import type { Month } from '../../listing/calendar.ts';
import type { Account } from '../../store/account.ts';
import {
  type AccountChanges,
  type AccountState,
  MAX_HELD_MONTHS,
  type MonthStamp,
} from '../../store/feed-store.ts';

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
  if (isHuge(state)) return hugeSnapshot({ account, history, revision });
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

function hugeSnapshot({ account, history, revision }: Omit<AccountState, 'months'>): AccountSnapshot {
  return { account, history, revision, months: [], stamps: new Map(), isHuge: true };
}

/**
 * The snapshot after some changes, or the held one if that is newer. A month that is not among the changes did not
 * change after `changes.since`, so a snapshot at or past that revision has it right.
 */
export function applyChanges(held: AccountSnapshot | undefined, changes: AccountChanges): AccountSnapshot {
  const { account, history, revision, changed } = changes;
  if (held === undefined || held.account.id !== account.id) {
    return snapshotOf({ account, history, revision, months: changed });
  }
  if (held.revision >= revision) return held;
  // Months are never removed, so a huge account stays one.
  if (held.isHuge) return hugeSnapshot(changes);
  const stamps = new Map(held.stamps);
  for (const { month, stamp } of changed) stamps.set(month, stamp);
  if (stamps.size > MAX_HELD_MONTHS) return hugeSnapshot(changes);
  const months = stamps.size === held.months.length ? held.months : [...stamps.keys()].sort((a, b) => a - b);
  return { account, history, revision, months, stamps, isHuge: false };
}

/** An estimate. */
export function sizeOfSnapshot({ months }: AccountSnapshot): number {
  return 1024 + 64 * months.length;
}
