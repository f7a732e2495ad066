/**
 * What the feed knows of an account at one revision: its settings and the stamp of each month. It
 * holds no shifts; together with stamped month blocks it is one state of the data. Of an account with shifts in thousands of
 * months it holds no months either: to look at all of them would keep other requests waiting.
 */

import type { Month } from '../listing/calendar.ts';
import {
  type Account,
  type AccountChanges,
  type AccountState,
  MAX_HELD_MONTHS,
  type MonthStamp,
} from '../store/store.ts';

export interface Holding {
  readonly account: Account;
  readonly history: string;
  readonly revision: number;
  /** Ascending. */
  readonly months: readonly Month[];
  readonly stamps: ReadonlyMap<Month, number>;
  /** Whether it has too many months to hold them. */
  readonly isWide: boolean;
}

export function holdingOf({ account, history, revision, months }: AccountState): Holding {
  if (months.length > MAX_HELD_MONTHS) return wideHolding({ account, history, revision });
  return {
    account,
    history,
    revision,
    months: months.map(({ month }) => month),
    stamps: new Map(months.map(({ month, stamp }) => [month, stamp])),
    isWide: false,
  };
}

/** A state with no more months than it takes to see that there are too many. */
export function withoutSurplusMonths(state: AccountState): AccountState {
  const months: readonly MonthStamp[] = state.months.slice(0, MAX_HELD_MONTHS + 1);
  return { ...state, months };
}

function wideHolding({ account, history, revision }: Omit<AccountState, 'months'>): Holding {
  return { account, history, revision, months: [], stamps: new Map(), isWide: true };
}

/**
 * The newer of what is held and what was answered. A month that the answer leaves out did not change
 * after `changes.since`, so a holding at or past that revision has it right.
 */
export function advance(held: Holding | undefined, changes: AccountChanges): Holding {
  const { account, history, revision, changed } = changes;
  if (held === undefined || held.account.id !== account.id) {
    return holdingOf({ account, history, revision, months: changed });
  }
  if (held.revision >= revision) return held;
  // Months are never removed: an account that has too many keeps them.
  if (held.isWide) return wideHolding(changes);
  const stamps = new Map(held.stamps);
  for (const { month, stamp } of changed) stamps.set(month, stamp);
  if (stamps.size > MAX_HELD_MONTHS) return wideHolding(changes);
  const months = stamps.size === held.months.length ? held.months : [...stamps.keys()].sort((a, b) => a - b);
  return { account, history, revision, months, stamps, isWide: false };
}

/**
 * Revisions only grow, so an answer from before what was held when asking, or of another account by the
 * same name, tells of a history that was replaced: a backup was restored, for instance.
 */
export function isRestarted(held: Holding, changes: AccountChanges): boolean {
  return (
    held.history !== changes.history ||
    held.account.id !== changes.account.id ||
    changes.revision < held.revision
  );
}

/** About what a holding occupies. */
export function sizeOfHolding({ months }: Holding): number {
  return 1024 + 64 * months.length;
}
