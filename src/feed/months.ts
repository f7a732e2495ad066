/**
 * Supplies the pages of accounts, each of one state of the account: from the shelf when what the page needs is there
 * with the right stamps, else by one load that requests for the account share. Months that such a load
 * only counted are read behind the scenes, so that the next request finds them.
 */

import { LRUCache } from 'lru-cache';
import type { Month } from '../listing/calendar.ts';
import { includesDays } from '../listing/day-mask.ts';
import type { Query } from '../listing/filter.ts';
import type { DayStarts } from '../listing/month.ts';
import { cutPage, type PagePlace, placePage, type ReadyPart } from '../listing/page.ts';
import { planMonths } from '../listing/plan.ts';
import { viewKey, viewOf } from '../listing/view.ts';
import { quote } from '../quote.ts';
import { type Holding, holdingOf } from './holding.ts';
import type { HeldTally, Loaded, LoadRequest } from './load.ts';
import type { Loader } from './loader.ts';
import { Refusal } from './refusal.ts';
import { share } from './share.ts';
import { isWhole, learn, type News, type Shelf, type Shelved } from './shelf.ts';
import type { ShownMonth } from './tag.ts';
import { todayIn } from './today.ts';

/** Reading a large account for the first time may take some seconds, and a round may wait for another. */
const LOAD_DEADLINE_MS = 60_000;
/** Past this number, accounts that load at the same moment may load more often than once. */
const MAX_LOADING_ACCOUNTS = 1_000;
/** One account may be read behind the scenes up to this share of what there is for all. */
const FILL_SHARE_OF_BUDGET = 1 / 2;

export interface MonthsOptions {
  readonly loader: Loader;
  readonly shelf: Shelf;
  readonly budgetBytes: number;
  /** Up to so many shifts, whole months are read at once when one of them is missing. */
  readonly eagerRows: number;
}

export interface Months {
  supply(holding: Holding, query: Query, nowMs: number): Promise<Supply>;
  /** How many blocks were found in memory and how many were loaded so far, and how many loads failed. */
  counts(): { found: number; loaded: number; failures: number };
}

export interface Supply extends PagePlace {
  /** The state that the page is of: the one asked for, or a newer one. */
  readonly holding: Holding;
  readonly viewKey: string;
  readonly shown: readonly ShownMonth[];
  readonly slices: readonly Uint8Array[];
}

interface Order {
  readonly holding: Holding;
  readonly query: Query;
  readonly nowMs: number;
}

/** A state of an account and, at least, what the orders of one load need of it. */
interface Delivery {
  readonly holding: Holding;
  readonly known: ReadonlyMap<Month, Shelved>;
}

type Find = (month: Month, stamp: number) => Shelved | undefined;

export function keepMonths({ loader, shelf, budgetBytes, eagerRows }: MonthsOptions): Months {
  const loadsOfAccount = new LRUCache<number, (order: Order) => Promise<Delivery>>({
    max: MAX_LOADING_ACCOUNTS,
  });
  const filling = new Map<number, Set<Month>>();
  let found = 0;
  let loaded = 0;
  let failures = 0;

  async function supply(holding: Holding, query: Query, nowMs: number): Promise<Supply> {
    const { id } = holding.account;
    const order = { holding, query, nowMs };
    const fromShelf = gather(order, (month, stamp) => shelf.find(id, month, stamp));
    if (fromShelf !== undefined) {
      found += fromShelf.shown.length;
      return fromShelf;
    }
    const delivery = await loadsFor(id)(order);
    const fromDelivery = gather({ ...order, holding: delivery.holding }, (month, stamp) => {
      const shelved = delivery.known.get(month);
      return shelved?.stamp === stamp ? shelved : undefined;
    });
    if (fromDelivery === undefined) throw new Error('A load left out what was wanted of it.');
    return fromDelivery;
  }

  /** undefined when `find` lacks something that the page needs. */
  function gather(order: Order, find: Find): Supply | undefined {
    const { holding, query } = order;
    const { plan, key, view } = reading(order);
    const months: (ShownMonth & { shelved: Shelved; tally: DayStarts })[] = [];
    for (const { month, days } of plan) {
      const stamp = holding.stamps.get(month) as number;
      const shelved = find(month, stamp);
      const tally = shelved && tallyOf(shelved, key, view);
      if (shelved === undefined || tally === undefined) return undefined;
      months.push({ month, days, stamp, shelved, tally });
    }
    const place = placePage(months, query.paging);
    const ready: ReadyPart[] = [];
    for (const part of place.parts) {
      const { shelved } = months[part.index] as (typeof months)[number];
      const viewOfPart = view(shelved);
      if (shelved.block === undefined || viewOfPart === undefined) return undefined;
      if (!includesDays(shelved.block.days, part.days)) return undefined;
      ready.push({ ...part, block: shelved.block, view: viewOfPart });
    }
    return { ...place, holding, viewKey: key, shown: months, slices: cutPage(ready) };
  }

  function loadsFor(accountId: number): (order: Order) => Promise<Delivery> {
    const existing = loadsOfAccount.get(accountId);
    if (existing !== undefined) return existing;
    const loads = share(loadTogether, LOAD_DEADLINE_MS);
    loadsOfAccount.set(accountId, loads);
    return loads;
  }

  async function loadTogether(orders: readonly Order[]): Promise<Delivery> {
    const { account, months } = (orders.at(-1) as Order).holding;
    // Whatever leaves the shelf while the load is under way stays reachable from here.
    const known = shelf.known(account.id, months);
    const wants = orders.map((order) => ({
      ...order.query,
      nowMs: order.nowMs,
      tallies: talliesFor(order, known),
    }));
    const result = await ask({ slug: account.slug, wants, months: [], ...whatIsHeld(known) });
    if (result?.state.account.id !== account.id) {
      throw new Refusal('unknown-account', `There is no account ${quote(account.slug)} any more.`);
    }
    const holding = holdingOf(result.state);
    const delivered = new Map(known);
    for (const news of keep(holding, result))
      delivered.set(news.month, learn(delivered.get(news.month), news));
    fill(holding, result.later);
    return { holding, known: delivered };
  }

  /** The day tables that are known of the months that the order is likely to touch. */
  function talliesFor(order: Order, known: ReadonlyMap<Month, Shelved>): ReadonlyMap<Month, HeldTally> {
    const { plan, key, view } = reading(order);
    const tallies = new Map<Month, HeldTally>();
    for (const { month } of plan) {
      const shelved = known.get(month);
      const tally = shelved && tallyOf(shelved, key, view);
      if (shelved && tally) tallies.set(month, { stamp: shelved.stamp, tally });
    }
    return tallies;
  }

  /** What an order comes to in the state that it knows of. */
  function reading({ holding: { account, months }, query: { dates, rows }, nowMs }: Order) {
    const today = todayIn(account.timeZone, nowMs);
    const key = viewKey(rows, today);
    const view = (shelved: Shelved) =>
      shelf.view(account.id, shelved, key, (block) => viewOf(block, rows, today));
    return { plan: planMonths(dates, today, months), key, view };
  }

  function whatIsHeld(known: ReadonlyMap<Month, Shelved>): Pick<LoadRequest, 'held' | 'eagerRows'> {
    const held = Array.from(
      known,
      ([month, { stamp, block }]) => [month, { stamp, days: block?.days ?? 0 }] as const,
    );
    return { held: new Map(held), eagerRows };
  }

  async function ask(request: LoadRequest): Promise<Loaded | undefined> {
    try {
      return await loader.load(request);
    } catch (error) {
      failures++;
      throw error;
    }
  }

  /** Puts what was loaded on the shelf, and returns it. */
  function keep({ account, stamps }: Holding, { blocks, tallies }: Loaded): News[] {
    const stampOf = (month: Month) => stamps.get(month) as number;
    const all = [
      ...tallies.map(({ month, viewKey, tally }) => ({
        month,
        stamp: stampOf(month),
        tallies: new Map([[viewKey, tally]]),
      })),
      ...blocks.map((block) => ({ month: block.month, stamp: stampOf(block.month), block })),
    ];
    for (const news of all) shelf.put(account.id, news);
    loaded += blocks.length;
    return all;
  }

  /** Has months read as a whole, one after the other, while nobody waits for them. */
  async function fill({ account }: Holding, wanted: readonly Month[]): Promise<void> {
    const under = filling.get(account.id);
    const queue = under ?? new Set<Month>();
    for (const month of wanted) queue.add(month);
    if (under !== undefined || queue.size === 0) return;
    filling.set(account.id, queue);
    try {
      let bytes = 0;
      let done = 0;
      for (const month of queue) {
        queue.delete(month);
        const known = shelf.known(account.id, [month]);
        const result = await ask({ slug: account.slug, wants: [], months: [month], ...whatIsHeld(known) });
        if (result?.state.account.id !== account.id) return;
        keep(holdingOf(result.state), result);
        for (const block of result.blocks) bytes += block.bytes.length;
        done++;
        // An account that would push out most others, and then itself, is read piece by piece.
        if ((bytes / done) * (done + queue.size) > budgetBytes * FILL_SHARE_OF_BUDGET) return;
      }
    } catch {
      // It was counted as a failure. Whoever asks next loads what they need.
    } finally {
      filling.delete(account.id);
    }
  }

  return { supply, counts: () => ({ found, loaded, failures }) };
}

/** The day table of a view: that of the view itself if the whole month is there, else one that was counted. */
function tallyOf(
  shelved: Shelved,
  key: string,
  view: (shelved: Shelved) => { dayStarts: DayStarts } | undefined,
): DayStarts | undefined {
  return isWhole(shelved.block) ? view(shelved)?.dayStarts : shelved.tallies.get(key);
}
