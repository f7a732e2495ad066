/**
 * Supplies the months that a request reads, all of one state of the account: from the shelf when every
 * one of them is there with the right stamp, else by one load that requests for the account share.
 */

import { LRUCache } from 'lru-cache';
import type { Day, Month } from '../listing/calendar.ts';
import { type PlannedMonth, planMonths } from '../listing/plan.ts';
import { quote } from '../quote.ts';
import { type Holding, holdingOf } from './holding.ts';
import type { Want } from './load.ts';
import type { Loader } from './loader.ts';
import { Refusal } from './refusal.ts';
import { share } from './share.ts';
import type { Shelf, Shelved } from './shelf.ts';
import { todayIn } from './today.ts';

/** Reading a large account for the first time may take some seconds, and a round may wait for another. */
const LOAD_DEADLINE_MS = 60_000;
/** Past this number, accounts that load at the same moment may load more often than once. */
const MAX_LOADING_ACCOUNTS = 1_000;

export interface Months {
  supply(holding: Holding, want: Want): Promise<Supply>;
  /** How many blocks were found in memory and how many were loaded so far, and how many loads failed. */
  counts(): { found: number; loaded: number; failures: number };
}

export interface Supply {
  /** The state that the months are of: the one asked for, or a newer one. */
  readonly holding: Holding;
  readonly today: Day;
  readonly months: readonly SuppliedMonth[];
}

export interface SuppliedMonth extends PlannedMonth {
  readonly shelved: Shelved;
}

interface Order {
  readonly holding: Holding;
  readonly want: Want;
}

/** A state of an account and, at least, the blocks that the wants of one load need of it. */
interface Delivery {
  readonly holding: Holding;
  readonly blocks: ReadonlyMap<Month, Shelved>;
}

export function keepMonths(loader: Loader, shelf: Shelf): Months {
  const loadsOfAccount = new LRUCache<number, (order: Order) => Promise<Delivery>>({
    max: MAX_LOADING_ACCOUNTS,
  });
  let found = 0;
  let loaded = 0;
  let failures = 0;

  async function supply(holding: Holding, want: Want): Promise<Supply> {
    const { id } = holding.account;
    const fromShelf = gather(holding, want, (month, stamp) => shelf.find(id, month, stamp));
    if (fromShelf !== undefined) {
      found += fromShelf.months.length;
      return fromShelf;
    }
    const delivery = await loadsFor(id)({ holding, want });
    const fromDelivery = gather(delivery.holding, want, (month) => delivery.blocks.get(month));
    if (fromDelivery === undefined) throw new Error('A load left out a month that was wanted of it.');
    return fromDelivery;
  }

  function loadsFor(accountId: number): (order: Order) => Promise<Delivery> {
    const existing = loadsOfAccount.get(accountId);
    if (existing !== undefined) return existing;
    const loads = share(load, LOAD_DEADLINE_MS);
    loadsOfAccount.set(accountId, loads);
    return loads;
  }

  async function load(orders: readonly Order[]): Promise<Delivery> {
    const { account, months } = (orders.at(-1) as Order).holding;
    // Whatever leaves the shelf while the load is under way stays reachable from here.
    const held = shelf.blocksOf(account.id, months);
    const stamps = new Map(Array.from(held, ([month, { stamp }]) => [month, stamp]));
    const wants = orders.map(({ want }) => want);
    const result = await loader.load({ slug: account.slug, wants, held: stamps }).catch((error: unknown) => {
      failures++;
      throw error;
    });
    if (result?.state.account.id !== account.id) {
      throw new Refusal('unknown-account', `There is no account ${quote(account.slug)} any more.`);
    }
    const holding = holdingOf(result.state);
    const blocks = new Map(held);
    for (const block of result.blocks) {
      loaded++;
      blocks.set(block.month, shelf.put(account.id, block, holding.stamps.get(block.month) as number));
    }
    return { holding, blocks };
  }

  return { supply, counts: () => ({ found, loaded, failures }) };
}

/** undefined when `find` lacks a month that the plan touches. */
function gather(
  holding: Holding,
  { dates, nowMs }: Want,
  find: (month: Month, stamp: number) => Shelved | undefined,
): Supply | undefined {
  const today = todayIn(holding.account.timeZone, nowMs);
  const months: SuppliedMonth[] = [];
  for (const { month, days } of planMonths(dates, today, holding.months)) {
    const shelved = find(month, holding.stamps.get(month) as number);
    if (shelved === undefined) return undefined;
    months.push({ month, days, shelved });
  }
  return { holding, today, months };
}
