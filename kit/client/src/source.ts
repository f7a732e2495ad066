/** The requests that collect one listing, and the order in which its pages are asked for. */

import type { ShiftPage } from './answer.ts';
import type { ShiftFilter } from './api.ts';
import { askPage, type Memory, makeMemory, writeQuery } from './ask.ts';
import type { DateRange } from './days.ts';
import { ShiftfeedAnswerError, ShiftfeedChangedError } from './errors.ts';
import { hearTags } from './listen.ts';
import { readOptions, type Settings, type ShiftfeedClientOptions } from './options.ts';

export interface Source {
  /** A page of the listing. `retries` are those of the client, unless they are given. */
  page(number: number, retries?: number): Promise<ShiftPage>;
  /** A page of what it lists in a stretch of days. */
  pageOf(days: DateRange, number: number): Promise<ShiftPage>;
  /** The shift at a place, from 1 on, of the listing or of a stretch. Costs next to nothing: it is for tag and total. */
  peek(place: number, days?: DateRange): Promise<ShiftPage>;
  /** The tags that the listing gets, as the server tells them. Throws NoStream if it does not. */
  tags(known: string | undefined): AsyncGenerator<string, void>;
}

/** Opens listings of an account, for programs that read them with `makeRangeReader`. */
export function openAccount(
  options: ShiftfeedClientOptions,
): (filter: ShiftFilter, signal: AbortSignal) => Source {
  const settings = readOptions(options);
  const memory = makeMemory(settings.memoryBytes);
  return (filter, signal) => openSource(settings, memory, filter, signal);
}

/** Thousands of single shifts. */
const PEEKED_BYTES = 1024 * 1024;

export function openSource(
  settings: Settings,
  memory: Memory,
  filter: ShiftFilter,
  signal: AbortSignal | undefined,
): Source {
  const ask = async (more: ShiftFilter, remembered: Memory, retries = settings.retries) => {
    const query = writeQuery({ ...filter, ...more });
    const page = await askPage({ ...settings, retries }, remembered, query, signal);
    checkSize(page, settings.maxCollectedShifts);
    return page;
  };
  const pages = withOwn(memory);
  // What is peeked at most often must not be pushed out by pages.
  const peeks = makeMemory(PEEKED_BYTES);
  const none = makeMemory(0);
  return {
    page: (page, retries) => ask({ page }, pages, retries),
    pageOf: (days, page) => ask({ ...days, page }, none),
    peek: (page, days) => ask({ ...days, page, per_page: 1 }, peeks),
    tags: (known) => hearTags(settings, writeQuery(filter), known, signal),
  };
}

function checkSize({ meta }: ShiftPage, maxShifts: number): void {
  if (meta.total <= maxShifts) return;
  throw new ShiftfeedAnswerError(
    `There are ${meta.total} shifts, and at most ${maxShifts} are collected: ask for fewer, or read them as they come (onChange "throw" or "ignore").`,
    200,
  );
}

/**
 * Pages of a reading are asked for again with their entity tags, however little the client remembers. A server that tags
 * its listings changes those of all pages at once, so keeping its pages would be in vain.
 */
function withOwn(memory: Memory): Memory {
  const own = makeMemory(Number.POSITIVE_INFINITY);
  return {
    find: (query) => memory.find(query) ?? own.find(query),
    keep(query, remembered) {
      memory.keep(query, remembered);
      if (remembered.page.listing === undefined) own.keep(query, remembered);
    },
    forget(query) {
      memory.forget(query);
      own.forget(query);
    },
  };
}

/** What to do when the shifts change while their pages are read. */
export type OnChange =
  /** Read all pages before the first is given, and again what changed. What is given is right. */
  | 'restart'
  /** Give each page as it is read, and throw a ShiftfeedChangedError on a change. */
  | 'throw'
  /** Give each page as it is read. A shift may be missing or come twice. */
  | 'ignore';

export function checkOnChange(onChange: OnChange): void {
  if (['restart', 'throw', 'ignore'].includes(onChange)) return;
  throw new TypeError(`onChange is "${onChange}"; expected one of restart, throw, ignore.`);
}

export type Ask = (page: number) => Promise<ShiftPage>;

export async function* readAlong(ask: Ask, onChange: 'throw' | 'ignore'): AsyncGenerator<ShiftPage, void> {
  let isFirst = true;
  for await (const { page, hasChanged } of readInTurn(ask)) {
    if (onChange === 'throw' && hasChanged)
      throw new ShiftfeedChangedError('The shifts changed while their pages were read.', 200);
    if (isFirst || page.shifts.length > 0) yield page;
    isFirst = false;
  }
}

/**
 * Reads the pages of a listing in turn, and tells whether each is of another state than the page before: then a shift
 * may be missing or come twice. Another tag of the listing shows that. Without tags, another revision, a different total
 * or a repeated shift shows most changes, and some that do not concern the listing. There is at least one page. Only the
 * last can be empty.
 */
export async function* readInTurn(ask: Ask) {
  let before: ShiftPage | undefined;
  let count = 0;
  for (let number = 1; before === undefined || number <= before.meta.total_pages; number++) {
    const page = await ask(number);
    count += page.shifts.length;
    yield { page, hasChanged: before !== undefined && differs(before, page, number, count) };
    // A server that promises more pages but sends empty ones must not keep us asking.
    if (before !== undefined && page.shifts.length === 0) return;
    before = page;
  }
}

function differs(before: ShiftPage, page: ShiftPage, number: number, count: number): boolean {
  if (page.listing !== undefined && before.listing !== undefined) return page.listing !== before.listing;
  if (page.meta.total !== before.meta.total) return true;
  if (page.revision !== undefined && before.revision !== undefined) return page.revision !== before.revision;
  const isLast = number >= page.meta.total_pages;
  if (page.meta.page !== number || (isLast && count !== page.meta.total)) return true;
  const ids = new Set(before.shifts.map(({ id }) => id));
  return page.shifts.some(({ id }) => ids.has(id));
}
