/**
 * Reads a listing stretch by stretch, and again only those that changed. Stretches that were read one after the other
 * are one state if the tag of the whole listing is the same before and after, because a tag never comes back.
 */

import type { Shift } from './api.ts';
import type { ShiftPage } from './page.ts';
import { readInTurn } from './pages-in-turn.ts';
import { someAtATime } from './some-at-a-time.ts';
import type { Source } from './source.ts';
import { cutAt, monthsToCutAt, type Stretch } from './stretches.ts';

export interface StretchReader {
  /** Learns from the pages of a listing where to cut it. They need not be of one state. */
  cut(pages: readonly ShiftPage[]): void;
  /** Whether it is known where to cut. */
  isCut(): boolean;
  /** The pages of one state. undefined when the listing changed, or when stretches are no use any more. */
  read(): Promise<readonly ShiftPage[] | undefined>;
  /** Learns the tags of the stretches of a state. */
  learn(pages: readonly ShiftPage[]): Promise<void>;
}

/** Fewer pages than this are as quickly read as stretches. */
const MIN_PAGES = 4;
/** A state has to last until all stretches are asked for. */
const AT_A_TIME = 4;

/** Whether it pays to cut the listing of a page. A server that does not tag listings does not tag stretches, either. */
export function isWorthCutting({ listing, meta }: ShiftPage): boolean {
  return listing !== undefined && meta.total_pages >= MIN_PAGES;
}

export function makeStretchReader(source: Source): StretchReader {
  let pageSize = 0;
  let months: readonly string[] = [];
  const memory = makeStretchMemory(source);
  /** Not if another server lists in another order than from day to day. */
  let isUsable = true;

  function cut(pages: readonly ShiftPage[]): void {
    pageSize = pages[0]?.meta.per_page ?? pageSize;
    months = monthsToCutAt(shiftsOf(pages), pageSize, months);
  }

  async function read(): Promise<readonly ShiftPage[] | undefined> {
    const head = await source.peek(1);
    if (head.listing === undefined || head.meta.total <= pageSize) {
      months = [];
      return undefined;
    }
    const last = await source.peek(head.meta.total);
    const shifts = await memory.read(stretchesBetween(head.shifts[0], last.shifts[0]));
    const end = await source.peek(1);
    const isOneState = [head, last, end].every((page) => isOf(head.listing, page));
    if (!isOneState || shifts === undefined) return undefined;

    isUsable = shifts.length === end.meta.total;
    if (!isUsable) return undefined;
    const pages = pagesOf(shifts, pageSize, end);
    cut(pages);
    return pages;
  }

  async function learn(pages: readonly ShiftPage[]): Promise<void> {
    const shifts = shiftsOf(pages);
    const stretches = stretchesBetween(shifts[0], shifts.at(-1));
    await memory.learn(stretches, shifts, async () => isOf(pages[0]?.listing, await source.peek(1)));
  }

  function stretchesBetween(first: Shift | undefined, last: Shift | undefined): Stretch[] {
    return first === undefined || last === undefined ? [] : cutAt(months, first.date, last.date);
  }

  return { cut, isCut: () => isUsable && months.length > 1, read, learn };
}

interface StretchMemory {
  /** The shifts of all stretches, of which those that changed are read. undefined when one changed meanwhile. */
  read(stretches: readonly Stretch[]): Promise<readonly Shift[] | undefined>;
  /** Asks for the tags of stretches whose shifts are known. They are kept if the listing is still the same then. */
  learn(
    stretches: readonly Stretch[],
    shifts: readonly Shift[],
    isStillSame: () => Promise<boolean>,
  ): Promise<void>;
}

interface KnownStretch {
  readonly tag: string;
  readonly shifts: readonly Shift[];
}

/** The stretches as they were last read, by their tags. */
function makeStretchMemory(source: Source): StretchMemory {
  const known = new Map<string, KnownStretch>();

  /** Afterwards it is known, unless it changed while it was read. */
  async function readStretch(stretch: Stretch): Promise<void> {
    const before = known.get(keyOf(stretch));
    if (before !== undefined && isOf(before.tag, await source.peek(1, stretch))) return;
    known.delete(keyOf(stretch));
    const pages: ShiftPage[] = [];
    for await (const { page, hasChanged } of readInTurn((number) => source.pageOf(stretch, number))) {
      if (hasChanged || page.staleSeconds !== undefined) return;
      pages.push(page);
    }
    const tag = pages[0]?.listing;
    if (tag !== undefined) known.set(keyOf(stretch), { tag, shifts: shiftsOf(pages) });
  }

  function forgetOthers(stretches: readonly Stretch[]): void {
    const keys = new Set(stretches.map(keyOf));
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
  }

  return {
    async read(stretches) {
      await someAtATime(stretches, AT_A_TIME, readStretch);
      forgetOthers(stretches);
      if (known.size < stretches.length) return undefined;
      return stretches.flatMap((stretch) => known.get(keyOf(stretch))?.shifts ?? []);
    },
    async learn(stretches, shifts, isStillSame) {
      const learned = new Map<string, KnownStretch>();
      const unknown = stretches.filter((stretch) => !known.has(keyOf(stretch)));
      await someAtATime(unknown, AT_A_TIME, async (stretch) => {
        const { listing: tag } = await source.peek(1, stretch);
        if (tag !== undefined) learned.set(keyOf(stretch), { tag, shifts: within(stretch, shifts) });
      });
      if (learned.size === 0 || !(await isStillSame())) return;
      for (const [key, stretch] of learned) known.set(key, stretch);
    },
  };
}

export function shiftsOf(pages: readonly ShiftPage[]): readonly Shift[] {
  return pages.flatMap(({ shifts }) => shifts);
}

function keyOf({ date_from, date_to }: Stretch): string {
  return `${date_from}/${date_to}`;
}

function within({ date_from, date_to }: Stretch, shifts: readonly Shift[]): readonly Shift[] {
  return shifts.filter(({ date }) => date >= date_from && date <= date_to);
}

/** A server whose database is away may answer with an older state than it did before. */
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
