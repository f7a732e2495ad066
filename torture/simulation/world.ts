/** One state of a database, as plain values that never change. */

import { type Month, parseMonth } from '@shiftfeed/common/days';
import type { Shift } from '../../src/listing/shift.ts';
import type { Account } from '../../src/store/account.ts';

export interface World {
  /** Names the file that it is in. */
  readonly history: string;
  readonly accounts: readonly AccountData[];
  readonly tokens: readonly TokenData[];
}

export interface AccountData {
  readonly account: Account;
  readonly revision: number;
  /** The revision at which each month last changed. Months are never removed. */
  readonly stamps: ReadonlyMap<Month, number>;
  readonly shifts: readonly Shift[];
  readonly inactiveGroups: ReadonlySet<number>;
}

export interface TokenData {
  readonly id: number;
  readonly hash: string;
  readonly accountId: number;
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
}

export function accountOf(world: World, slug: string): AccountData | undefined {
  return world.accounts.find(({ account }) => account.slug === slug);
}

/** A token that exists, is neither revoked nor expired, and whose account is premium. */
export function liveToken({ tokens, accounts }: World, hash: string, nowMs: number): TokenData | undefined {
  return tokens.find(
    (token) =>
      token.hash === hash &&
      !token.isRevoked &&
      (token.expiresAtMs === null || nowMs < token.expiresAtMs) &&
      accounts.some(({ account }) => account.id === token.accountId && account.premium),
  );
}

const visible = new WeakMap<AccountData, readonly Shift[]>();

/** The shifts of active groups. */
export function visibleShifts(data: AccountData): readonly Shift[] {
  const known = visible.get(data);
  if (known !== undefined) return known;
  const shifts = data.shifts.filter(({ groupId }) => !data.inactiveGroups.has(groupId));
  visible.set(data, shifts);
  return shifts;
}

/** The account after a change that touches these months, as the triggers of a database note it: row by row. */
export function changed(
  data: AccountData,
  change: Partial<Pick<AccountData, 'shifts' | 'inactiveGroups' | 'account'>>,
  months: Iterable<Month>,
  nowUs: number,
): AccountData {
  const stamps = new Map(data.stamps);
  let { revision } = data;
  for (const month of months) {
    revision = Math.max(revision + 1, nowUs);
    stamps.set(month, revision);
  }
  // A change without a month raises the revision, too.
  if (revision === data.revision) revision = Math.max(revision + 1, nowUs);
  return { ...data, ...change, revision, stamps };
}

export function monthOfShift({ date }: Shift): Month {
  return parseMonth(date);
}
