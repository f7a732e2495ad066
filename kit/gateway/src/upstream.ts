/**
 * Follows the listing of a feed at the upstream. As long as the listing keeps its tag, that takes one conditional
 * request. When it has changed, the reader of the client reads its months separately: each month has the time of its
 * last write, and one that kept its tag is not read again. What a feed hides never leaves that reader.
 */

import { type Shift, type ShiftFilter, todayIn } from '@shiftfeed/client';
import { makeRangeReader, openAccount, type RangeReader, type Stretch } from '@shiftfeed/client/reader';
import { addDays, dateAfter, firstOfMonth, formatDate, readDate } from '@shiftfeed/common/days';
import type { FeedConfig } from './config.ts';
import {
  byTime,
  firstStartFor,
  isPublic,
  type PublicShift,
  publicShift,
  type Window,
  windowOf,
} from './projection.ts';
import { isNamedZone } from './read-config.ts';

export interface Reading {
  readonly timeZone: string;
  /** The days that were read: one more than visitors may see today. */
  readonly window: Window;
  readonly shifts: readonly PublicShift[];
  readonly people: People;
  /** When each month, such as "2027-03", was last written to, as far as the upstream says it. */
  readonly modifiedMs: Readonly<Record<string, number>>;
  /**
   * The shifts changed so often while they were read that two states of them may meet here. None is there twice, but
   * one that was moved to another day meanwhile may be missing, and one that was removed may be there.
   */
  readonly isMixed: boolean;
}

/**
 * Who works each shift, by its id, or an empty text for nobody. Only feeds with personal links have them, apart from what
 * visitors see.
 */
export type People = Readonly<Record<number, string>>;

/** Reads a feed. Rejects with an error of the client, or with `NoTimeZone`. */
export type ReadFeed = (nowMs: number) => Promise<Reading>;

/** The listing of a feed at the upstream. */
export interface Upstream {
  readonly read: ReadFeed;
  /** Gives something whenever the listing may be another. Throws NoStream where the upstream has no streams. */
  hear(signal: AbortSignal): AsyncGenerator<string, void>;
  /** Names the days that are asked for now. */
  days(): string;
}

export interface UpstreamOptions {
  readonly url: string;
  /** A function is asked before every reading, so that a token can be replaced while the gateway runs. */
  readonly token: string | (() => string | Promise<string>);
  readonly timeZone: string | undefined;
  readonly maxCopyBytes: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock?: () => number;
}

/** Neither the configuration nor the upstream says in which zone the times are meant. */
export class NoTimeZone extends Error {}

/** How long one request may take, and how long all of them. */
const REQUEST_LIMIT_MS = 10_000;
const READING_LIMIT_MS = 60_000;
/**
 * A reading sends a request for each month at once, which may exceed a rate limit of the upstream. Each request then
 * waits until it is admitted, within the time limit of the whole reading.
 */
const PATIENCE = { retries: 30, maxWaitMs: 15_000 };
/** Of the request that begins a reading. When it fails, whoever keeps the copy decides when to ask again. */
const NO_RETRIES = 0;

/** Opens listings, and remembers what the upstream said, so that the next request can be conditional. */
type Account = ReturnType<typeof openAccount>;

export function openUpstream(options: UpstreamOptions): (feed: FeedConfig) => Upstream {
  const { url, maxCopyBytes, fetch } = options;
  let account: Account | undefined;
  let tokenOfAccount: string | undefined;

  async function accountOfToken(): Promise<Account> {
    const token = typeof options.token === 'string' ? options.token : await options.token();
    if (account === undefined || token !== tokenOfAccount) {
      account = openAccount({
        url,
        token,
        timeoutMs: REQUEST_LIMIT_MS,
        maxResponseBytes: maxCopyBytes,
        memoryBytes: maxCopyBytes,
        // The size in bytes is what is limited.
        maxCollectedShifts: maxCopyBytes,
        ...PATIENCE,
        ...(fetch === undefined ? {} : { fetch }),
      });
      tokenOfAccount = token;
    }
    return account;
  }

  return (feed) => followFeed(feed, options, accountOfToken);
}

/** What may be known of a shift: what is public, and, apart from that, who works it. */
interface KeptShift {
  readonly id: number;
  readonly date: string;
  readonly shown: PublicShift;
  readonly person: string | undefined;
}

/** What is read on one day and with one token can be compared with what was read before. */
interface LastReading {
  readonly account: Account;
  readonly day: string;
  readonly reader: RangeReader<KeptShift>;
  /** The tag of the listing, if all of it is of that state. */
  readonly listing?: string | undefined;
  readonly reading?: Reading;
}

function followFeed(
  feed: FeedConfig,
  options: UpstreamOptions,
  accountOfToken: () => Promise<Account>,
): Upstream {
  const { clock = Date.now } = options;
  let last: LastReading | undefined;

  async function read(nowMs: number): Promise<Reading> {
    const account = await accountOfToken();
    const asked = windowToAsk(feed, options.timeZone, nowMs);
    const signal = AbortSignal.timeout(READING_LIMIT_MS);
    const source = account(filterOf(feed, asked), signal);
    const first = await source.page(1, NO_RETRIES);

    const timeZone = options.timeZone ?? first.timeZone;
    if (timeZone === undefined || !isNamedZone(timeZone)) throw new NoTimeZone('The time zone is unknown.');
    const today = todayIn(timeZone, new Date(nowMs));
    const window = windowOfCopy(feed, today);
    const day = `${timeZone} ${today} ${asked.from}`;
    if (last?.account !== account || last.day !== day) {
      const project = projectionOf(feed, window, today);
      last = { account, day, reader: makeRangeReader(monthsOf(asked), project, options.maxCopyBytes) };
    }
    const { reader, listing: knownListing, reading: known } = last;
    if (known !== undefined && knownListing !== undefined && knownListing === first.listing) return known;

    const { stretches, listing, isMixed } = await reader(source, first, signal);
    const reading = { timeZone, window, ...joined(stretches, feed), isMixed };
    last = { account, day, reader, listing, reading };
    return reading;
  }

  const windowNow = () => windowToAsk(feed, options.timeZone, clock());
  return {
    read,
    async *hear(signal) {
      const account = await accountOfToken();
      yield* account(filterOf(feed, windowNow()), signal).tags(undefined);
    },
    days: () => windowNow().from,
  };
}

function projectionOf(feed: FeedConfig, window: Window, today: string) {
  return (shifts: readonly Shift[]): KeptShift[] =>
    shifts
      .filter((shift) => isPublic(shift, feed, window, today))
      .map((shift) => ({
        id: shift.id,
        date: shift.date,
        shown: publicShift(shift, feed),
        person: feed.isPersonal ? (shift.person?.name ?? '') : undefined,
      }));
}

/** A shift that was moved meanwhile may be in two stretches: the one that was read later is right. */
function joined(
  stretches: readonly Stretch<KeptShift>[],
  feed: FeedConfig,
): Pick<Reading, 'shifts' | 'people' | 'modifiedMs'> {
  // Two events with one UID would be one event in a calendar.
  const latest = new Map(stretches.flatMap((stretch) => stretch.shifts.map((shift) => [shift.id, shift])));
  const kept = stretches
    .toSorted((a, b) => (a.days.date_from < b.days.date_from ? -1 : 1))
    .flatMap((stretch) => stretch.shifts)
    .filter((shift) => latest.get(shift.id) === shift);
  const shifts = kept.map(({ shown }) => shown);
  return {
    // An account may sort by group: where groups are not shown, that order would tell which shifts are of the same one.
    shifts: feed.show.has('group') ? shifts : shifts.sort(byTime),
    people: Object.fromEntries(
      kept.flatMap(({ id, person }) => (person === undefined ? [] : [[id, person]])),
    ),
    modifiedMs: modifiedMsOf(stretches),
  };
}

function modifiedMsOf(stretches: readonly Stretch<KeptShift>[]): Readonly<Record<string, number>> {
  const modifiedMs: Record<string, number> = {};
  for (const { days, lastModifiedMs } of stretches) {
    const month = monthOf(days.date_from);
    // What was written to a month while its stretches were read is told by the next reading, for all of its shifts.
    if (lastModifiedMs !== undefined)
      modifiedMs[month] = Math.min(lastModifiedMs, modifiedMs[month] ?? Infinity);
  }
  return modifiedMs;
}

/** Such as "2027-03". */
export function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** The days of each month among some days. */
function monthsOf({ from, to }: Window) {
  const months = [];
  for (let first = from; first <= to; ) {
    const next = firstOfMonth(readDate(first), 1);
    const last = formatDate(addDays(next, -1));
    months.push({ date_from: first, date_to: last < to ? last : to });
    first = formatDate(next);
  }
  return months;
}

/**
 * The days on which shifts begin that are on in the window of the copy. Where only the upstream knows the zone, the date
 * is not known before it answers. But no zone is further than a day from UTC.
 */
function windowToAsk(feed: FeedConfig, timeZone: string | undefined, nowMs: number): Window {
  const window = windowOfCopy(feed, todayIn(timeZone ?? 'UTC', new Date(nowMs)));
  const from = firstStartFor(window);
  return timeZone === undefined
    ? { from: dateAfter(from, -1), to: dateAfter(window.to, 1) }
    : { from, to: window.to };
}

/**
 * A day more than is shown, because a copy may be shown until the next day. Else a feed of one day would be empty after
 * midnight.
 */
function windowOfCopy(feed: FeedConfig, today: string): Window {
  const { from, to } = windowOf(feed, today);
  return { from, to: dateAfter(to, 1) };
}

function filterOf({ groupIds, showsUnpublished }: FeedConfig, { from, to }: Window): ShiftFilter {
  return {
    date_from: from,
    date_to: to,
    ...(groupIds !== 'all' && { group_ids: [...groupIds] }),
    ...(showsUnpublished && { published: false }),
  };
}
