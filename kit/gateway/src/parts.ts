/**
 * Reads days of a listing, each part of them as it was at one moment. Pages shift when a plan is written to while they
 * are read. Then the days are read again in as many pieces as there were pages: what fits one page is always of one
 * moment. Only a single day of several pages may have to be taken as it comes.
 */

import { type Shift, ShiftfeedChangedError, type ShiftPage } from '@shiftfeed/client';
import type { FeedConfig } from './config.ts';
import { isPublic, type PublicShift, publicOrder, publicShift, type Window } from './projection.ts';
import { piecesOf } from './windows.ts';

/** The public shifts of some days, at one moment. */
export interface Part {
  readonly days: Window;
  /** Names the state that the days are in, where the upstream does so. */
  readonly listing: string | undefined;
  /** When the month of the days was last written to, where the upstream says it. */
  readonly modifiedMs: number | undefined;
  readonly shifts: readonly PublicShift[];
  readonly people: People;
  /** About what the shifts take in memory. */
  readonly bytes: number;
}

/**
 * Who works each shift, by its id, or an empty text for nobody. Only feeds with personal links have them, apart from what
 * visitors see.
 */
export type People = Readonly<Record<number, string>>;

/** What of the shifts is public, and how much memory they may take. */
export interface Scope {
  readonly feed: FeedConfig;
  readonly window: Window;
  readonly today: string;
  readonly maxBytes: number;
}

/** The shifts of a feed take more memory than they may. */
export class TooLarge extends Error {}

/**
 * Reads each range as one part, or as several, and gives them in the order in which they were read. Those that are as
 * they were are taken from `known`.
 */
export type ReadParts = (ranges: readonly Window[], known: readonly Part[]) => Promise<readonly Part[]>;

/** Reads the pages of some days. When they change meanwhile, it throws a ShiftfeedChangedError or ignores that. */
type ReadPages = (days: Window, onChange: 'throw' | 'ignore') => AsyncIterable<ShiftPage>;

/** Some days changed while their pages were read. */
interface Disturbed {
  readonly pageCount: number;
}

/** At a time. A large feed takes as many times less to read, so less of it changes meanwhile. */
const PARALLEL_READS = 4;

export function readPartsOf(scope: Scope, readPages: ReadPages): ReadParts {
  return async (ranges, known) => {
    const parts: Part[] = [];
    const waiting = ranges.toReversed();
    let bytes = 0;
    const readWaiting = async () => {
      for (let days = waiting.pop(); days !== undefined; days = waiting.pop()) {
        const maxBytes = scope.maxBytes - bytes;
        let part = await readPart(scope, days, readPages, known, maxBytes);
        if ('pageCount' in part) {
          if (days.from < days.to) {
            waiting.push(...piecesOf(days, part.pageCount).toReversed());
            continue;
          }
          part = await readTwice(scope, days, readPages, maxBytes);
        }
        parts.push(part);
        bytes += part.bytes;
        if (bytes > scope.maxBytes) throw tooLarge(scope);
      }
    };
    try {
      await Promise.all(Array.from({ length: PARALLEL_READS }, readWaiting));
    } finally {
      // When one fails, the others end with what they have begun.
      waiting.length = 0;
    }
    return parts;
  };
}

async function readPart(
  scope: Scope,
  days: Window,
  readPages: ReadPages,
  known: readonly Part[],
  maxBytes: number,
): Promise<Part | Disturbed> {
  const before = known.find((part) => part.days.from === days.from && part.days.to === days.to);
  const pages: ShiftPage[] = [];
  try {
    for await (const page of limited(readPages(days, 'throw'), scope, maxBytes)) {
      if (before?.listing !== undefined && before.listing === page.listing) return before;
      pages.push(page);
    }
  } catch (error) {
    if (!(error instanceof ShiftfeedChangedError)) throw error;
    // At least two: a piece must be smaller than the whole.
    return { pageCount: Math.max(2, pages[0]?.meta.total_pages ?? 0) };
  }
  return partOf(scope, days, pages, pages[0]?.listing);
}

/**
 * A day that did not stay the same for as long as its pages took. When a shift goes, the next one may slip from one page
 * to another that was read already. It is there when the pages are read once more. What is gone then is kept, too: it
 * may have slipped now.
 */
async function readTwice(scope: Scope, days: Window, readPages: ReadPages, maxBytes: number): Promise<Part> {
  const rounds: ShiftPage[][] = [[], []];
  for (const pages of rounds) {
    for await (const page of limited(readPages(days, 'ignore'), scope, maxBytes)) pages.push(page);
  }
  const [first = [], second = []] = rounds;
  const seen = new Set(second.flatMap(({ shifts }) => shifts.map(({ id }) => id)));
  const gone = first.map((page) => ({ ...page, shifts: page.shifts.filter(({ id }) => !seen.has(id)) }));
  // Such a part is of no state that has a name.
  return partOf(scope, days, [...gone, ...second], undefined);
}

async function* limited(
  pages: AsyncIterable<ShiftPage>,
  scope: Scope,
  maxBytes: number,
): AsyncGenerator<ShiftPage, void> {
  let bytes = 0;
  for await (const page of pages) {
    bytes += bytesOf(page);
    if (bytes > maxBytes) throw tooLarge(scope);
    yield page;
  }
}

function tooLarge({ maxBytes }: Scope): TooLarge {
  return new TooLarge(`The shifts take more than ${maxBytes} bytes.`);
}

/** A listing of one page. */
export function partOfPage(scope: Scope, page: ShiftPage): Part {
  if (bytesOf(page) > scope.maxBytes) throw tooLarge(scope);
  return partOf(scope, scope.window, [page], page.listing);
}

function partOf(
  { feed, window, today }: Scope,
  days: Window,
  pages: readonly ShiftPage[],
  listing: string | undefined,
): Part {
  const [first] = pages;
  const shifts = publicOrder(
    pages.flatMap((page) => page.shifts),
    feed,
  ).filter((shift) => isPublic(shift, feed, window, today));
  return {
    days,
    listing,
    // A time that is not of one month alone could go back when the month that was written to is no longer shown.
    modifiedMs: first?.listing === undefined ? undefined : first.lastModifiedMs,
    shifts: shifts.map((shift) => publicShift(shift, feed)),
    people: feed.isPersonal ? peopleOf(shifts) : {},
    bytes: pages.reduce((bytes, page) => bytes + bytesOf(page), 0),
  };
}

function peopleOf(shifts: readonly Shift[]): People {
  return Object.fromEntries(shifts.map(({ id, person }) => [id, person?.name ?? '']));
}

/** About what the shifts of a page take in memory. */
function bytesOf({ shifts }: ShiftPage): number {
  return shifts.reduce((bytes, { group, location, person, remarks }) => {
    const texts = [group.name, location?.name, location?.address, person?.name, remarks];
    return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), bytes + BYTES_BESIDES_TEXTS);
  }, 0);
}

const BYTES_BESIDES_TEXTS = 300;
