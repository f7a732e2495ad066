/**
 * Decides what leaves the gateway. This is the only place where a shift of the upstream becomes a public one: a new
 * object, built key by key from what the owner chose. Fields that are not named here are dropped, and no other part of
 * the gateway ever holds them.
 */

import type { Shift } from '@shiftfeed/client';
import { dateAfter } from '@shiftfeed/common/days';
import type { FeedConfig } from './config.ts';

export type PublicShift = Pick<Shift, 'id' | 'date' | 'start_time' | 'end_time' | 'end_date'> &
  Partial<
    Pick<
      Shift,
      'group' | 'location' | 'person' | 'publish_date' | 'remarks' | 'starred' | 'cancelled' | 'noshow'
    >
  > & {
    /** Nobody is assigned. */
    readonly open?: boolean;
  };

/** The days that are shown, first and last. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

export function windowOf({ daysBack, daysAhead }: FeedConfig, today: string): Window {
  return { from: dateAfter(today, -daysBack), to: dateAfter(today, daysAhead) };
}

/**
 * A week on call is still running when the day on which it began is no longer shown. So calendars ask for this many
 * days before the ones that they show.
 */
const LOOK_BACK_DAYS = 7;

/** The first day on which a shift may have begun that is still running when a window begins. */
export function firstStartFor({ from }: Window): string {
  return dateAfter(from, -LOOK_BACK_DAYS);
}

/** Whether a shift begins on this day or later, or is still running then. One that ended at midnight is not. */
export function isOnFrom(day: string, { date, end_date, end_time }: PublicShift): boolean {
  return date >= day || end_date > day || (end_date === day && end_time > '00:00');
}

/** The upstream was asked for exactly these shifts. If it answers with others, they are not shown. */
export function isPublic(shift: Shift, feed: FeedConfig, window: Window, today: string): boolean {
  return (
    (feed.groupIds === 'all' || feed.groupIds.has(shift.group.id)) &&
    (feed.showsUnpublished || shift.publish_date <= today) &&
    !(feed.hidesCancelled && shift.cancelled) &&
    shift.date >= firstStartFor(window) &&
    isOnFrom(window.from, shift) &&
    shift.date <= window.to
  );
}

export function byTime(a: PublicShift, b: PublicShift): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  if (a.start_time !== b.start_time) return a.start_time < b.start_time ? -1 : 1;
  return a.id - b.id;
}

export function publicShift(shift: Shift, { show, hidesCancelled }: FeedConfig): PublicShift {
  const { group, location, person } = shift;
  return {
    id: shift.id,
    date: shift.date,
    start_time: shift.start_time,
    end_time: shift.end_time,
    end_date: shift.end_date,
    ...(show.has('group') && { group: { id: group.id, name: group.name } }),
    ...(show.has('location') && {
      location: location && { name: location.name, address: location.address },
    }),
    ...(show.has('person') && { person: person && { name: person.name } }),
    ...(show.has('publish_date') && { publish_date: shift.publish_date }),
    ...(show.has('remarks') && { remarks: shift.remarks }),
    ...(show.has('starred') && { starred: shift.starred }),
    ...(!hidesCancelled && { cancelled: shift.cancelled }),
    ...(show.has('noshow') && { noshow: shift.noshow }),
    ...(show.has('open') && { open: person === null }),
  };
}
