/**
 * Follows the listing of a feed at the upstream. As long as the listing keeps its tag, that takes one conditional
 * request. When it has changed, its months are read separately: each month has the time of its last write, and one that
 * kept its tag is not read again.
 */

import { type ShiftFilter, ShiftfeedClient, type ShiftPage, todayIn } from '@shiftfeed/client';
import { dateAfter } from '@shiftfeed/common/dates';
import type { FeedConfig } from './config.ts';
import { isNamedZone } from './named-zone.ts';
import { type Part, type People, partOfPage, type ReadParts, readPartsOf } from './parts.ts';
import { firstStartFor, type PublicShift, type Window, windowOf } from './projection.ts';
import { monthOf, monthsOf } from './windows.ts';

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

export interface Upstream {
  /** What reads a feed. Rejects with an error of the client, or with one of those below. */
  follow(feed: FeedConfig): (nowMs: number) => Promise<Reading>;
}

export interface UpstreamOptions {
  readonly url: string;
  /** Asked before every reading, so that a token can be replaced while the gateway runs. */
  readonly token: () => string | Promise<string>;
  readonly timeZone: string | undefined;
  readonly maxCopyBytes: number;
  readonly clock: () => number;
  readonly fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Neither the configuration nor the upstream says in which zone the times are meant. */
export class NoTimeZone extends Error {}

/** How long one request may take, and how long all of them. */
const REQUEST_LIMIT_MS = 10_000;
const READING_LIMIT_MS = 60_000;
/**
 * How often to begin anew when the shifts change while they are read. What takes longer than this is not begun again:
 * visitors wait for it.
 */
const MAX_ATTEMPTS = 3;
const ATTEMPTS_LIMIT_MS = 5_000;

/**
 * A reading sends a request for each month at once, which may exceed a rate limit of the upstream. Each request then
 * waits until it is admitted, within the time limit of the whole reading.
 */
const PATIENCE = { retries: 30, maxWaitMs: 15_000 };

/** They remember what the upstream said, so that the next request can be conditional. */
interface Clients {
  /** Begins a reading. When that fails, whoever keeps the copy decides when to ask again. */
  readonly first: ShiftfeedClient;
  /** Asks for all the rest. */
  readonly rest: ShiftfeedClient;
}

export function openUpstream(options: UpstreamOptions): Upstream {
  const { url, maxCopyBytes, fetch } = options;
  let clients: Clients | undefined;
  let tokenOfClients: string | undefined;

  async function clientsOfToken(): Promise<Clients> {
    const token = await options.token();
    if (clients === undefined || token !== tokenOfClients) {
      const shared = {
        url,
        token,
        timeoutMs: REQUEST_LIMIT_MS,
        maxResponseBytes: maxCopyBytes,
        memoryBytes: maxCopyBytes,
        ...(fetch === undefined ? {} : { fetch }),
      };
      clients = {
        first: new ShiftfeedClient({ ...shared, retries: 0 }),
        rest: new ShiftfeedClient({ ...shared, ...PATIENCE }),
      };
      tokenOfClients = token;
    }
    return clients;
  }

  return { follow: (feed) => followFeed(feed, options, clientsOfToken) };
}

/** What the last reading found, for as long as it can be compared with. */
interface Known {
  readonly clients: Clients;
  readonly timeZone: string;
  readonly today: string;
  /** The tag of the listing, if all of it is of that state. */
  readonly listing: string | undefined;
  readonly parts: readonly Part[];
  readonly reading: Reading;
}

function followFeed(
  feed: FeedConfig,
  options: UpstreamOptions,
  clientsOfToken: () => Promise<Clients>,
): (nowMs: number) => Promise<Reading> {
  const { clock, maxCopyBytes } = options;
  let last: Known | undefined;

  return async (nowMs) => {
    const clients = await clientsOfToken();
    const signal = AbortSignal.timeout(READING_LIMIT_MS);
    const asked = windowToAsk(feed, options.timeZone, nowMs);
    const askFirstPage = (client: ShiftfeedClient) =>
      client.list(filterOf(feed, startsFor(asked)), { signal });

    const firstPage = await askFirstPage(clients.first);
    const timeZone = options.timeZone ?? firstPage.timeZone;
    if (timeZone === undefined || !isNamedZone(timeZone)) throw new NoTimeZone('The time zone is unknown.');
    const today = todayIn(timeZone, new Date(nowMs));
    const window = windowOfCopy(feed, today);
    const known =
      last?.clients === clients && last.timeZone === timeZone && last.today === today ? last : undefined;
    if (known?.listing !== undefined && known.listing === firstPage.listing) return known.reading;

    const scope = { feed, window, today, maxBytes: maxCopyBytes };
    const readParts = readPartsOf(scope, (days, onChange) =>
      clients.rest.pages(filterOf(feed, days), { signal, onChange }),
    );
    const { parts, listing, isMixed } =
      firstPage.listing === undefined && firstPage.meta.total_pages <= 1
        ? { parts: [partOfPage(scope, firstPage)], listing: undefined, isMixed: false }
        : await readState(
            firstPage,
            () => askFirstPage(clients.rest),
            readParts,
            startsFor(window),
            known?.parts ?? [],
            clock,
          );
    const reading = { timeZone, window, ...joined(parts), isMixed };
    last = { clients, timeZone, today, listing, parts, reading };
    return reading;
  };
}

interface State {
  readonly parts: readonly Part[];
  /** The tag of the state that they are of, if they are of one and the upstream names it. */
  readonly listing: string | undefined;
  readonly isMixed: boolean;
}

/** All parts of one state, if there is one that lasts long enough. */
async function readState(
  firstPage: ShiftPage,
  askFirstPage: () => Promise<ShiftPage>,
  readParts: ReadParts,
  starts: Window,
  known: readonly Part[],
  clock: () => number,
): Promise<State> {
  const startedMs = clock();
  const ranges = firstPage.listing === undefined ? [starts] : monthsOf(starts);
  let { listing } = firstPage;
  let parts = known;
  for (let attempt = 1; ; attempt++) {
    parts = await readParts(ranges, parts);
    const listingAfter = listing === undefined ? undefined : (await askFirstPage()).listing;
    const isOneState = listing === undefined ? parts.length === ranges.length : listing === listingAfter;
    if (isOneState) return { parts, listing, isMixed: false };
    if (attempt === MAX_ATTEMPTS || clock() - startedMs > ATTEMPTS_LIMIT_MS) {
      return { parts, listing: undefined, isMixed: true };
    }
    listing = listingAfter;
  }
}

/** A shift that was moved meanwhile may be in two parts: the part that was read later is right. */
function joined(parts: readonly Part[]): Pick<Reading, 'shifts' | 'people' | 'modifiedMs'> {
  // Two events with one UID would be one event in a calendar.
  const latest = new Map(parts.flatMap((part) => part.shifts.map((shift) => [shift.id, shift])));
  const shifts = parts
    .toSorted((a, b) => (a.days.from < b.days.from ? -1 : 1))
    .flatMap((part) => part.shifts);
  const modifiedMs: Record<string, number> = {};
  for (const part of parts) {
    const month = monthOf(part.days.from);
    // What was written to a month while its parts were read is told by the next reading, for all of its shifts.
    if (part.modifiedMs !== undefined)
      modifiedMs[month] = Math.min(part.modifiedMs, modifiedMs[month] ?? Infinity);
  }
  return {
    shifts: shifts.filter((shift) => latest.get(shift.id) === shift),
    people: Object.assign({}, ...parts.map((part) => part.people)),
    modifiedMs,
  };
}

/**
 * Where only the upstream knows the zone, the date is not known before it answers. But no zone is further than a day
 * from UTC.
 */
function windowToAsk(feed: FeedConfig, timeZone: string | undefined, nowMs: number): Window {
  if (timeZone !== undefined) return windowOfCopy(feed, todayIn(timeZone, new Date(nowMs)));
  const { from, to } = windowOfCopy(feed, todayIn('UTC', new Date(nowMs)));
  return { from: dateAfter(from, -1), to: dateAfter(to, 1) };
}

/**
 * A day more than is shown, because a copy may be shown until the next day. Else a feed of one day would be empty after
 * midnight.
 */
function windowOfCopy(feed: FeedConfig, today: string): Window {
  const { from, to } = windowOf(feed, today);
  return { from, to: dateAfter(to, 1) };
}

/** The days on which shifts begin that are on in a window. */
function startsFor(window: Window): Window {
  return { from: firstStartFor(window), to: window.to };
}

function filterOf({ groupIds, showsUnpublished }: FeedConfig, { from, to }: Window): ShiftFilter {
  return {
    date_from: from,
    date_to: to,
    ...(groupIds !== 'all' && { group_ids: [...groupIds] }),
    ...(showsUnpublished && { published: false }),
  };
}
