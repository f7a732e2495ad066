/**
 * Who may read, and which page they get.
 *
 *   token + account ──authorize──▶ access ──list──▶ listing
 *
 * `authorize` asks the database whether the token is live and what changed in the account, in one query with all other
 * waiting requests. `list` prepares the page from months in memory, and loads what is missing.
 */

import type { Query } from '../listing/filter.ts';
import type { PageLayout } from '../listing/page.ts';
import { quote } from '../quote.ts';
import type { FeedStore } from '../store/feed-store.ts';
import type { AccountSnapshot } from './access/account-snapshot.ts';
import { type FreshnessCheck, makeFreshnessCheck } from './access/freshness.ts';
import { isLive } from './access/token.ts';
import { type MonthCache, makeMonthCache } from './cache/month-cache.ts';
import type { Clock, Timers } from './clock.ts';
import { makeLoadMissing } from './loading/load-missing.ts';
import type { Loader } from './loading/loader.ts';
import type { WriteTime } from './pages/listing-state.ts';
import { makePreparer, type PageRequest, type PreparedPage } from './pages/prepare.ts';
import { makeResolver, type ResolvedQuery } from './pages/resolved-query.ts';
import { Refusal } from './refusal.ts';

export interface Feed {
  /** Checks a token by its hash. Throws a Refusal unless it is live for this account. */
  authorize(tokenHash: string | undefined, slug: string): Promise<Access>;
  list(access: Access, query: Query): Promise<Listing>;
  /** The state of the listing that `list` would return right now. Needs no shifts. */
  state(access: Access, query: Query): ListingState;
  /** Throws when no listing can be answered at the moment. */
  checkHealth(): Promise<void>;
  /** Whether this memory of a listing belongs to a month that is cached anyway. */
  isCached(buffer: ArrayBufferLike): boolean;
  counts(): FeedCounts;
}

/** Proof that a live token of the account was shown, with the account's state at that moment. */
export interface Access {
  /** Both identify the token without revealing it; operators know it by its id. */
  readonly tokenHash: string;
  readonly tokenId: number;
  readonly snapshot: AccountSnapshot;
  /** The age of the snapshot, if the database could not be asked. */
  readonly staleMs: number | undefined;
}

/** The state of the data that a page shows. */
export interface ListingState {
  /** Of the page: equal tags mean equal bytes. */
  readonly entityTag: string;
  /** Of the listing: equal tags mean that all its pages show one state. */
  readonly listingTag: string;
  /** When the months that the query touches were last written to, in HTTP's format; undefined if they never were. */
  readonly lastModified: string | undefined;
  /** Of the account. */
  readonly revision: number;
  readonly timeZone: string;
}

export interface Listing extends ListingState {
  /** The same object for the same query, as long as the account and the day stay the same. */
  readonly layout: PageLayout;
  /** The shifts as JSON, separated by commas: concatenated, the inside of an array. */
  cut(): readonly Uint8Array[];
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
  readonly loader: Pick<Loader, 'load'>;
  readonly clock: Clock;
  /** By default those of the event loop. */
  readonly timers?: Timers;
  readonly cacheBudgetBytes: number;
  /** For how long accounts in memory are still listed while the database is unavailable. */
  readonly staleIfErrorMs: number;
  /** How long a request may wait to learn whether its token is live and what changed. */
  readonly freshnessDeadlineMs?: number;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows?: number;
  /** Called with the hash of each live token that a request shows. */
  readonly onUse?: (tokenHash: string) => void;
}

/** Requests are answered within two seconds, even if the database does not answer. */
const DEFAULT_FRESHNESS_DEADLINE_MS = 1_800;
/** This many are read in some hundredths of a second. */
const DEFAULT_EAGER_ROWS = 5_000;
/** The rest of the budget is for months. */
export const SNAPSHOTS_SHARE_OF_BUDGET = 1 / 16;
export const QUERIES_SHARE_OF_BUDGET = 1 / 16;

export function makeFeed(options: FeedOptions): Feed {
  const { loader, clock, cacheBudgetBytes, eagerRows = DEFAULT_EAGER_ROWS } = options;
  const snapshotsBytes = Math.ceil(cacheBudgetBytes * SNAPSHOTS_SHARE_OF_BUDGET);
  const queriesBytes = Math.ceil(cacheBudgetBytes * QUERIES_SHARE_OF_BUDGET);
  const monthsBytes = cacheBudgetBytes - snapshotsBytes - queriesBytes;
  const counted = { monthsFound: 0, monthsLoaded: 0, loadErrors: 0 };

  const cache = makeMonthCache(monthsBytes);
  const resolve = makeResolver(queriesBytes);
  const prepare = makePreparer(resolve, cache);
  const freshness = makeFreshnessCheck({
    ...options,
    budgetBytes: snapshotsBytes,
    deadlineMs: options.freshnessDeadlineMs ?? DEFAULT_FRESHNESS_DEADLINE_MS,
    onReplaced: cache.drop,
  });
  const loadMissing = makeLoadMissing({
    ...options,
    load: (request) =>
      loader.load(request).catch((error: unknown) => {
        counted.loadErrors++;
        throw error;
      }),
    cache,
    resolve,
    prepare,
    budgetBytes: monthsBytes,
    eagerRows,
    keepSnapshot: freshness.keep,
    onLoaded(blocks) {
      counted.monthsLoaded += blocks;
    },
  });

  function pageFromMemory(request: PageRequest): PreparedPage | undefined {
    const { account, stamps, isHuge } = request.snapshot;
    if (isHuge) return undefined;
    const page = prepare(request, (month) => cache.find(account.id, month, stamps.get(month)));
    counted.monthsFound += page?.resolved.months.length ?? 0;
    return page;
  }

  return {
    authorize: makeAuthorize(freshness, options),
    async list({ snapshot: asked }, query) {
      const request = { snapshot: asked, query, nowMs: clock() };
      const { snapshot, resolved, layout, cut } = pageFromMemory(request) ?? (await loadMissing(request));
      return { ...stateOf(snapshot, resolved, request.nowMs), layout, cut };
    },
    state({ snapshot }, query) {
      const nowMs = clock();
      return stateOf(snapshot, resolve(snapshot, query, nowMs), nowMs);
    },
    checkHealth: freshness.checkHealth,
    isCached: cache.isCached,
    counts: () => countsOf(counted, freshness, cache),
  };
}

function makeAuthorize(freshness: FreshnessCheck, { clock, onUse }: FeedOptions): Feed['authorize'] {
  return async (tokenHash, slug) => {
    if (tokenHash === undefined) throw unauthorised('no-token');
    const { token: found, snapshot, staleMs } = await freshness.check(tokenHash, slug);
    if (found === undefined || !isLive(found, clock())) throw unauthorised('dead-token');
    if (snapshot === undefined) throw new Refusal('unknown-account', `There is no account ${quote(slug)}.`);
    if (snapshot.account.id !== found.accountId) throw unauthorised('dead-token');
    onUse?.(tokenHash);
    return { tokenHash, tokenId: found.id, snapshot, staleMs };
  };
}

function countsOf(
  {
    monthsFound,
    monthsLoaded,
    loadErrors,
  }: Readonly<Record<'monthsFound' | 'monthsLoaded' | 'loadErrors', number>>,
  freshness: FreshnessCheck,
  cache: MonthCache,
): FeedCounts {
  const { queries, failures } = freshness.counts();
  return {
    freshnessQueries: queries,
    monthsFound,
    monthsLoaded,
    databaseErrors: failures + loadErrors,
    cachedBytes: cache.bytes(),
  };
}

function stateOf(
  { revision, account }: AccountSnapshot,
  { entityTag, listingTag, lastWrite }: ResolvedQuery,
  nowMs: number,
): ListingState {
  const lastModified = lastModifiedOf(lastWrite, nowMs);
  return { entityTag, listingTag, lastModified, revision, timeZone: account.timeZone };
}

/**
 * `Last-Modified` of an answer that is given now. The write was timed by the clock of the database, which may be ahead
 * of ours; but the header must not name a time in the future (RFC 9110, 8.8.2.1).
 */
function lastModifiedOf(lastWrite: WriteTime | undefined, nowMs: number): string | undefined {
  const isToCome = lastWrite !== undefined && lastWrite.ms > nowMs;
  return isToCome ? new Date(nowMs).toUTCString() : lastWrite?.text;
}

function unauthorised(kind: 'no-token' | 'dead-token'): Refusal {
  return new Refusal(kind, 'Invalid or expired API token');
}
