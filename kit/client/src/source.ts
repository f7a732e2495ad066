/** The requests that collect one listing. */

import type { ShiftFilter } from './api.ts';
import { askPage } from './ask.ts';
import { ShiftfeedAnswerError } from './errors.ts';
import { type Memory, makeMemory } from './memory.ts';
import type { Settings } from './options.ts';
import type { ShiftPage } from './page.ts';
import { writeQuery } from './query.ts';
import type { Stretch } from './stretches.ts';

export interface Source {
  /** A page of the listing. */
  page(number: number): Promise<ShiftPage>;
  /** A page of what it lists in a stretch of days. */
  pageOf(stretch: Stretch, number: number): Promise<ShiftPage>;
  /** The shift at a place, from 1 on, of the listing or of a stretch. Costs next to nothing: it is for tag and total. */
  peek(place: number, stretch?: Stretch): Promise<ShiftPage>;
}

/** Thousands of single shifts. */
const PEEKED_BYTES = 1024 * 1024;

export function openSource(
  settings: Settings,
  memory: Memory,
  filter: ShiftFilter,
  signal: AbortSignal | undefined,
): Source {
  const ask = async (part: ShiftFilter, remembered: Memory) => {
    const page = await askPage(settings, remembered, writeQuery({ ...filter, ...part }), signal);
    checkSize(page, settings.maxCollectedShifts);
    return page;
  };
  const pages = withOwn(memory);
  // What is peeked at most often must not be pushed out by pages.
  const peeks = makeMemory(PEEKED_BYTES);
  const none = makeMemory(0);
  return {
    page: (page) => ask({ page }, pages),
    pageOf: (stretch, page) => ask({ ...stretch, page }, none),
    peek: (page, stretch) => ask({ ...stretch, page, per_page: 1 }, peeks),
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
