/**
 * What one visitor sees of a copy: the shifts of the feed, narrowed by the query and by the day that it is. A query can
 * only narrow what the owner shows. Anything that is not exactly right is refused, because an ignored filter would show
 * more than the visitor's website meant to show.
 */

import { isDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import type { FeedConfig } from './config.ts';
import { firstStartFor, isOnFrom, type PublicShift, type Window, windowOf } from './projection.ts';
import type { Reading } from './upstream.ts';

export interface VisibleFeed {
  readonly feed: FeedConfig;
  /** Of the person whose shifts these are, where they are one person's own. */
  readonly link: string | undefined;
  readonly copy: Reading;
  /** What was looked at. Where a query asks for days that are not shown, it begins after its end. */
  readonly window: Window;
  readonly narrowing: Narrowing;
  /** The current date in the zone. */
  readonly today: string;
  readonly shifts: readonly PublicShift[];
}

/** When it is looked at. */
export interface Moment {
  readonly nowMs: number;
  /** When the upstream last said what is shown; now, as long as that is as new as the feed allows. */
  readonly asOfMs: number;
}

/** `looksBack` is whether to show what began before the window and is still on. */
export function visibleFeed(
  feed: FeedConfig,
  copy: Reading,
  today: string,
  narrowing: Narrowing,
  looksBack: boolean,
  link: string | undefined,
): VisibleFeed {
  // A copy of yesterday must not show a day that is over.
  const window = windowOf(feed, today);
  const from = latest(copy.window.from, window.from, narrowing.from);
  const to = earliest(copy.window.to, window.to, narrowing.to);
  // Whoever looks further back gets what began there and is still on.
  const firstStart = narrowing.from ?? (looksBack ? firstStartFor({ from, to }) : from);
  // Where the group of a shift is not shown, no shift has one: else the answers to group_ids=1, group_ids=2 and so on
  // would tell it.
  const groupIds = narrowing.groupIds && new Set(narrowing.groupIds);
  return {
    feed,
    link,
    copy,
    window: { from, to },
    narrowing,
    today,
    shifts: copy.shifts.filter(
      (shift) =>
        from <= to &&
        shift.date >= firstStart &&
        shift.date <= to &&
        isOnFrom(from, shift) &&
        (groupIds === undefined || (shift.group !== undefined && groupIds.has(shift.group.id))),
    ),
  };
}

export function latest(first: string, ...others: readonly (string | undefined)[]): string {
  return others.reduce<string>((last, other = last) => (other > last ? other : last), first);
}

function earliest(first: string, ...others: readonly (string | undefined)[]): string {
  return others.reduce<string>((last, other = last) => (other < last ? other : last), first);
}

/** What a visitor asks for. */
export interface Narrowing {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Sorted, without repetition. */
  readonly groupIds: readonly number[] | undefined;
}

/** What is wrong with a query, as a sentence for whoever wrote it. */
export class BadQuery extends Error {}

const NO_NARROWING: Narrowing = { from: undefined, to: undefined, groupIds: undefined };
/** Enough for every group of a large organisation, and few enough to remember. */
const MAX_GROUP_IDS = 1000;

export function readNarrowing(search: string): Narrowing | BadQuery {
  if (search === '' || search === '?') return NO_NARROWING;
  try {
    return readSearch(search);
  } catch (error) {
    if (error instanceof BadQuery) return error;
    throw error;
  }
}

function readSearch(search: string): Narrowing {
  const dates = new Map<string, string>();
  let groupIds: Set<number> | undefined;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === 'date_from' || name === 'date_to') {
      if (dates.has(name)) throw new BadQuery(`${name} is given twice.`);
      dates.set(name, readDate(name, value));
    } else if (/^group_ids(?:\[\d*\])?$/.test(name)) {
      groupIds ??= new Set();
      for (const id of readIds(value)) groupIds.add(id);
      if (groupIds.size > MAX_GROUP_IDS) throw new BadQuery(`group_ids has more than ${MAX_GROUP_IDS} ids.`);
    } else {
      throw new BadQuery(`There is no parameter ${quote(name)}: expected date_from, date_to or group_ids.`);
    }
  }
  return {
    from: dates.get('date_from'),
    to: dates.get('date_to'),
    groupIds: groupIds && [...groupIds].sort((a, b) => a - b),
  };
}

/** The query that asks for just this, with its question mark, or nothing. */
export function writeNarrowing({ from, to, groupIds }: Narrowing): string {
  const search = new URLSearchParams({
    ...(from !== undefined && { date_from: from }),
    ...(to !== undefined && { date_to: to }),
    ...(groupIds !== undefined && { group_ids: groupIds.join() }),
  });
  return search.size === 0 ? '' : `?${search}`;
}

function readDate(name: string, value: string): string {
  const date = value.trim();
  if (!isDate(date)) throw new BadQuery(`${name} is ${quote(value)}: expected a date such as 2027-03-06.`);
  return date;
}

function readIds(value: string): number[] {
  return value.split(',').map((item) => {
    const text = item.trim();
    const id = Number(text);
    if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) {
      throw new BadQuery(`group_ids is ${quote(value)}: expected ids of groups, such as 1,4.`);
    }
    return id;
  });
}
