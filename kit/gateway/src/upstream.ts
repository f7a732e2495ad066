/** Reads what a feed may show from the upstream: one state of the data, within limits on its size and time. */

import {
  type Shift,
  type ShiftFilter,
  ShiftfeedChangedError,
  ShiftfeedClient,
  type ShiftPage,
  todayIn,
} from '@shiftfeed/client';
import type { FeedConfig } from './config.ts';
import { addDays, isTimeZone } from './dates.ts';
import {
  firstStartFor,
  isPublic,
  type PublicShift,
  publicOrder,
  publicShift,
  type Window,
  windowOf,
} from './projection.ts';

export interface Reading {
  readonly timeZone: string;
  /** The days that were read: one more than visitors may see today. */
  readonly window: Window;
  readonly shifts: readonly PublicShift[];
}

export interface Upstream {
  /** Rejects with an error of the client, or with one of those below. */
  read(feed: FeedConfig, nowMs: number): Promise<Reading>;
}

export interface UpstreamOptions {
  readonly url: string;
  /** Asked before every reading, so that a token can be replaced while the gateway runs. */
  readonly token: () => string | Promise<string>;
  readonly timeZone: string | undefined;
  readonly maxCopyBytes: number;
  readonly fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Neither the configuration nor the upstream says in which zone the times are meant. */
export class NoTimeZone extends Error {}

/** The shifts of a feed take more memory than they may. */
export class TooLarge extends Error {}

/** How long one request may take, and how long all of them. */
const REQUEST_LIMIT_MS = 10_000;
const READING_LIMIT_MS = 60_000;
/** How often to begin anew when the shifts change while their pages are read. */
const MAX_ATTEMPTS = 3;

export function openUpstream(options: UpstreamOptions): Upstream {
  const { url, maxCopyBytes, fetch } = options;
  let client: ShiftfeedClient | undefined;
  let tokenOfClient: string | undefined;

  /** One client remembers what the upstream said, so that the next request can be conditional. */
  async function clientOfToken(): Promise<ShiftfeedClient> {
    const token = await options.token();
    if (client === undefined || token !== tokenOfClient) {
      client = new ShiftfeedClient({
        url,
        token,
        timeoutMs: REQUEST_LIMIT_MS,
        // Whoever keeps the copy decides when to ask again.
        retries: 0,
        maxResponseBytes: maxCopyBytes,
        memoryBytes: maxCopyBytes,
        ...(fetch === undefined ? {} : { fetch }),
      });
      tokenOfClient = token;
    }
    return client;
  }

  /** All pages of one state of the data. */
  async function collect(
    filter: ShiftFilter,
  ): Promise<{ shifts: readonly Shift[]; zone: string | undefined }> {
    const signal = AbortSignal.timeout(READING_LIMIT_MS);
    const reader = await clientOfToken();
    for (let attempt = 1; ; attempt++) {
      try {
        return await collectOnce(reader.pages(filter, { signal, onChange: 'throw' }), maxCopyBytes);
      } catch (error) {
        if (!(error instanceof ShiftfeedChangedError) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async function read(feed: FeedConfig, nowMs: number): Promise<Reading> {
    const asked = windowToAsk(feed, options.timeZone, nowMs);
    const { shifts, zone } = await collect(filterOf(feed, asked));
    const timeZone = options.timeZone ?? zone;
    if (timeZone === undefined || !isTimeZone(timeZone)) throw new NoTimeZone('The time zone is unknown.');
    const today = todayIn(timeZone, new Date(nowMs));
    const window = windowOfCopy(feed, today);
    return {
      timeZone,
      window,
      shifts: publicOrder(shifts, feed)
        .filter((shift) => isPublic(shift, feed, window, today))
        .map((shift) => publicShift(shift, feed)),
    };
  }

  return { read };
}

/**
 * Where only the upstream knows the zone, the date is not known before it answers. But no zone is further than a day
 * from UTC.
 */
function windowToAsk(feed: FeedConfig, timeZone: string | undefined, nowMs: number): Window {
  if (timeZone !== undefined) return windowOfCopy(feed, todayIn(timeZone, new Date(nowMs)));
  const { from, to } = windowOfCopy(feed, todayIn('UTC', new Date(nowMs)));
  return { from: addDays(from, -1), to: addDays(to, 1) };
}

/**
 * A day more than is shown, because a copy may be shown until the next day. Else a feed of one day would be empty after
 * midnight.
 */
function windowOfCopy(feed: FeedConfig, today: string): Window {
  const { from, to } = windowOf(feed, today);
  return { from, to: addDays(to, 1) };
}

function filterOf({ groupIds, showsUnpublished }: FeedConfig, window: Window): ShiftFilter {
  return {
    date_from: firstStartFor(window),
    date_to: window.to,
    ...(groupIds !== 'all' && { group_ids: [...groupIds] }),
    ...(showsUnpublished && { published: false }),
  };
}

async function collectOnce(pages: AsyncIterable<ShiftPage>, maxBytes: number) {
  const shifts: Shift[] = [];
  let zone: string | undefined;
  let bytes = 0;
  for await (const page of pages) {
    zone = page.timeZone;
    for (const shift of page.shifts) bytes += bytesOf(shift);
    if (bytes > maxBytes) throw new TooLarge(`The shifts take more than ${maxBytes} bytes.`);
    shifts.push(...page.shifts);
  }
  // Two events with one UID would be one event in a calendar.
  if (new Set(shifts.map(({ id }) => id)).size < shifts.length) {
    throw new ShiftfeedChangedError('A shift was listed twice.', 200);
  }
  return { shifts, zone };
}

/** About what a shift takes in memory. */
function bytesOf({ group, location, person, remarks }: Shift): number {
  const texts = [group.name, location?.name, location?.address, person?.name, remarks];
  return texts.reduce((bytes, text) => bytes + 2 * (text?.length ?? 0), BYTES_BESIDES_TEXTS);
}

const BYTES_BESIDES_TEXTS = 300;
