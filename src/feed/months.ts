/**
 * Supplies the pages of accounts, each of one state of the account: from the shelf when what the page needs is there
 * with the right stamps, else by one load that requests for the account share. Months that such a load
 * only counted are read behind the scenes, so that the next request finds them.
 */

import type { Month } from '../listing/calendar.ts';
import { includesDays } from '../listing/day-mask.ts';
import type { Query } from '../listing/filter.ts';
import { bufferOf, type DayStarts } from '../listing/month.ts';
import { cutPage, type PagePlace, placePage, type ReadyPart, type TalliedMonth } from '../listing/page.ts';
import { type View, viewOf } from '../listing/view.ts';
import { olderThanKnown } from './accounts.ts';
import { type Filled, makeFiller } from './filler.ts';
import { type Holding, holdingOf } from './holding.ts';
import type { HeldTally, Loaded, LoadRequest, Want } from './load.ts';
import type { Loader } from './loader.ts';
import type { Reading, Readings } from './reading.ts';
import { goneAccount } from './refusal.ts';
import { shareByAccount } from './share.ts';
import { isWhole, learn, type News, type Shelf, type Shelved } from './shelf.ts';
import type { ShownMonth } from './tag.ts';
import { makeWholePages } from './whole-pages.ts';

/** Reading a large account for the first time may take some seconds, and a round may wait for another. */
const LOAD_DEADLINE_MS = 60_000;
/** One account may be read behind the scenes up to this share of what there is for all. */
const FILL_SHARE_OF_BUDGET = 1 / 2;

export interface MonthsOptions {
  readonly loader: Loader;
  readonly shelf: Shelf;
  readonly readings: Readings;
  readonly budgetBytes: number;
  /** Up to so many shifts, whole months are read at once when one of them is missing. */
  readonly eagerRows: number;
  /** Whether a state is of the history that its account has now. What was loaded of another one is not kept. */
  readonly isPresent: (holding: Holding) => boolean;
}

export interface Months {
  supply(holding: Holding, query: Query, nowMs: number): Promise<Supply>;
  /** How many blocks were found in memory and how many were loaded so far, and how many loads failed. */
  counts(): { found: number; loaded: number; failures: number };
}

export interface Supply {
  /** The state that the page is of: the one asked for, or a newer one. */
  readonly holding: Holding;
  readonly reading: Reading;
  readonly place: PagePlace;
  /** The bytes of the page. */
  cut(): readonly Uint8Array[];
}

export interface Order {
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
/** undefined when there is nothing to view. */
type Viewer = (shelved: Shelved) => View | undefined;

export function keepMonths(options: MonthsOptions): Months {
  const { loader, shelf, readings, budgetBytes, eagerRows, isPresent } = options;
  const loads = shareByAccount(loadTogether, { deadlineMs: LOAD_DEADLINE_MS });
  const supplyWhole = makeWholePages({ loadPage: (request) => counted(loader.loadPage(request)), readings });
  const fill = makeFiller({ readMonth, budgetBytes: budgetBytes * FILL_SHARE_OF_BUDGET });
  let found = 0;
  let loaded = 0;
  let failures = 0;

  async function supply(holding: Holding, query: Query, nowMs: number): Promise<Supply> {
    const { id } = holding.account;
    const order = { holding, query, nowMs };
    if (holding.isWide) return supplyWhole(order);
    const fromShelf = gather(order, (month, stamp) => shelf.find(id, month, stamp));
    if (fromShelf !== undefined) {
      found += fromShelf.reading.months.length;
      return fromShelf;
    }
    const delivery = await loads(id, order);
    if (delivery.holding.history !== holding.history) throw olderThanKnown();
    if (delivery.holding.isWide) return supplyWhole({ ...order, holding: delivery.holding });
    const fromDelivery = gather({ ...order, holding: delivery.holding }, (month, stamp) => {
      const shelved = delivery.known.get(month);
      return shelved?.stamp === stamp ? shelved : undefined;
    });
    if (fromDelivery === undefined) throw new Error('A load left out what was wanted of it.');
    return fromDelivery;
  }

  /** undefined when `find` lacks something that the page needs. */
  function gather({ holding, query, nowMs }: Order, find: Find): Supply | undefined {
    const reading = readings(holding, query, nowMs);
    const view = viewer(holding.account.id, query, reading);
    reading.place ??= placeIn(reading, query, find, view);
    if (reading.place === undefined) return undefined;
    const ready: ReadyPart[] = [];
    for (const part of reading.place.parts) {
      const { month, stamp } = reading.months[part.index] as ShownMonth;
      const shelved = find(month, stamp);
      const viewOfPart = shelved && view(shelved);
      if (!shelved?.block || !viewOfPart || !includesDays(shelved.block.days, part.days)) return undefined;
      ready.push({ ...part, block: shelved.block, view: viewOfPart });
    }
    return { holding, reading, place: reading.place, cut: () => cutPage(ready) };
  }

  function placeIn({ months, viewKey }: Reading, { paging }: Query, find: Find, view: Viewer) {
    const tallied: TalliedMonth[] = [];
    for (const { month, days, stamp } of months) {
      const shelved = find(month, stamp);
      const tally = shelved && tallyOf(shelved, viewKey, view);
      if (tally === undefined) return undefined;
      tallied.push({ days, tally });
    }
    return placePage(tallied, paging);
  }

  function viewer(accountId: number, { rows }: Query, { today, viewKey }: Reading): Viewer {
    return (shelved) => shelf.view(accountId, shelved, viewKey, (block) => viewOf(block, rows, today));
  }

  async function loadTogether(orders: readonly Order[]): Promise<Delivery> {
    const { account, history, months } = (orders.at(-1) as Order).holding;
    // Whatever leaves the shelf while the load is under way stays reachable from here.
    const known = shelf.known(account.id, months);
    const wants = orders.map((order) => wantOf(order, known));
    const result = await ask({ slug: account.slug, history, wants, months: [], ...whatIsHeld(known) });
    if (result?.state.account.id !== account.id) throw goneAccount(account);
    const holding = holdingOf(result.state);
    const isOlder = (known: Holding) => known.history === history && known.revision > holding.revision;
    if (orders.some((order) => isOlder(order.holding))) throw olderThanKnown();
    if (holding.isWide) return { holding, known };
    const delivered = new Map(known);
    for (const news of keep(holding, result))
      delivered.set(news.month, learn(delivered.get(news.month), news));
    fill(holding, result.later);
    return { holding, known: delivered };
  }

  /** An order with the day tables that are known of the months that it is likely to touch. */
  function wantOf({ holding, query, nowMs }: Order, known: ReadonlyMap<Month, Shelved>): Want {
    const reading = readings(holding, query, nowMs);
    const view = viewer(holding.account.id, query, reading);
    const tallies = new Map<Month, HeldTally>();
    for (const { month } of reading.months) {
      const shelved = known.get(month);
      const tally = shelved && tallyOf(shelved, reading.viewKey, view);
      // A copy, because a table of a whole month would take all of its buffer along to the other thread.
      if (shelved && tally) tallies.set(month, { stamp: shelved.stamp, tally: tally.slice() });
    }
    return { ...query, nowMs, viewKey: reading.viewKey, tallies };
  }

  function whatIsHeld(known: ReadonlyMap<Month, Shelved>): Pick<LoadRequest, 'held' | 'eagerRows'> {
    const held = Array.from(
      known,
      ([month, { stamp, block }]) => [month, { stamp, days: block?.days ?? 0 }] as const,
    );
    return { held: new Map(held), eagerRows };
  }

  const ask = (request: LoadRequest) => counted(loader.load(request));

  async function counted<T>(load: Promise<T>): Promise<T> {
    try {
      return await load;
    } catch (error) {
      failures++;
      throw error;
    }
  }

  /** Puts what was loaded on the shelf, and returns it. */
  function keep(holding: Holding, { blocks, tallies }: Loaded): News[] {
    const stampOf = (month: Month) => holding.stamps.get(month) as number;
    const all = [
      ...tallies.map(({ month, viewKey, tally }) => ({
        month,
        stamp: stampOf(month),
        tallies: new Map([[viewKey, tally]]),
      })),
      ...blocks.map((block) => ({ month: block.month, stamp: stampOf(block.month), block })),
    ];
    if (isPresent(holding)) for (const news of all) shelf.put(holding.account.id, news);
    loaded += blocks.length;
    return all;
  }

  async function readMonth({ account, history }: Filled, month: Month): Promise<number | undefined> {
    const known = shelf.known(account.id, [month]);
    const result = await ask({
      slug: account.slug,
      history,
      wants: [],
      months: [month],
      ...whatIsHeld(known),
    });
    if (result?.state.account.id !== account.id) return undefined;
    keep(holdingOf(result.state), result);
    const [block] = result.blocks;
    return block === undefined ? 0 : bufferOf(block).byteLength;
  }

  return { supply, counts: () => ({ found, loaded, failures }) };
}

/** The day table of a view: that of the view itself if the whole month is there, else one that was counted. */
function tallyOf(shelved: Shelved, key: string, view: Viewer): DayStarts | undefined {
  return isWhole(shelved.block) ? view(shelved)?.dayStarts : shelved.tallies.get(key);
}
