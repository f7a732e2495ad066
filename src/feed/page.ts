/**
 * A page of a listing: what a query means for an account at one revision. Days, stamps and tags need no shifts. Its bytes
 * are cut from months in memory.
 */

import { hash } from 'node:crypto';
import type { Day, Month } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { todayIn } from '@shiftfeed/common/zone';
import { ALL_DAYS, type DayMask, includesDays } from '../listing/day-mask.ts';
import type { Query } from '../listing/filter.ts';
import type { DayStarts } from '../listing/month.ts';
import { type CountedMonth, cutPage, layOutPage, type PageLayout, type ReadyPart } from '../listing/page.ts';
import { planMonths } from '../listing/plan.ts';
import { type View, viewKey, viewOf } from '../listing/view.ts';
import type { Account } from '../store/account.ts';
import { type CachedMonth, isWhole, type MonthCache } from './months.ts';

/** An account at one revision: its settings, and the stamp of each month. It holds no shifts. */
export interface AccountAtRevision {
  readonly account: Account;
  readonly history: string;
  readonly revision: number;
  /** Ascending. */
  readonly months: readonly Month[];
  readonly stamps: ReadonlyMap<Month, number>;
  /** It has too many months to be listed, so they are left out. */
  readonly isTooLarge: boolean;
}

export interface Page {
  readonly of: AccountAtRevision;
  readonly query: Query;
  readonly today: Day;
  /** Identifies the rows of a month that the query wants. */
  readonly viewKey: string;
  readonly months: readonly TouchedMonth[];
  /** Of the listing: equal tags mean equal shifts in the same order, over all its pages. */
  readonly listingTag: string;
  /** Of the page: equal tags mean equal bytes. Each encoding has its own, as RFC 9110 demands. */
  readonly tags: Readonly<Record<Encoding, string>>;
  /** When the months that it touches were last written to, in HTTP's format; undefined if they never were. */
  lastModified(nowMs: number): string | undefined;
  /** Returns undefined when `find` lacks something that the page needs. */
  cut(find: FindMonth, cache: MonthCache): CutPage | undefined;
  /** Where the days of a month start, if that can be told from what is in memory of it. */
  dayStartsOf(cached: CachedMonth, cache: MonthCache): DayStarts | undefined;
}

export type Encoding = 'identity' | 'zstd' | 'br' | 'gzip';

export interface TouchedMonth {
  readonly month: Month;
  readonly days: DayMask;
  readonly stamp: number;
}

/** Finds a month at its stamp, in the cache or in what was just loaded. */
export type FindMonth = (month: Month) => CachedMonth | undefined;

/** A page with its rows. */
export interface CutPage {
  readonly page: Page;
  readonly layout: PageLayout;
  /** The shifts as JSON, separated by commas: concatenated, the inside of an array. */
  slices(): readonly Uint8Array[];
  /** How old the page is, if a later state was noticed and could not be loaded. */
  readonly staleMs?: number | undefined;
}

export function makePage(of: AccountAtRevision, query: Query, today: Day): Page {
  const { account, stamps } = of;
  const key = viewKey(query.rows, today);
  const months = planMonths(query.dates, today, of.months).map(
    ({ month, days }): TouchedMonth => ({ month, days, stamp: stamps.get(month) as number }),
  );
  const listingTag = listingTagOf(account.id, months, key);
  const lastWrite = lastWriteOf(months);
  /** Depends on nothing but this page, so it is laid out once. */
  let layout: PageLayout | undefined;

  const viewIn = (cached: CachedMonth, cache: MonthCache): View | undefined =>
    cache.view(account.id, cached, key, (block) => viewOf(block, query.rows, today));

  function dayStartsOf(cached: CachedMonth, cache: MonthCache): DayStarts | undefined {
    return isWhole(cached.block) ? viewIn(cached, cache)?.dayStarts : cached.dayStarts.get(key);
  }

  function layOut(find: FindMonth, cache: MonthCache): PageLayout | undefined {
    const counted: CountedMonth[] = [];
    for (const { month, days } of months) {
      const cached = find(month);
      const dayStarts = cached && dayStartsOf(cached, cache);
      if (dayStarts === undefined) return undefined;
      counted.push({ month, days, dayStarts });
    }
    return layOutPage(counted, query.paging);
  }

  const page: Page = {
    of,
    query,
    today,
    viewKey: key,
    months,
    listingTag,
    tags: tagsOf(`${listingTag}-${query.paging.page}-${query.paging.perPage}`),
    lastModified(nowMs) {
      // The clock of the database may be ahead, but no header names a time in the future (RFC 9110, 8.8.2.1).
      return lastWrite && (lastWrite.ms > nowMs ? new Date(nowMs).toUTCString() : lastWrite.text);
    },
    dayStartsOf,
    cut(find, cache) {
      layout ??= layOut(find, cache);
      if (layout === undefined) return undefined;
      const ready: ReadyPart[] = [];
      for (const part of layout.parts) {
        const cached = find(part.month);
        const view = cached && viewIn(cached, cache);
        const { block } = cached ?? {};
        if (!block || !view) return undefined;
        if (block.days !== ALL_DAYS && !includesDays(block.days, part.days)) return undefined;
        ready.push({ ...part, block, view });
      }
      return { page, layout, slices: () => cutPage(ready) };
    },
  };
  return page;
}

/** An estimate of its memory, with the layout that it will have. */
export function sizeOfPage({ months, viewKey }: Page): number {
  return 2048 + 72 * months.length + 2 * viewKey.length;
}

/** Increase it when the encoding of shifts changes. */
const FORMAT = 1;

/**
 * Derived from the months that the query touches and their stamps, so a change elsewhere in the account does not affect
 * it. It does not depend on the token. `key` represents the conditions on rows, and today where that matters.
 */
function listingTagOf(accountId: number, months: readonly TouchedMonth[], key: string): string {
  const touched = months.map(({ month, days, stamp }) => `${month}.${days}.${stamp}`).join(',');
  return hash('sha1', `${FORMAT};${accountId};${touched};${key}`, 'base64url');
}

export function tagsOf(tag: string): Page['tags'] {
  return { identity: `"${tag}"`, zstd: `"${tag}-zstd"`, br: `"${tag}-br"`, gzip: `"${tag}-gzip"` };
}

/** The time of the latest stamp; stamps count microseconds. Its HTTP format takes microseconds to write. */
function lastWriteOf(months: readonly TouchedMonth[]): { ms: number; text: string } | undefined {
  if (months.length === 0) return undefined;
  const ms = months.reduce((last, { stamp }) => Math.max(last, stamp), 0) / 1000;
  return { ms, text: new Date(ms).toUTCString() };
}

/** The current date of an account. Another program may have written a zone to the database that does not exist. */
export function todayOf({ slug, timeZone }: Pick<Account, 'slug' | 'timeZone'>, nowMs: number): Day {
  try {
    return todayIn(timeZone, nowMs);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(
      `The account ${slug} has the time zone ${quote(timeZone)}, which does not exist: ` +
        `"shiftfeed account set ${slug} --time-zone …" changes it.`,
    );
  }
}
