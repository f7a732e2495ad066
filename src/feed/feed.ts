/**
 * What a request needs of the store and of the listing: who may read, and which page they get.
 *
 *   token + account ──open──▶ access ──list──▶ page
 *
 * `open` asks the database once, together with every other request that waits, whether the token is
 * live and what changed in the account. `list` plans, takes the months from memory or has them
 * loaded, and cuts the page.
 */

import type { Query } from '../listing/filter.ts';
import type { PagePlace } from '../listing/page.ts';
import { quote } from '../quote.ts';
import type { FeedStore } from '../store/store.ts';
import { keepAccounts } from './accounts.ts';
import type { Holding } from './holding.ts';
import type { Loader } from './loader.ts';
import { keepMonths } from './months.ts';
import { keepReadings } from './reading.ts';
import { Refusal } from './refusal.ts';
import { makeShelf } from './shelf.ts';
import type { Clock } from './today.ts';
import { hashToken, isLive } from './token.ts';

export interface Feed {
  /** Lets the bearer of a token in, or throws a Refusal. */
  open(token: string | undefined, slug: string): Promise<Access>;
  list(access: Access, query: Query): Promise<Listing>;
  /** The tag of what `list` would return right now, without reading any shifts. */
  tag(access: Access, query: Query): string;
  /** Throws when no listing could be answered now. */
  check(): Promise<void>;
  /** Whether memory that a listing shows belongs to a month that is kept anyway. */
  isCached(buffer: ArrayBufferLike): boolean;
  counts(): FeedCounts;
}

/** Says that a live token of the account was shown, and what the account was like at that moment. */
export interface Access {
  /** Both name the token without giving it away; operators know it by its id. */
  readonly tokenHash: string;
  readonly tokenId: number;
  readonly holding: Holding;
  /** How old that knowledge is, when the database could not be asked. */
  readonly staleMs: number | undefined;
}

export interface Listing {
  /** The same object for the same query, as long as the account and the day stay the same. */
  readonly place: PagePlace;
  /** The shifts as JSON, separated by commas: put together, the inside of an array. */
  cut(): readonly Uint8Array[];
  readonly tag: string;
  /** Of the account, at the state that the page shows. */
  readonly revision: number;
  readonly timeZone: string;
}

export interface FeedCounts {
  readonly freshnessQueries: number;
  readonly monthsFound: number;
  readonly monthsLoaded: number;
  readonly databaseErrors: number;
  readonly cachedBytes: number;
}

export interface FeedOptions {
  readonly store: FeedStore;
  readonly loader: Loader;
  readonly clock: Clock;
  readonly cacheBudgetBytes: number;
  /** For how long accounts in memory are still listed while the database cannot be asked. */
  readonly staleIfErrorMs: number;
  /** Up to so many shifts that are missing in memory, whole months are read at once; of more, what a page needs. */
  readonly eagerRows?: number;
}

/** That many are read in a few hundredths of a second. */
const DEFAULT_EAGER_ROWS = 5_000;
/** The rest of the budget is for months. */
export const ACCOUNTS_SHARE_OF_BUDGET = 1 / 16;
export const READINGS_SHARE_OF_BUDGET = 1 / 16;

export function makeFeed(options: FeedOptions): Feed {
  const { store, loader, clock, cacheBudgetBytes, staleIfErrorMs, eagerRows = DEFAULT_EAGER_ROWS } = options;
  const accountsBytes = Math.ceil(cacheBudgetBytes * ACCOUNTS_SHARE_OF_BUDGET);
  const readingsBytes = Math.ceil(cacheBudgetBytes * READINGS_SHARE_OF_BUDGET);
  const monthsBytes = cacheBudgetBytes - accountsBytes - readingsBytes;
  const shelf = makeShelf(monthsBytes);
  const readings = keepReadings(readingsBytes);
  const accounts = keepAccounts({
    store,
    clock,
    budgetBytes: accountsBytes,
    staleIfErrorMs,
    onRestart: shelf.forget,
  });
  const months = keepMonths({
    loader,
    shelf,
    readings,
    budgetBytes: monthsBytes,
    eagerRows,
    isPresent: accounts.isPresent,
  });

  async function open(token: string | undefined, slug: string): Promise<Access> {
    if (token === undefined) throw unauthorised('no-token');
    const tokenHash = hashToken(token);
    const { token: facts, holding, staleMs } = await accounts.ask(tokenHash, slug);
    if (facts === undefined || !isLive(facts, clock())) throw unauthorised('dead-token');
    if (holding === undefined) throw new Refusal('unknown-account', `There is no account ${quote(slug)}.`);
    if (holding.account.id !== facts.accountId) throw unauthorised('dead-token');
    return { tokenHash, tokenId: facts.id, holding, staleMs };
  }

  function tag({ holding }: Access, query: Query): string {
    return readings(holding, query, clock()).tag;
  }

  async function list(access: Access, query: Query): Promise<Listing> {
    const { holding, reading, place, cut } = await months.supply(access.holding, query, clock());
    const { revision, account } = accounts.note(holding);
    return { place, cut, tag: reading.tag, revision, timeZone: account.timeZone };
  }

  return {
    open,
    list,
    tag,
    check: accounts.check,
    isCached: shelf.isCached,
    counts: () => ({
      freshnessQueries: accounts.counts().queries,
      monthsFound: months.counts().found,
      monthsLoaded: months.counts().loaded,
      databaseErrors: accounts.counts().failures + months.counts().failures,
      cachedBytes: shelf.bytes(),
    }),
  };
}

function unauthorised(kind: 'no-token' | 'dead-token'): Refusal {
  return new Refusal(kind, 'Invalid or expired API token');
}
