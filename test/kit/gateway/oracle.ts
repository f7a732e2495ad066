/** What a feed of the gateway may show, as a reader of the manual would say. It shares no code with the gateway. */

import type { Shift } from '@shiftfeed/client';
import type { FeedDocument, ShowKey } from '@shiftfeed/gateway';

/** What a visitor asks for. */
export type Query = Partial<{ date_from: string; date_to: string; group_ids: readonly number[] }>;

export function isVisible(shift: Shift, feed: FeedDocument, today: string, query: Query): boolean {
  const { days_back = 0, days_ahead = 90 } = feed;
  const daysUntil = (date: string) => (Date.parse(date) - Date.parse(today)) / 86_400_000;
  const days = daysUntil(shift.date);
  if (days > days_ahead) return false;
  if (days < -days_back) {
    // Whoever asks further back sees what is still on, if it began no more than a week before.
    if (query.date_from === undefined || days < -days_back - 7) return false;
    if (daysUntil(shift.end_date) < -days_back) return false;
    if (query.date_to !== undefined && daysUntil(query.date_to) < -days_back) return false;
  }
  if (feed.group_ids !== 'all' && !feed.group_ids.includes(shift.group.id)) return false;
  if (feed.unpublished !== true && Date.parse(shift.publish_date) > Date.parse(today)) return false;
  if (feed.cancelled === 'hide' && shift.cancelled) return false;
  if (query.date_from !== undefined && shift.date < query.date_from) return false;
  if (query.date_to !== undefined && shift.date > query.date_to) return false;
  if (query.group_ids === undefined) return true;
  // Whoever could ask for a group that is not shown would learn which shifts are of it.
  return showOf(feed).includes('group') && query.group_ids.includes(shift.group.id);
}

/** The order of the upstream, unless it could tell groups that are not shown. */
export function inOrder(shifts: readonly Shift[], feed: FeedDocument): readonly Shift[] {
  if (showOf(feed).includes('group')) return shifts;
  const keyOf = ({ date, start_time, id }: Shift) => `${date} ${start_time} ${String(id).padStart(16, '0')}`;
  return shifts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function expected(shift: Shift, feed: FeedDocument): object {
  const all: Record<string, unknown> = { ...shift, open: shift.person === null };
  const always = ['id', 'date', 'start_time', 'end_time', 'end_date'];
  const keys = [...always, ...(feed.cancelled === 'hide' ? [] : ['cancelled']), ...showOf(feed)];
  return Object.fromEntries(keys.map((key) => [key, all[key]]));
}

export function showOf(feed: FeedDocument): readonly ShowKey[] {
  return feed.show ?? ['group', 'location'];
}

export function searchOf(query: Query): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? '' : `?${search}`;
}

/** The lines of a calendar are folded. */
export function unfolded(text: string): string {
  return text.replaceAll('\r\n ', '').replaceAll('\r\n', '\n');
}
