/**
 * Reads a listing as one state: shifts that were all there at one moment. Each page is a request, and the data may change
 * in between. Then the listing is cut into stretches of days. The server tags each of them on its own, so only those
 * that changed are read again. Stretches that were read one after the other are one state if the tag of the whole listing
 * is the same before and after, because a tag never comes back.
 */

import { dateAfter, FIRST_DAY, knownDateOf, LAST_DAY, readDate } from '@shiftfeed/common/days';
import type { ShiftPage } from './answer.ts';
import type { Shift } from './api.ts';
import { wait } from './ask.ts';
import type { DateRange } from './days.ts';
import { ShiftfeedAnswerError, ShiftfeedChangedError } from './errors.ts';
import { type Ask, readInTurn, type Source } from './source.ts';

export { NoStream, retryPauseMs, wait } from './listen.ts';
export { openAccount, type Source } from './source.ts';

/** Fewer pages than this are as quickly read as stretches. */
const MIN_PAGES_TO_CUT = 4;

/** Reads page by page at first. The pages tell where to cut, into stretches of about a page each. */
export class StateReader {
  readonly #source: Source;
  readonly #backoffMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #stretches = new Stretches<Shift>((shifts) => shifts, Number.POSITIVE_INFINITY, false);
  #pageSize = 0;
  #months: readonly string[] = [];
  /** Not if another server lists in another order than from day to day. */
  #isCuttable = true;

  constructor(source: Source, backoffMs: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#backoffMs = backoffMs;
    this.#signal = signal;
  }

  /** The pages of one state. Rejects when the listing changed for so long that none could be read. */
  async read(patienceMs: number): Promise<readonly ShiftPage[]> {
    const isOver = patience(patienceMs);
    const pages = await untilOneState(() => this.#readOnce(), isOver, this.#backoffMs, this.#signal);
    if (pages !== undefined) return pages;
    throw new ShiftfeedChangedError(
      `The shifts changed while their pages were read, and again and again for ${patienceMs / 1_000} s after that: ask for fewer shifts, or allow more time (patienceMs).`,
      200,
    );
  }

  /** Prepares to read no more than what becomes of a state that was read. */
  async prepare(pages: readonly ShiftPage[]): Promise<void> {
    const [first] = pages;
    if (first === undefined || !isWorthCutting(first)) return;
    this.#cut(pages);
    const shifts = shiftsOf(pages);
    const ranges = cutAt(this.#months, shifts[0], shifts.at(-1));
    await this.#stretches.learn(this.#source, first.listing, ranges, shifts);
  }

  /** undefined when what was read is of several states. */
  async #readOnce(): Promise<readonly ShiftPage[] | undefined> {
    if (this.#isCut()) {
      const pages = await this.#readStretches();
      if (pages !== undefined || this.#isCut()) return pages;
    }
    const pages: ShiftPage[] = [];
    let isOneState = true;
    for await (const { page, hasChanged } of readInTurn(this.#source.page)) {
      if (hasChanged) isOneState = false;
      // After a change, the rest of the pages only tells where to cut.
      if (!isOneState && !isWorthCutting(page)) return undefined;
      pages.push(page);
    }
    if (isOneState) return pages;
    this.#cut(pages);
    return undefined;
  }

  async #readStretches(): Promise<readonly ShiftPage[] | undefined> {
    const source = this.#source;
    const head = await source.peek(1);
    if (head.listing === undefined || head.meta.total <= this.#pageSize) {
      this.#months = [];
      return undefined;
    }
    const last = await source.peek(head.meta.total);
    const ranges = cutAt(this.#months, head.shifts[0], last.shifts[0]);
    const state = await this.#stretches.readState(source, head, ranges);
    if (state === undefined || head.listing !== last.listing) return undefined;

    const shifts = state.stretches.flatMap((stretch) => stretch.shifts);
    this.#isCuttable = shifts.length === state.end.meta.total;
    if (!this.#isCuttable) return undefined;
    const pages = pagesOf(shifts, this.#pageSize, state.end);
    this.#cut(pages);
    return pages;
  }

  #isCut(): boolean {
    return this.#isCuttable && this.#months.length > 1;
  }

  #cut(pages: readonly ShiftPage[]): void {
    this.#pageSize = pages[0]?.meta.per_page ?? this.#pageSize;
    this.#months = monthsToCutAt(shiftsOf(pages), this.#pageSize, this.#months);
  }
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

/** Reads what changed since the last time. `first` is the first page of the listing, as it was just read. */
export type RangeReader<S> = (
  source: Source,
  first: ShiftPage,
  signal: AbortSignal,
) => Promise<RangesRead<S>>;

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
  const kept = new Stretches(project, maxBytes, true);
  return async (source, first, signal) => {
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
    const state = await untilOneState(readOnce, isOver, BACKOFF_MS, signal);
    if (state !== undefined) return state;
    return { stretches: await kept.readInPieces(source, ranges), listing: undefined, isMixed: true };
  };
}

/** Whether to give up after so many attempts, rather than to pause. */
type IsOver = (attempts: number, pauseMs: number) => boolean;

const LONGEST_PAUSE_MS = 2_000;

/** `readOnce` resolves to undefined when what it read is of several states, and so does this when it is over. */
async function untilOneState<State>(
  readOnce: (attempt: number) => Promise<State | undefined>,
  isOver: IsOver,
  backoffMs: number,
  signal: AbortSignal | undefined,
): Promise<State | undefined> {
  for (let attempt = 1; ; attempt++) {
    const state = await readOnce(attempt);
    if (state !== undefined) return state;
    const pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, backoffMs * 2 ** (attempt - 1));
    if (isOver(attempt, pauseMs)) return undefined;
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

/** What is kept of shifts, of which some may be left out. */
export type Projection<S extends Listed> = (shifts: readonly Shift[]) => readonly S[];

export type Listed = Pick<Shift, 'id' | 'date'>;

/** What is kept of the shifts of some days. */
export interface Stretch<S> {
  readonly days: DateRange;
  /** False if they changed while their pages were read. */
  readonly isOneState: boolean;
  /** Names the state that the days are in. undefined when the server names none, or when it is of several states. */
  readonly tag: string | undefined;
  /** When the months of these days were last written to. undefined when the server does not tag listings. */
  readonly lastModifiedMs: number | undefined;
  readonly shifts: readonly S[];
  /** About what its pages took in memory. */
  readonly bytes: number;
}

/** A state has to last until all stretches are asked for. */
const AT_A_TIME = 4;

const ALL_DAYS: DateRange = { date_from: knownDateOf(FIRST_DAY), date_to: knownDateOf(LAST_DAY) };

/** The stretches as they were last read, by their tags. */
class Stretches<S extends Listed> {
  readonly #known = new Map<string, Stretch<S>>();
  readonly #project: Projection<S>;
  readonly #maxBytes: number;
  readonly #isStaleFine: boolean;
  #bytes = 0;

  /**
   * A server whose database is away may answer with an older state than it did before. That is fine for a copy, which is
   * renewed anyway.
   */
  constructor(project: Projection<S>, maxBytes: number, isStaleFine: boolean) {
    this.#project = project;
    this.#maxBytes = maxBytes;
    this.#isStaleFine = isStaleFine;
  }

  /**
   * The stretches of one state, of which those that changed are read, and the answer that confirms the state. undefined
   * when one changed since `head`.
   */
  async readState(source: Source, head: ShiftPage, ranges: readonly DateRange[]) {
    this.#forgetOthers(ranges);
    await someAtATime(ranges, (days) => this.#readStretch(source, days));
    const end = await source.peek(1);
    const stretches = ranges.flatMap((days) => this.#known.get(keyOf(days)) ?? []);
    const isOneState = this.#isOf(head.listing, head) && this.#isOf(head.listing, end);
    return isOneState && stretches.length === ranges.length ? { stretches, end } : undefined;
  }

  /** A listing without tags, page by page. undefined when it changed meanwhile. */
  async readWhole(source: Source, first: ShiftPage): Promise<readonly Stretch<S>[] | undefined> {
    this.#forgetOthers([]);
    const ask = async (number: number) => (number === 1 ? first : source.page(number));
    const whole = await this.#readPages(ALL_DAYS, ask);
    return whole.isOneState ? [whole] : undefined;
  }

  /** All ranges, each halved until a piece is of one moment. */
  async readInPieces(source: Source, ranges: readonly DateRange[]): Promise<readonly Stretch<S>[]> {
    this.#forgetOthers(ranges);
    const stretches: Stretch<S>[] = [];
    const read = async (days: DateRange): Promise<void> => {
      const stretch = await this.#readStretch(source, days);
      if (stretch.isOneState) stretches.push(stretch);
      else if (isOneDay(days)) stretches.push(together(stretch, await this.#readStretch(source, days)));
      // What fits one page is always of one moment.
      else for (const half of halvesOf(days)) await read(half);
    };
    await someAtATime(ranges, read);
    return stretches;
  }

  /** Asks for the tags of stretches whose shifts are known. They are kept if the listing still has its tag then. */
  async learn(
    source: Source,
    tagOfListing: string | undefined,
    ranges: readonly DateRange[],
    shifts: readonly S[],
  ): Promise<void> {
    const learned: Stretch<S>[] = [];
    const unknown = ranges.filter((days) => !this.#known.has(keyOf(days)));
    await someAtATime(unknown, async (days) => {
      const { listing: tag, lastModifiedMs } = await source.peek(1, days);
      const own = shifts.filter(({ date }) => date >= days.date_from && date <= days.date_to);
      if (tag !== undefined)
        learned.push({ days, isOneState: true, tag, lastModifiedMs, shifts: own, bytes: 0 });
    });
    if (learned.length === 0 || !this.#isOf(tagOfListing, await source.peek(1))) return;
    for (const stretch of learned) this.#known.set(keyOf(stretch.days), stretch);
  }

  #forgetOthers(ranges: readonly DateRange[]): void {
    const keys = new Set(ranges.map(keyOf));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    this.#bytes = [...this.#known.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes it from memory if it has the same tag. */
  async #readStretch(source: Source, days: DateRange): Promise<Stretch<S>> {
    const key = keyOf(days);
    const before = this.#known.get(key);
    if (before !== undefined && this.#isOf(before.tag, await source.peek(1, days))) return before;
    this.#known.delete(key);
    this.#bytes -= before?.bytes ?? 0;
    const stretch = await this.#readPages(days, (number) => source.pageOf(days, number));
    if (stretch.tag !== undefined) this.#known.set(key, stretch);
    return stretch;
  }

  /** Ends with the first page of another state. A day is read to its end, however it changes. */
  async #readPages(days: DateRange, ask: Ask): Promise<Stretch<S>> {
    const shifts: S[] = [];
    let first: ShiftPage | undefined;
    let isOneState = true;
    let bytes = 0;
    for await (const { page, hasChanged } of readInTurn(ask)) {
      first ??= page;
      if (hasChanged) isOneState = false;
      if (!isOneState && !isOneDay(days)) {
        this.#bytes -= bytes;
        break;
      }
      bytes += this.#count(page);
      shifts.push(...this.#project(page.shifts));
    }
    const tag = isOneState && first && this.#isOf(first.listing, first) ? first.listing : undefined;
    const lastModifiedMs = first?.listing === undefined ? undefined : first.lastModifiedMs;
    return { days, isOneState, tag, lastModifiedMs, shifts, bytes };
  }

  #isOf(tag: string | undefined, page: ShiftPage): boolean {
    return page.listing === tag && (this.#isStaleFine || page.staleSeconds === undefined);
  }

  #count(page: ShiftPage): number {
    const bytes = bytesOf(page);
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw new ShiftfeedAnswerError(`The shifts take more than ${this.#maxBytes} bytes of memory.`, 200);
    }
    return bytes;
  }
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
 * All stretches of a listing with its first and its last shift. They name the days of these because days outside may have
 * shifts that the listing leaves out: without a calendar filter, it is of the next 12 months.
 */
function cutAt(months: readonly string[], first: Shift | undefined, last: Shift | undefined): DateRange[] {
  if (first === undefined || last === undefined) return [];
  const [firstDay, lastDay] = [first.date, last.date];
  const starts = months.map((month) => `${month}-01`).filter((day) => day > firstDay && day <= lastDay);
  return [firstDay, ...starts].map((date_from, i) => {
    const next = starts[i];
    return { date_from, date_to: next === undefined ? lastDay : dateAfter(next, -1) };
  });
}

function isOneDay({ date_from, date_to }: DateRange): boolean {
  return date_from === date_to;
}

function halvesOf({ date_from, date_to }: DateRange): DateRange[] {
  const middle = dateAfter(date_from, Math.floor((readDate(date_to) - readDate(date_from)) / 2));
  return [
    { date_from, date_to: middle },
    { date_from: dateAfter(middle, 1), date_to },
  ];
}

/**
 * A day that did not stay the same for as long as its pages took. When a shift goes, the next one may slip from one page
 * to another that was read already. It is there when the pages are read once more. What is gone then is kept, too: it
 * may have slipped now.
 */
function together<S extends Listed>(before: Stretch<S>, after: Stretch<S>): Stretch<S> {
  const seen = new Set(after.shifts.map(({ id }) => id));
  return { ...before, shifts: [...before.shifts.filter(({ id }) => !seen.has(id)), ...after.shifts] };
}

function shiftsOf(pages: readonly ShiftPage[]): readonly Shift[] {
  return pages.flatMap(({ shifts }) => shifts);
}

function keyOf({ date_from, date_to }: DateRange): string {
  return `${date_from}/${date_to}`;
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

/** Runs something for each item, some at a time. After a failure none begins, and it ends when those under way have. */
async function someAtATime<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  // All share the iterator. Leaving a loop by an error ends it for all.
  const queue = (function* () {
    yield* items;
  })();
  const work = async () => {
    for (const item of queue) await run(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
