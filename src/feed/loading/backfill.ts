/**
 * Loads whole months in the background, so that the next request finds them. They are loaded one after the other, so
 * that they occupy one thread at most. An account that would evict most others from the cache, and then itself, is not
 * backfilled: its pages are loaded day by day.
 */

import { LRUCache } from 'lru-cache';
import type { Month } from '../../listing/calendar.ts';
import type { AccountSnapshot } from '../access/account-snapshot.ts';

/** An account, and the history that it belongs to. */
export type BackfilledAccount = Pick<AccountSnapshot, 'account' | 'history'>;

export interface BackfillOptions {
  /** Loads a month, caches it, and says how many bytes it takes; undefined when the account is gone. */
  readonly loadMonth: (of: BackfilledAccount, month: Month) => Promise<number | undefined>;
  /** How much of one account may be backfilled. */
  readonly budgetBytes: number;
}

/** Returns at once. A month that fails is left to the request that needs it. */
export type Backfill = (of: BackfilledAccount, months: readonly Month[]) => void;

const MAX_MEASURED_ACCOUNTS = 1_000;

export function makeBackfill({ loadMonth, budgetBytes }: BackfillOptions): Backfill {
  const waiting = new Map<number, { readonly of: BackfilledAccount; readonly months: Set<Month> }>();
  /** The average size of an account's months when some of them were last loaded. */
  const bytesPerMonth = new LRUCache<number, number>({ max: MAX_MEASURED_ACCOUNTS });
  let isRunning = false;

  const fits = (accountId: number, count: number) =>
    (bytesPerMonth.get(accountId) ?? 0) * count <= budgetBytes;

  async function fillAccount(of: BackfilledAccount, months: ReadonlySet<Month>): Promise<void> {
    const { account } = of;
    let bytes = 0;
    let done = 0;
    for (const month of months) {
      if (!fits(account.id, months.size)) return;
      const loadedBytes = await loadMonth(of, month);
      if (loadedBytes === undefined) return;
      bytes += loadedBytes;
      done++;
      bytesPerMonth.set(account.id, bytes / done);
    }
  }

  async function fillAll(): Promise<void> {
    isRunning = true;
    for (const [id, { of, months }] of waiting) {
      waiting.delete(id);
      await fillAccount(of, months).catch(() => undefined);
    }
    isRunning = false;
  }

  return (of, months) => {
    if (months.length === 0) return;
    const { account } = of;
    const queued = waiting.get(account.id)?.months ?? new Set<Month>();
    for (const month of months) queued.add(month);
    waiting.set(account.id, { of, months: queued });
    if (!isRunning) fillAll();
  };
}
