/** What one visitor sees of a copy: the shifts of the feed, narrowed by the query and by the day that it is. */

import type { FeedConfig } from './config.ts';
import type { FeedCopy } from './feed-copy.ts';
import type { Narrowing } from './narrowing.ts';
import { firstStartFor, isOnFrom, type PublicShift, type Window, windowOf } from './projection.ts';

export interface VisibleFeed {
  readonly feed: FeedConfig;
  /** Of the person whose shifts these are, where they are one person's own. */
  readonly link: string | undefined;
  readonly timeZone: string;
  /** What was looked at. Where a query asks for days that are not shown, it begins after its end. */
  readonly window: Window;
  /** The days of the copy, before the date and the visitor narrowed them. */
  readonly copyWindow: Window;
  readonly narrowing: Narrowing;
  /** The current date in the zone. */
  readonly today: string;
  readonly shifts: readonly PublicShift[];
  /** When each month was last written to, as far as that is known. */
  readonly modifiedMs: Readonly<Record<string, number>>;
}

/** When it is looked at. */
export interface Moment {
  readonly nowMs: number;
  /** When the upstream last said what is shown; now, as long as that is as new as the feed allows. */
  readonly asOfMs: number;
}

interface Way {
  /** Whether to show what began before the window and is still on. */
  readonly looksBack?: boolean | undefined;
  /** Of the person whose shifts alone are shown. */
  readonly link?: string | undefined;
}

export function visibleFeed(
  feed: FeedConfig,
  copy: FeedCopy,
  today: string,
  narrowing: Narrowing,
  { looksBack = false, link }: Way = {},
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
    timeZone: copy.timeZone,
    window: { from, to },
    copyWindow: copy.window,
    narrowing,
    today,
    modifiedMs: copy.modifiedMs,
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

function latest(first: string, second: string, asked: string | undefined): string {
  return [first, second, asked ?? first].reduce((a, b) => (a > b ? a : b));
}

function earliest(first: string, second: string, asked: string | undefined): string {
  return [first, second, asked ?? first].reduce((a, b) => (a < b ? a : b));
}
