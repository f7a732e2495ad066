/** An answer of the API: what is worth knowing about it, and its shifts as a calendar. */

import type { Shift } from '@shiftfeed/client';
import { find, make } from './dom.ts';
import { filterText, readFilters } from './filters.ts';
import { type Access, type ApiAnswer, askListing } from './listing.ts';

/** Replaces the facts that are shown. */
export function showFacts(list: HTMLElement, answer: ApiAnswer) {
  const { headers } = answer;
  const stale = headers.get('shiftfeed-stale');
  const facts: [title: string, value: string | null][] = [
    ['Status', String(answer.status)],
    ['Time', `${Math.max(1, Math.round(answer.durationMs))} ms`],
    ['Size', sizeOf(answer)],
    ['Revision', headers.get('shiftfeed-revision')],
    ['ETag', headers.get('etag')],
    ['Time zone', headers.get('shiftfeed-time-zone')],
    ['Stale', stale && `${stale} s old: the database is away`],
  ];
  list.replaceChildren(
    ...facts.flatMap(([title, value]) =>
      value === null ? [] : [make('div', {}, make('dt', {}, title), make('dd', {}, value))],
    ),
  );
  list.hidden = false;
}

function sizeOf({ headers, bodyBytes }: ApiAnswer) {
  const encoding = headers.get('content-encoding');
  const sent = Number(headers.get('content-length') ?? 0);
  const size = readableBytes(bodyBytes);
  return encoding === null || sent === 0 ? size : `${size}, ${readableBytes(sent)} as ${encoding}`;
}

function readableBytes(bytes: number) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** Loaded when it is wanted, from beside this script. */
const COMPONENT = './shift-calendar.js';
/** The most that the API gives at once. */
const PER_PAGE = 500;
/** The calendar shows no more than 20,000 shifts at a time. */
const MAX_PAGES = 40;

/** Shows whatever matches the filters, on the days that the calendar is at. It begins at this date. */
export async function showCalendar(panel: HTMLElement, access: Access, date: string | undefined) {
  await import(COMPONENT);
  if (panel.firstChild === null) {
    const view = matchMedia('(max-width: 40rem)').matches ? 'list' : 'month';
    panel.append(make('shift-calendar' as 'div', { view, locale: 'en-GB' }));
  }
  const calendar = find('shift-calendar', HTMLElement, panel);
  if (date !== undefined) calendar.setAttribute('date', date);
  Object.assign(calendar, { source: sourceFor(access) });
}

/** Lets it ask again for the days that it is at. */
export async function refreshCalendar(panel: HTMLElement) {
  await (panel.firstChild as (HTMLElement & { refresh(): Promise<void> }) | null)?.refresh();
}

function sourceFor(access: Access) {
  return async ({ from, to, signal }: { from: string; to: string; signal: AbortSignal }) => {
    const range = {
      date_from: [from, filterText('date_from')].sort().at(-1) ?? from,
      date_to: [to, filterText('date_to') || to].sort()[0] ?? to,
    };
    const shifts: Shift[] = [];
    for (let page = 1; ; page++) {
      const search = readFilters({ ...range, page: String(page), per_page: String(PER_PAGE) });
      const { listing, error, headers } = await askListing(access, search, signal);
      if (listing === undefined) throw new Error(error);
      shifts.push(...listing.shifts);
      if (page >= Math.min(listing.meta.total_pages, MAX_PAGES)) {
        const zone = headers.get('shiftfeed-time-zone') ?? undefined;
        return { title: access.account, time_zone: zone, shifts };
      }
    }
  };
}
