import type { PublicShift } from './projection.ts';
import type { VisibleFeed } from './visible-feed.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The body of `GET /<feed>/shifts`. */
export interface FeedBody {
  readonly title: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly shifts: readonly PublicShift[];
}

export function writeJson({ feed, timeZone, window, shifts }: VisibleFeed): string {
  const body: Omit<FeedBody, 'shifts'> = {
    title: feed.title,
    time_zone: timeZone,
    from: window.from,
    to: window.to,
  };
  return `${JSON.stringify(body).slice(0, -1)},"shifts":[${shifts.map(rowOf).join()}]}`;
}

const rows = new WeakMap<PublicShift, string>();

/** Each shift is written once, however many queries show it. */
function rowOf(shift: PublicShift): string {
  const row = rows.get(shift) ?? JSON.stringify(shift);
  rows.set(shift, row);
  return row;
}
