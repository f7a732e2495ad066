/**
 * An upstream for tests of the gateway: it speaks the API over a function, counts requests, and can be told to
 * misbehave.
 */

import type { Shift } from '@shiftfeed/client';

export interface FakeUpstream {
  /** Stands for the network. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The requests that came, in their order. */
  readonly requests: { readonly url: URL; readonly headers: Headers }[];
  shifts: readonly Shift[];
  /** What answers instead, while it is there. */
  instead: ((url: URL, init: RequestInit) => Response | Promise<Response>) | undefined;
  timeZone: string | undefined;
}

export interface FakeOptions {
  readonly shifts?: readonly Shift[];
  readonly timeZone?: string | undefined;
  /** Lists everything, whatever was asked for. */
  readonly isCareless?: boolean;
  readonly today?: string;
}

const PER_PAGE = 500;

export function fakeUpstream(options: FakeOptions = {}): FakeUpstream {
  const { isCareless = false, today = '9999-12-31' } = options;
  const upstream: FakeUpstream = {
    requests: [],
    shifts: options.shifts ?? [],
    instead: undefined,
    timeZone: 'timeZone' in options ? options.timeZone : 'Europe/Amsterdam',
    async fetch(address, init) {
      const url = new URL(address);
      const headers = new Headers(init.headers);
      upstream.requests.push({ url, headers });
      init.signal?.throwIfAborted();
      if (upstream.instead !== undefined) return upstream.instead(url, init);
      const wanted = isCareless
        ? upstream.shifts
        : upstream.shifts.filter((shift) => matches(shift, url.searchParams, today));
      return listing(wanted, Number(url.searchParams.get('page') ?? 1), headers, upstream.timeZone);
    },
  };
  return upstream;
}

export function listing(
  shifts: readonly Shift[],
  page = 1,
  headers = new Headers(),
  timeZone?: string,
): Response {
  const body = JSON.stringify({
    shifts: shifts.slice((page - 1) * PER_PAGE, page * PER_PAGE),
    meta: {
      total: shifts.length,
      page,
      per_page: PER_PAGE,
      total_pages: Math.ceil(shifts.length / PER_PAGE),
    },
  });
  const etag = `"${hash(body)}"`;
  const more: Record<string, string> = timeZone === undefined ? {} : { 'shiftfeed-time-zone': timeZone };
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: more });
  return new Response(body, { headers: { 'content-type': 'application/json', etag, ...more } });
}

export function makeShift(shift: Partial<Shift> = {}): Shift {
  const date = shift.date ?? '2026-11-16';
  return {
    id: 1,
    date,
    start_time: '09:00',
    end_time: '17:00',
    end_date: date,
    group: { id: 1, name: 'Kitchen' },
    location: { name: 'Harbour', address: '1 Quay Street' },
    person: { name: 'Robin Doe' },
    publish_date: '2026-11-01',
    remarks: '',
    starred: false,
    cancelled: false,
    noshow: false,
    ...shift,
  };
}

function matches(shift: Shift, query: URLSearchParams, today: string): boolean {
  const groupIds = query.get('group_ids')?.split(',').map(Number);
  return (
    (groupIds === undefined || groupIds.includes(shift.group.id)) &&
    shift.date >= (query.get('date_from') ?? '') &&
    shift.date <= (query.get('date_to') ?? '9999-12-31') &&
    (query.get('published') === 'false' || shift.publish_date <= today)
  );
}

function hash(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0;
  return value;
}
