/** The shifts that the calendar holds: where it gets more of them, and when it asks again by itself. */

import type { DayRange } from '@shiftfeed/common/calendar/range';
import { formatDate } from '@shiftfeed/common/days';
import { readAnswer, type SourceAnswer } from './answer.ts';
import { covers, type Holding, holdAnswer, startsToAsk } from './holding.ts';
import { Mistake, mistakeByStatus, mistakeByType, tellMistake, whatToCheck } from './mistakes.ts';

export class Supply {
  /** `error`: there is nothing to show. `stale`: what is shown could not be brought up to date. */
  trouble: 'none' | 'error' | 'stale' = 'none';
  /** When the source was last asked. */
  attemptedMs = Number.NEGATIVE_INFINITY;
  /** How many answers in a row were none. */
  failures = 0;
  holding: Holding | undefined;
  /** All that is held was asked for again, and no such answer has come yet, even if what asked was given up since. */
  isOutdated = false;
  #loading: AbortController | undefined;

  isHeld(wanted: DayRange): boolean {
    return this.holding !== undefined && covers(this.holding.range, wanted);
  }

  isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /**
   * Asks for as many days as it takes to show those that are wanted. Whatever was asked before is given up. When it fails,
   * trouble depends on the days that are seen then.
   */
  async load(
    { source, groupIds: text }: { readonly source: ShiftSource; readonly groupIds: string | null },
    wanted: DayRange,
    seen: () => DayRange,
  ): Promise<'answered' | 'failed' | 'given up'> {
    this.giveUp();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    const asked = startsToAsk(this.isOutdated ? undefined : this.holding, wanted);
    this.attemptedMs = Date.now();
    if (this.trouble === 'error') this.trouble = 'none';
    try {
      const groupIds = readGroupIds(text);
      const dates = { from: formatDate(asked.from), to: formatDate(asked.to) };
      const given = await askSource(source, { ...dates, groupIds, signal });
      if (signal.aborted) return 'given up';
      this.holding = holdAnswer(this.holding, readAnswer(given, groupIds), asked, wanted, Date.now());
      if (covers(asked, wanted)) this.isOutdated = false;
      this.trouble = 'none';
      this.failures = 0;
      this.#loading = undefined;
      return 'answered';
    } catch (error) {
      if (signal.aborted) return 'given up';
      this.trouble = this.isHeld(seen()) ? 'stale' : 'error';
      this.failures++;
      this.#loading = undefined;
      tellFailure(error, this.holding !== undefined);
      return 'failed';
    }
  }

  giveUp(): void {
    this.#loading?.abort();
    this.#loading = undefined;
  }

  /** Lets go of all shifts. */
  forget(): void {
    this.giveUp();
    this.holding = undefined;
    this.isOutdated = false;
    this.trouble = 'none';
    this.failures = 0;
  }
}

export interface SourceRequest {
  /** The first and the last date to look at, such as 2026-11-15. */
  readonly from: string;
  readonly to: string;
  /** Only these groups, if there are any. Shifts of others are not shown, whether the source heeds this or not. */
  readonly groupIds: readonly number[];
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type ShiftSource = (request: SourceRequest) => SourceAnswer | Promise<SourceAnswer>;

/** Asks a gateway, at the address of a feed's shifts. A calendar that is live asks past the browser's cache. */
export function sourceAt(src: string, isLive: boolean): ShiftSource {
  return async ({ from, to, groupIds, signal }) => {
    const url = new URL(src, document.baseURI);
    // An address that names days shows no others.
    const { date_from: first = from, date_to: last = to } = Object.fromEntries(url.searchParams);
    url.searchParams.set('date_from', first > from ? first : from);
    url.searchParams.set('date_to', last < to ? last : to);
    if (groupIds.length > 0) url.searchParams.set('group_ids', groupIds.join());
    const cache = isLive ? 'no-cache' : 'default';
    const headers = { accept: 'application/json' };
    const response = await fetch(url, { signal, cache, headers }).catch((cause) => {
      throw new Unanswered(whatToCheck(url, location.origin), { cause });
    });
    if (!response.ok) throw mistakeByStatus(response.status) ?? new Unanswered();
    const age_seconds = Number(response.headers.get('shiftfeed-age'));
    const body = await response.json().catch((error) => {
      throw error instanceof SyntaxError ? mistakeByType(response) : new Unanswered();
    });
    return { ...body, age_seconds };
  };
}

/** A network or a server is in trouble, or else it is what the message says. */
class Unanswered extends Error {}

/** That something is away which has worked is no news to whoever wrote the page. */
function tellFailure(error: unknown, hasWorked: boolean): void {
  if (error instanceof Mistake) tellMistake(error.message);
  else if (!(error instanceof Unanswered)) tellMistake('source failed:', error);
  else if (!hasWorked && navigator.onLine && error.message !== '') tellMistake(error.message);
}

/** How long to wait for an answer. */
const TIMEOUT_MS = 30_000;

/** Rejects as soon as `signal` is aborted or time is up, whether the source heeds that or not. */
async function askSource(source: ShiftSource, request: SourceRequest): Promise<unknown> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    const late = new Unanswered(`There was no answer within ${TIMEOUT_MS / 1000} seconds.`);
    signal.addEventListener('abort', () => reject(late), { once: true });
    if (typeof source !== 'function') throw new Mistake('source is not a function.');
    Promise.resolve(source({ ...request, signal })).then(resolve, reject);
  });
}

/** Anything but ids is an error: a page with a broken template must not show more groups than it was meant to. */
function readGroupIds(text: string | null): number[] {
  if (text === null) return [];
  const ids = text.trim().split(/\s*[,\s]\s*/);
  if (!ids.every((id) => /^\d+$/.test(id))) {
    throw new Mistake(`group-ids is "${text}": expected ids of groups, such as "1,4".`);
  }
  return ids.map(Number);
}

/** Shows what is held as it is now, or asks again, when it is time: until the function that it gives is called. */
export type Rhythm = (supply: Supply, calendar: { show(): void; refresh(): Promise<void> }) => () => void;

/** A tab that is seen again is brought up to date when its shifts are older than this. */
const FRESH_MS = 60_000;
/** A tab that stays in sight is brought up to date this often. */
const REFRESH_MS = 10 * 60_000;

/** For somebody who reads, and may come back to the tab. */
export const readersRhythm: Rhythm = (supply, { refresh }) =>
  untilEnded(REFRESH_MS, () => {
    const isOld = Date.now() - (supply.holding?.loadedMs ?? 0) >= FRESH_MS;
    if (!document.hidden && !supply.isLoading() && isOld) void refresh();
  });

/** Calls a function when the tab is seen, when the network is back, and every so often. */
export function untilEnded(everyMs: number, call: (event?: Event) => void): () => void {
  const timer = setInterval(call, everyMs);
  document.addEventListener('visibilitychange', call);
  window.addEventListener('online', call);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', call);
    window.removeEventListener('online', call);
  };
}
