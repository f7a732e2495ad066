/**
 * Has months read as a whole behind the scenes, so that the next request finds them: one after the other, while nobody
 * waits for them, so that they take one thread at most. An account that would push out most others, and then itself,
 * is left to be read piece by piece.
 */

import { LRUCache } from 'lru-cache';
import type { Month } from '../listing/calendar.ts';
import type { Holding } from './holding.ts';

/** An account, of which history. */
export type Filled = Pick<Holding, 'account' | 'history'>;

export interface FillerOptions {
  /** Reads a month, keeps it, and says how many bytes it takes; undefined when the account is gone. */
  readonly readMonth: (of: Filled, month: Month) => Promise<number | undefined>;
  /** How much of one account may be read in this way. */
  readonly budgetBytes: number;
}

/** Returns at once. Whatever goes wrong is left to the request that needs the month. */
export type Filler = (of: Filled, months: readonly Month[]) => void;

const MAX_REMEMBERED_ACCOUNTS = 1_000;

export function makeFiller({ readMonth, budgetBytes }: FillerOptions): Filler {
  const waiting = new Map<number, { readonly of: Filled; readonly months: Set<Month> }>();
  /** What the months of an account took when some were read last. */
  const bytesPerMonth = new LRUCache<number, number>({ max: MAX_REMEMBERED_ACCOUNTS });
  let isAtWork = false;

  const fits = (accountId: number, count: number) =>
    (bytesPerMonth.get(accountId) ?? 0) * count <= budgetBytes;

  async function fillAccount(of: Filled, months: ReadonlySet<Month>): Promise<void> {
    const { account } = of;
    let bytes = 0;
    let done = 0;
    for (const month of months) {
      if (!fits(account.id, months.size)) return;
      const read = await readMonth(of, month);
      if (read === undefined) return;
      bytes += read;
      done++;
      bytesPerMonth.set(account.id, bytes / done);
    }
  }

  async function fillAll(): Promise<void> {
    isAtWork = true;
    for (const [id, { of, months }] of waiting) {
      waiting.delete(id);
      await fillAccount(of, months).catch(() => undefined);
    }
    isAtWork = false;
  }

  return (of, wanted) => {
    if (wanted.length === 0) return;
    const { account } = of;
    const months = waiting.get(account.id)?.months ?? new Set<Month>();
    for (const month of wanted) months.add(month);
    waiting.set(account.id, { of, months });
    if (!isAtWork) fillAll();
  };
}
