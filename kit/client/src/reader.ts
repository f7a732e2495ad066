/**
 * Reads a listing as one state: shifts that were all there at one moment. Each page is a request, and the data may change
 * in between. Then the listing is cut into stretches of days. The server tags each of them on its own, so only those
 * that changed are read again. Stretches that were read one after the other are one state if the tag of the whole listing
 * is the same before and after, because a tag never comes back.
 */

import { dateAfter, readDate } from '@shiftfeed/common/dates';
import type { ShiftPage } from './answer.ts';
import type { Shift } from './api.ts';
import { wait } from './ask.ts';
import type { DateRange } from './days.ts';
import { ShiftfeedAnswerError, ShiftfeedChangedError } from './errors.ts';
import { readInTurn, type Source } from './source.ts';

export { openAccount, type Source } from './source.ts';

export interface StateReader {
  /** The pages of one state. Rejects when the listing changed for so long that none could be read. */
  read(patienceMs: number): Promise<readonly ShiftPage[]>;
  /** Prepares to read no more than what becomes of a state that was read. */
  prepare(pages: readonly ShiftPage[]): Promise<void>;
}

/** Fewer pages than this are as quickly read as stretches. */
const MIN_PAGES_TO_CUT = 4;

/** Reads page by page at first. The pages tell where to cut, into stretches of about a page each. */
export function makeStateReader(
  source: Source,
  backoffMs: number,
  signal: AbortSignal | undefined,
): StateReader {
  const stretches = keepStretches<Shift>((shifts) => shifts, Number.POSITIVE_INFINITY);
  let pageSize = 0;
  let months: readonly string[] = [];
  /** Not if another server lists in another order than from day to day. */
  let isCuttable = true;

  const isCut = () => isCuttable && months.length > 1;

  function cut(pages: readonly ShiftPage[]): void {
    pageSize = pages[0]?.meta.per_page ?? pageSize;
    months = monthsToCutAt(shiftsOf(pages), pageSize, months);
  }

  function daysBetween(first: Shift | undefined, last: Shift | undefined): DateRange[] {
    return first === undefined || last === undefined ? [] : cutAt(months, first.date, last.date);
  }

  /** undefined when what was read is of several states. */
  async function readOnce(): Promise<readonly ShiftPage[] | undefined> {
    if (isCut()) {
      const pages = await readStretches();
      if (pages !== undefined || isCut()) return pages;
    }
    return readPages();
  }

  async function readPages(): Promise<readonly ShiftPage[] | undefined> {
    const pages: ShiftPage[] = [];
    let isOneState = true;
    for await (const { page, hasChanged } of readInTurn(source.page)) {
      if (hasChanged) isOneState = false;
      // After a change, the rest still tells where to cut.
      if (!isOneState && !isWorthCutting(page)) return undefined;
      pages.push(page);
    }
    if (isOneState) return pages;
    cut(pages);
    return undefined;
  }

  async function readStretches(): Promise<readonly ShiftPage[] | undefined> {
    const head = await source.peek(1);
    if (head.listing === undefined || head.meta.total <= pageSize) {
      months = [];
      return undefined;
    }
    const last = await source.peek(head.meta.total);
    const state = await stretches.readState(source, head, daysBetween(head.shifts[0], last.shifts[0]));
    if (state === undefined || !isOf(head.listing, last)) return undefined;

    const shifts = state.stretches.flatMap((stretch) => stretch.shifts);
    isCuttable = shifts.length === state.end.meta.total;
    if (!isCuttable) return undefined;
    const pages = pagesOf(shifts, pageSize, state.end);
    cut(pages);
    return pages;
  }

  return {
    read: (patienceMs) =>
      untilOneState(readOnce, patience(patienceMs), backoffMs, signal, () => {
        throw keptChanging(patienceMs);
      }),
    async prepare(pages) {
      const [first] = pages;
      if (first === undefined || !isWorthCutting(first)) return;
      cut(pages);
      const shifts = shiftsOf(pages);
      await stretches.learn(source, first, daysBetween(shifts[0], shifts.at(-1)), shifts);
    },
  };
}

/** What was read of some ranges of days. */
export interface RangesRead<S> {
  /** In the order in which they were read. */
  readonly stretches: readonly Stretch<S>[];
  /** The tag of the listing, if all of it is of a state that the server names. */
  readonly listing: string | undefined;
  /**
   * The listing changed so often that its stretches are of several states. Each is of one moment, as far as a page holds
   * a day. No shift that stayed where it was is missing.
   */
  readonly isMixed: boolean;
}

export interface RangeReader<S> {
  /** Reads what changed since the last time. `first` is the first page of the listing, as it was just read. */
  read(source: Source, first: ShiftPage, signal: AbortSignal): Promise<RangesRead<S>>;
}

/** How often to begin anew. What takes longer is not begun again, because somebody waits for it. */
const MAX_ATTEMPTS = 3;
const ATTEMPTS_LIMIT_MS = 5_000;
const BACKOFF_MS = 250;

/**
 * For programs that keep a copy of a listing. It is read in ranges that its filter names the first and the last day of.
 * Nothing of a shift is kept but its projection, which is made of each page as soon as that is read.
 */
export function makeRangeReader<S extends Listed>(
  ranges: readonly DateRange[],
  project: Projection<S>,
  maxBytes: number,
): RangeReader<S> {
  const kept = keepStretches(project, maxBytes);
  return {
    read(source, first, signal) {
      async function readOnce(attempt: number): Promise<RangesRead<S> | undefined> {
        const head = attempt === 1 ? first : await source.page(1);
        const { listing } = head;
        const stretches =
          listing === undefined
            ? await kept.readWhole(source, head)
            : (await kept.readState(source, head, ranges))?.stretches;
        return stretches && { stretches, listing, isMixed: false };
      }
      const startedMs = performance.now();
      const isOver = (attempt: number, pauseMs: number) =>
        attempt >= MAX_ATTEMPTS || performance.now() + pauseMs - startedMs > ATTEMPTS_LIMIT_MS;
      return untilOneState(readOnce, isOver, BACKOFF_MS, signal, async () => ({
        stretches: await kept.readInPieces(source, ranges),
        listing: undefined,
        isMixed: true,
      }));
    },
  };
}

/** Whether to give up after so many attempts, rather than to pause. */
type IsOver = (attempts: number, pauseMs: number) => boolean;

const LONGEST_PAUSE_MS = 2_000;

/** `readOnce` resolves to undefined when what it read is of several states. Attempts count from 1. */
async function untilOneState<State>(
  readOnce: (attempt: number) => Promise<State | undefined>,
  isOver: IsOver,
  backoffMs: number,
  signal: AbortSignal | undefined,
  giveUp: () => Promise<State>,
): Promise<State> {
  for (let attempt = 1; ; attempt++) {
    const state = await readOnce(attempt);
    if (state !== undefined) return state;
    const pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, backoffMs * 2 ** (attempt - 1));
    if (isOver(attempt, pauseMs)) return giveUp();
    await wait(pauseMs, signal);
  }
}

/** Begins to count when the first attempt has failed. */
function patience(patienceMs: number): IsOver {
  let giveUpAtMs: number | undefined;
  return (_attempts, pauseMs) => {
    giveUpAtMs ??= performance.now() + patienceMs;
    return performance.now() + pauseMs >= giveUpAtMs;
  };
}

function keptChanging(patienceMs: number): ShiftfeedChangedError {
  return new ShiftfeedChangedError(
    `The shifts changed while their pages were read, and again and again for ${patienceMs / 1_000} s after that: ask for fewer shifts, or allow more time (patienceMs).`,
    200,
  );
}

/** What is kept of shifts, of which some may be left out. */
export type Projection<S extends Listed> = (shifts: readonly Shift[]) => readonly S[];

export type Listed = Pick<Shift, 'id' | 'date'>;

/** What is kept of the shifts of some days, as they were at one moment. */
export interface Stretch<S> {
  readonly days: DateRange;
  /** Names the state that the days are in. undefined when the server names none, or when it is of several states. */
  readonly tag: string | undefined;
  /** When the months of these days were last written to. undefined when the server does not tag listings. */
  readonly lastModifiedMs: number | undefined;
  readonly shifts: readonly S[];
  /** About what its pages took in memory. */
  readonly bytes: number;
}

/** The stretches as they were last read, by their tags. */
interface Stretches<S> {
  /**
   * The stretches of one state, of which those that changed are read, and the answer that confirms it. undefined when
   * something changed since `head`.
   */
  readState(source: Source, head: ShiftPage, ranges: readonly DateRange[]): Promise<StateOf<S> | undefined>;
  /** A listing without tags, page by page. undefined when it changed meanwhile. */
  readWhole(source: Source, first: ShiftPage): Promise<readonly Stretch<S>[] | undefined>;
  /** All ranges, each in as many pieces as it takes for a piece to be of one moment. */
  readInPieces(source: Source, ranges: readonly DateRange[]): Promise<readonly Stretch<S>[]>;
  /** Asks for the tags of stretches whose shifts are known. They are kept if the listing is still the same then. */
  learn(source: Source, page: ShiftPage, ranges: readonly DateRange[], shifts: readonly S[]): Promise<void>;
}

interface StateOf<S> {
  readonly stretches: readonly Stretch<S>[];
  readonly end: ShiftPage;
}

/** Some days changed while their pages were read. */
interface Disturbed {
  readonly pageCount: number;
}

/** A state has to last until all stretches are asked for. */
const AT_A_TIME = 4;

function keepStretches<S extends Listed>(project: Projection<S>, maxBytes: number): Stretches<S> {
  const known = new Map<string, Stretch<S>>();
  let bytes = 0;

  function forgetOthers(ranges: readonly DateRange[]): void {
    const keys = new Set(ranges.map(keyOf));
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    bytes = [...known.values()].reduce((sum, stretch) => sum + stretch.bytes, 0);
  }

  /** Takes it from memory if it has the same tag. */
  async function readStretch(source: Source, days: DateRange): Promise<Stretch<S> | Disturbed> {
    const key = keyOf(days);
    const before = known.get(key);
    if (before !== undefined && isOf(before.tag, await source.peek(1, days))) return before;
    known.delete(key);
    bytes -= before?.bytes ?? 0;
    const stretch = await readPages(days, (number) => source.pageOf(days, number));
    if ('tag' in stretch && stretch.tag !== undefined) known.set(key, stretch);
    return stretch;
  }

  async function readPages(
    days: DateRange,
    ask: (number: number) => Promise<ShiftPage>,
  ): Promise<Stretch<S> | Disturbed> {
    const shifts: S[] = [];
    let first: ShiftPage | undefined;
    let ownBytes = 0;
    for await (const { page, hasChanged } of readInTurn(ask)) {
      first ??= page;
      if (hasChanged) {
        bytes -= ownBytes;
        // At least two: a piece must be smaller than the whole.
        return { pageCount: Math.max(2, first.meta.total_pages) };
      }
      ownBytes += take(page, shifts);
    }
    // A server whose database is away may answer with an older state than it did before.
    const tag = first?.staleSeconds === undefined ? first?.listing : undefined;
    return { days, tag, lastModifiedMs: lastWrite(first), shifts, bytes: ownBytes };
  }

  function take(page: ShiftPage, shifts: S[]): number {
    const taken = bytesOf(page);
    bytes += taken;
    if (bytes > maxBytes) {
      throw new ShiftfeedAnswerError(`The shifts take more than ${maxBytes} bytes of memory.`, 200);
    }
    shifts.push(...project(page.shifts));
    return taken;
  }

  /**
   * A day that did not stay the same for as long as its pages took. When a shift goes, the next one may slip from one
   * page to another that was read already. It is there when the pages are read once more. What is gone then is kept,
   * too: it may have slipped now.
   */
  async function readTwice(source: Source, days: DateRange): Promise<Stretch<S>> {
    const rounds: [S[], S[]] = [[], []];
    let lastModifiedMs: number | undefined;
    const before = bytes;
    for (const shifts of rounds) {
      for await (const { page } of readInTurn((number) => source.pageOf(days, number))) {
        lastModifiedMs ??= lastWrite(page);
        take(page, shifts);
      }
    }
    const [first, second] = rounds;
    const seen = new Set(second.map(({ id }) => id));
    const shifts = [...first.filter(({ id }) => !seen.has(id)), ...second];
    return { days, tag: undefined, lastModifiedMs, shifts, bytes: bytes - before };
  }

  return {
    async readState(source, head, ranges) {
      forgetOthers(ranges);
      await someAtATime(ranges, AT_A_TIME, async (days) => {
        await readStretch(source, days);
      });
      const end = await source.peek(1);
      if (known.size < ranges.length || ![head, end].every((page) => isOf(head.listing, page)))
        return undefined;
      return { stretches: ranges.flatMap((days) => known.get(keyOf(days)) ?? []), end };
    },
    async readWhole(source, first) {
      forgetOthers([]);
      const ask = async (number: number) => (number === 1 ? first : source.page(number));
      const whole = await readPages({ date_from: '', date_to: '' }, ask);
      return 'pageCount' in whole ? undefined : [whole];
    },
    async readInPieces(source, ranges) {
      forgetOthers(ranges);
      const stretches: Stretch<S>[] = [];
      async function read(days: DateRange): Promise<void> {
        const stretch = await readStretch(source, days);
        if (!('pageCount' in stretch)) stretches.push(stretch);
        else if (days.date_from === days.date_to) stretches.push(await readTwice(source, days));
        // What fits one page is always of one moment.
        else for (const piece of piecesOf(days, stretch.pageCount)) await read(piece);
      }
      await someAtATime(ranges, AT_A_TIME, read);
      return stretches;
    },
    async learn(source, page, ranges, shifts) {
      const learned: Stretch<S>[] = [];
      const unknown = ranges.filter((days) => !known.has(keyOf(days)));
      await someAtATime(unknown, AT_A_TIME, async (days) => {
        const { listing: tag, lastModifiedMs } = await source.peek(1, days);
        if (tag !== undefined)
          learned.push({ days, tag, lastModifiedMs, shifts: within(days, shifts), bytes: 0 });
      });
      if (learned.length === 0 || !isOf(page.listing, await source.peek(1))) return;
      for (const stretch of learned) known.set(keyOf(stretch.days), stretch);
    },
  };
}

/** Whether it pays to cut the listing of a page. A server that does not tag listings does not tag stretches, either. */
function isWorthCutting({ listing, meta }: ShiftPage): boolean {
  return listing !== undefined && meta.total_pages >= MIN_PAGES_TO_CUT;
}

/**
 * The months to cut at, as `YYYY-MM`. Whatever order an account has chosen, its listing runs from day to day, so
 * stretches in a row are the listing. Months of an earlier cut stay while they have shifts: other stretches would have
 * other tags.
 */
function monthsToCutAt(shifts: readonly Shift[], pageSize: number, earlier: readonly string[]): string[] {
  const kept = new Set(earlier);
  const counts = new Map<string, number>();
  for (const { date } of shifts) {
    const month = date.slice(0, 7);
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  const months: string[] = [];
  let count = 0;
  for (const [month, shiftsOfMonth] of counts) {
    if (months.length === 0 || kept.has(month) || count + shiftsOfMonth > pageSize) {
      months.push(month);
      count = 0;
    }
    count += shiftsOfMonth;
  }
  return months;
}

/**
 * All stretches of a listing that has its first and its last shift on these days. They name these days because days
 * outside may have shifts that the listing leaves out: without a calendar filter, it is of the next 12 months.
 */
function cutAt(months: readonly string[], firstDay: string, lastDay: string): DateRange[] {
  const starts = months.map((month) => `${month}-01`).filter((day) => day > firstDay && day <= lastDay);
  return [firstDay, ...starts].map((date_from, i) => {
    const next = starts[i];
    return { date_from, date_to: next === undefined ? lastDay : dateAfter(next, -1) };
  });
}

/** Some days in so many pieces, as far as there are as many days, and about equally long. */
function piecesOf({ date_from, date_to }: DateRange, count: number): DateRange[] {
  const days = readDate(date_to) - readDate(date_from) + 1;
  const pieces = Math.min(count, days);
  const firstOf = (piece: number) => dateAfter(date_from, Math.floor((piece * days) / pieces));
  return Array.from({ length: pieces }, (_, i) => ({
    date_from: firstOf(i),
    date_to: dateAfter(firstOf(i + 1), -1),
  }));
}

function shiftsOf(pages: readonly ShiftPage[]): readonly Shift[] {
  return pages.flatMap(({ shifts }) => shifts);
}

function keyOf({ date_from, date_to }: DateRange): string {
  return `${date_from}/${date_to}`;
}

function within<S extends Listed>({ date_from, date_to }: DateRange, shifts: readonly S[]): readonly S[] {
  return shifts.filter(({ date }) => date >= date_from && date <= date_to);
}

function lastWrite(page: ShiftPage | undefined): number | undefined {
  return page?.listing === undefined ? undefined : page.lastModifiedMs;
}

function isOf(tag: string | undefined, page: ShiftPage): boolean {
  return page.listing === tag && page.staleSeconds === undefined;
}

/** Cuts shifts into pages as the server does. What headers say is from the last answer. */
function pagesOf(shifts: readonly Shift[], pageSize: number, answer: ShiftPage): ShiftPage[] {
  const total_pages = Math.ceil(shifts.length / pageSize);
  return Array.from({ length: total_pages }, (_, i) =>
    Object.freeze({
      ...answer,
      shifts: Object.freeze(shifts.slice(i * pageSize, (i + 1) * pageSize)),
      meta: Object.freeze({ total: shifts.length, page: i + 1, per_page: pageSize, total_pages }),
    }),
  );
}

const BYTES_BESIDES_TEXTS = 300;

/** About what the shifts of a page take in memory. */
function bytesOf({ shifts }: ShiftPage): number {
  return shifts.reduce((bytes, { group, location, person, remarks }) => {
    const texts = [group.name, location?.name, location?.address, person?.name, remarks];
    return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), bytes + BYTES_BESIDES_TEXTS);
  }, 0);
}

/** Runs something for each item, so many at a time. After a failure none begins, and it ends when those under way have. */
async function someAtATime<T>(
  items: readonly T[],
  atATime: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  // All share the iterator. Leaving a loop by an error ends it for all.
  const queue = (function* () {
    yield* items;
  })();
  const work = async () => {
    for (const item of queue) await run(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atATime }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
