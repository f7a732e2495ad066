/**
 * An upstream for tests of the gateway: it speaks the API over a function, counts requests, and can be told to
 * misbehave.
 */

import type { Shift } from '@shiftfeed/client';
import type { FeedDocument, GatewayOptions, Visit } from '@shiftfeed/gateway';

export interface FakeUpstream {
  /** Stands for the network. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The requests that came, in their order. */
  readonly requests: { readonly url: URL; readonly headers: Headers }[];
  shifts: readonly Shift[];
  /** What answers instead, while it is there. */
  instead: ((url: URL, init: RequestInit) => Response | Promise<Response>) | undefined;
  timeZone: string | undefined;
  /** Called after each answer, as somebody who writes to the plan meanwhile. */
  afterAnswer: (() => void) | undefined;
  /** Replaces the shifts at a moment, which the months of what changed remember. */
  write(shifts: readonly Shift[], atMs: number): void;
}

export interface FakeOptions {
  readonly shifts?: readonly Shift[];
  readonly timeZone?: string | undefined;
  /** Lists everything, whatever was asked for. */
  readonly isCareless?: boolean;
  readonly today?: string;
  /** When all shifts were written. Then it tells the state of listings, as the service does. */
  readonly writtenMs?: number;
}

const PER_PAGE = 500;

export function fakeUpstream(options: FakeOptions = {}): FakeUpstream {
  const { isCareless = false, today = '9999-12-31', writtenMs } = options;
  const stamps = new Map<string, number>();
  const write = (shifts: readonly Shift[], atMs: number) => {
    const known = new Set(upstream.shifts);
    const given = new Set(shifts);
    const changed = [
      ...upstream.shifts.filter((shift) => !given.has(shift)),
      ...shifts.filter((shift) => !known.has(shift)),
    ];
    for (const { date } of changed) stamps.set(date.slice(0, 7), atMs);
    upstream.shifts = shifts;
  };
  const upstream: FakeUpstream = {
    requests: [],
    shifts: [],
    write,
    instead: undefined,
    afterAnswer: undefined,
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
      const page = Number(url.searchParams.get('page') ?? 1);
      const more = writtenMs === undefined ? {} : stateOf(url.searchParams, stamps);
      const answer = listing(wanted, page, headers, upstream.timeZone, more);
      upstream.afterAnswer?.();
      return answer;
    },
  };
  write(options.shifts ?? [], writtenMs ?? 0);
  return upstream;
}

/** What a gateway with one feed needs, at noon in Greenwich on 15 November 2026. */
export function optionsFor(
  upstream: Pick<FakeUpstream, 'fetch'>,
  feed: Partial<FeedDocument> = {},
  options: Partial<GatewayOptions> = {},
): GatewayOptions {
  return {
    config: { upstream: 'https://up.example/acme', feeds: { kitchen: { group_ids: 'all', ...feed } } },
    token: 'shiftfeed_x',
    clock: () => Date.parse('2026-11-15T12:00:00Z'),
    fetch: upstream.fetch,
    ...options,
  };
}

/** A visit as a server passes it on to a gateway. */
export function visitTo(target: string, headers: Readonly<Record<string, string>> = {}): Visit {
  const { pathname, search, origin } = new URL(target, 'https://gw.example.org');
  return { method: 'GET', path: pathname, search, origin: () => origin, header: (name) => headers[name] };
}

export function listing(
  shifts: readonly Shift[],
  page = 1,
  headers = new Headers(),
  timeZone?: string,
  state: Readonly<Record<string, string>> = {},
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
  const more = { ...(timeZone === undefined ? {} : { 'shiftfeed-time-zone': timeZone }), ...state };
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

/** Of the months that a query touches. */
function stateOf(query: URLSearchParams, stamps: ReadonlyMap<string, number>): Record<string, string> {
  const from = query.get('date_from') ?? '';
  const to = query.get('date_to') ?? '9999-12-31';
  const touched = [...stamps]
    .filter(([month]) => month >= from.slice(0, 7) && month <= to.slice(0, 7))
    .sort();
  if (touched.length === 0) return { 'shiftfeed-listing': 'never' };
  return {
    'shiftfeed-listing': String(hash(`${from} ${to} ${touched}`)),
    'last-modified': new Date(Math.max(...touched.map(([, ms]) => ms))).toUTCString(),
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
