/**
 * Who may read, and which page they get.
 *
 *   token + account ──open──▶ access ──snapshot.page──▶ page ──fromMemory or load──▶ cut page
 *
 * `open` asks the database whether the token is live and what changed in the account, in one query with all other
 * waiting requests. A page needs no shifts. It is cut from months in memory, or what is missing is loaded.
 */

import { quote } from '@shiftfeed/common/quote';
import { isAway, type StoreFailure } from '../store/failure.ts';
import type { FeedStore } from '../store/feed-store.ts';
import { type Access, type FreshnessCheck, makeFreshnessCheck } from './access/freshness.ts';
import { type LoadMissing, makeLoadMissing } from './loading/load-missing.ts';
import type { Loader } from './loading/loader.ts';
import { makeMonthCache } from './months.ts';
import { type CutPage, makePage, type Page, todayOf } from './page.ts';
import { Refusal } from './refusal.ts';
import { type Clock, EVENT_LOOP, type Timers } from './waiting.ts';
import { makeWatch, type OpenAgain, type Watch } from './watching.ts';

export interface Feed {
  /** Checks a token by its hash. Throws a Refusal unless it is live for this account. */
  open(tokenHash: string | undefined, slug: string): Promise<Access>;
  /** Returns undefined when something of the page is not in memory. */
  fromMemory(page: Page): CutPage | undefined;
  /**
   * Loads what is missing. The result may be the same page of a newer snapshot; or of an earlier one, while the database
   * is unavailable.
   */
  load(page: Page, access: Pick<Access, 'nowMs' | 'staleMs'>): Promise<CutPage>;
  /** Tells of every change of a listing, until the token is not live any more. */
  readonly watch: Watch;
  /** Throws when no listing can be answered at the moment. */
  checkHealth(): Promise<void>;
  /** Whether this memory of a page belongs to a month that is cached anyway. */
  isCached(buffer: ArrayBufferLike): boolean;
  counts(): FeedCounts;
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
  /** Called when accounts begin to be listed without the database, with the reason, and when it has answered again. */
  readonly onBridging?: TellBridging;
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
export const PAGES_SHARE_OF_BUDGET = 1 / 16;

export function makeFeed(options: FeedOptions): Feed {
  const { loader, cacheBudgetBytes, eagerRows = DEFAULT_EAGER_ROWS } = options;
  const snapshotsBytes = Math.ceil(cacheBudgetBytes * SNAPSHOTS_SHARE_OF_BUDGET);
  const pagesBytes = Math.ceil(cacheBudgetBytes * PAGES_SHARE_OF_BUDGET);
  const monthsBytes = cacheBudgetBytes - snapshotsBytes - pagesBytes;
  const counted = { monthsFound: 0, monthsLoaded: 0, loadErrors: 0 };

  const cache = makeMonthCache(monthsBytes);
  const bridging = followBridging(options.onBridging);
  const freshness = makeFreshnessCheck({
    ...options,
    budgetBytes: snapshotsBytes,
    pagesBudgetBytes: pagesBytes,
    deadlineMs: options.freshnessDeadlineMs ?? DEFAULT_FRESHNESS_DEADLINE_MS,
    onReplaced: cache.drop,
    onChanged: (snapshot) => loadMissing.renew(snapshot),
    onBridging: (reason) => bridging('questions', reason),
  });
  const loadMissing = makeLoadMissing({
    ...options,
    load: (request) =>
      loader.load(request).catch((error: unknown) => {
        counted.loadErrors++;
        throw error;
      }),
    cache,
    budgetBytes: monthsBytes,
    eagerRows,
    keepState: freshness.keep,
    onWhole: (of) => freshness.whole?.(of),
    onLoaded(blocks) {
      counted.monthsLoaded += blocks;
      bridging('loads', undefined);
    },
  });

  const cutFromMemory = ({ of, cut }: Page) =>
    cut((month) => cache.find(of.account.id, month, of.stamps.get(month)), cache);

  return {
    open: makeOpen(freshness.check, options),
    watch: makeWatch(makeOpen(freshness.checkAside, options), options.clock, options.timers ?? EVENT_LOOP),
    fromMemory(page) {
      const found = cutFromMemory(page);
      if (found === undefined) return undefined;
      counted.monthsFound += page.months.length;
      freshness.shown?.(page);
      return found;
    },
    load: makeBridgedLoad(loadMissing.load, cutFromMemory, freshness, (reason) => bridging('loads', reason)),
    checkHealth: freshness.checkHealth,
    isCached: cache.isCached,
    counts() {
      const { queries, failures } = freshness.counts();
      const { loadErrors, ...months } = counted;
      const databaseErrors = failures + loadErrors;
      return { ...months, freshnessQueries: queries, databaseErrors, cachedBytes: cache.bytes() };
    },
  };
}

/**
 * Loads what a page lacks. If a change was noticed but cannot be loaded, because the database went away meanwhile, the
 * last state that was whole is shown.
 */
function makeBridgedLoad(
  loadMissing: LoadMissing['load'],
  cutFromMemory: (page: Page) => CutPage | undefined,
  freshness: FreshnessCheck,
  onBridging: TellBridging,
): Feed['load'] {
  return async (page, { nowMs, staleMs }) => {
    const bridge = (): CutPage | undefined => {
      const last = freshness.lastWhole?.(page.of);
      const found = last && cutFromMemory(makePage(last.of, page.query, todayOf(last.of.account, nowMs)));
      return found && { ...found, staleMs: Math.max(last.staleMs, staleMs ?? 0) };
    };
    const known = staleMs === undefined ? undefined : bridge();
    if (known !== undefined) return known;
    try {
      const loaded = await loadMissing(page, nowMs);
      freshness.shown?.(loaded.page);
      return loaded;
    } catch (error) {
      if (!isAway(error)) throw error;
      const found = bridge();
      if (found === undefined) throw error;
      onBridging(error);
      return found;
    }
  };
}

type TellBridging = (reason: StoreFailure | undefined) => void;

/** Tells of the first thing that the database does not do, and when it does everything again. */
function followBridging(tell: TellBridging = () => undefined) {
  const failing = { questions: false, loads: false };
  return (what: keyof typeof failing, reason: StoreFailure | undefined) => {
    const wasFailing = failing.questions || failing.loads;
    failing[what] = reason !== undefined;
    if ((failing.questions || failing.loads) !== wasFailing) tell(reason);
  };
}

// Made once: of whoever overloads a server without a token, a stack would take more time than all the rest.
const NO_TOKEN = new Refusal('no-token', 'Invalid or expired API token');
const DEAD_TOKEN = new Refusal('dead-token', 'Invalid or expired API token');

function makeOpen(check: FreshnessCheck['checkAside'], { clock, onUse }: FeedOptions): OpenAgain {
  return async (tokenHash, slug, seen) => {
    if (tokenHash === undefined) throw NO_TOKEN;
    const { token, snapshot, staleMs } = await check(tokenHash, slug, seen);
    const nowMs = clock();
    // It may have expired since the database answered, above all if the answer is repeated.
    const isLive = token !== undefined && (token.expiresAtMs === null || nowMs < token.expiresAtMs);
    if (!isLive) throw DEAD_TOKEN;
    if (snapshot === undefined) throw new Refusal('unknown-account', `There is no account ${quote(slug)}.`);
    if (snapshot.account.id !== token.accountId) throw DEAD_TOKEN;
    onUse?.(tokenHash);
    const { id: tokenId, expiresAtMs } = token;
    return { tokenHash, tokenId, expiresAtMs, snapshot, staleMs, nowMs };
  };
}
