/** Upstreams that answer with anything: the client reads it rightly or throws one of its errors, and visitors get 200 or 503. */

import { ShiftfeedClient, ShiftfeedError } from '@shiftfeed/client';
import { createGateway } from '@shiftfeed/gateway';
import { listing, makeShift } from '../../test/kit/gateway/upstream.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { tryCalendar } from './calendars.ts';
import { mutated } from './mutate.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const TOKEN = 'shiftfeed_TokenSentinel';
const REMARK = 'RemarkSentinel';
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'shiftfeed-time-zone': 'Mars/Olympus' },
  { 'shiftfeed-time-zone': '' },
  { etag: 'x' },
  { 'retry-after': '99999999999999999999' },
  { 'retry-after': '-1' },
  { 'last-modified': 'yesterday' },
  { 'content-type': 'text/html' },
  { 'shiftfeed-listing': '\u00e9'.repeat(100) },
];
const STATUSES = [206, 304, 400, 401, 403, 404, 429, 500, 503];

/** Throws when a promise is broken. Says what came of it. */
export async function tryUpstream(seed: number): Promise<string[]> {
  const draw = makeDraw(seed, 'upstream');
  const plan = Array.from({ length: 12 }, () => draw.integer(1, 2 ** 30));
  const fetch = () => {
    let asked = 0;
    // Whatever is asked, the answers of a seed come in the same order.
    return async () => drawAnswer(makeDraw(plan[asked++ % plan.length] as number));
  };
  switch (draw.weighted({ client: 1, gateway: 1, calendar: 1 })) {
    case 'client':
      return [await tryClient(fetch())];
    case 'gateway':
      return [await tryGateway(draw, fetch())];
    case 'calendar':
      return [tryCalendar(draw)];
  }
}

async function drawAnswer(draw: Draw): Promise<Response> {
  if (draw.chance(0.05)) throw new TypeError('fetch failed');
  const shifts = Array.from({ length: draw.pick([0, 1, 3]) }, (_, i) =>
    makeShift({ id: i + 1, remarks: REMARK }),
  );
  const right = listing(shifts, 1, new Headers(), 'Europe/Amsterdam');
  const bytes = Buffer.from(await right.arrayBuffer());
  const status = draw.chance(0.8) ? 200 : draw.pick(STATUSES);
  const body = status === 304 ? null : new Uint8Array(draw.chance(0.5) ? bytes : mutated(draw, bytes));
  return new Response(body, {
    status,
    headers: { ...Object.fromEntries(right.headers), ...draw.pick(ODD_HEADERS) },
  });
}

async function tryClient(fetch: () => Promise<Response>): Promise<string> {
  const client = new ShiftfeedClient({ url: 'https://up.example/acme', token: TOKEN, fetch, retries: 0 });
  try {
    const { shifts } = await client.list();
    for (const { id, date } of shifts) {
      if (!Number.isSafeInteger(id) || !/^\d{4}-\d\d-\d\d$/.test(date))
        throw new TypeError(`a shift ${id} on ${date}`);
    }
    return 'answers that the client took';
  } catch (error) {
    if (!(error instanceof ShiftfeedError)) throw new Error(`The client threw ${error}`, { cause: error });
    if (String(error.stack).includes(TOKEN)) throw new Error(`An error tells the token: ${error.message}`);
    return 'answers that the client refused';
  }
}

async function tryGateway(draw: Draw, fetch: () => Promise<Response>): Promise<string> {
  const gateway = createGateway({
    config: { upstream: 'https://up.example/acme', feeds: { feed: { group_ids: 'all', show: ['group'] } } },
    token: TOKEN,
    clock: () => NOW_MS,
    fetch,
  });
  const path = draw.pick(['/feed', '/feed/shifts', '/feed/shifts.ics']);
  const response = await gateway(new Request(`https://gw.example.org${path}`));
  const body = await response.text();
  if (body.includes(TOKEN) || body.includes(REMARK)) throw new Error(`${path} shows what is hidden: ${body}`);
  if (response.status !== 200 && response.status !== 503)
    throw new Error(`${path} was answered ${response.status} ${body}`);
  return response.status === 200
    ? 'visits that were shown something'
    : 'visits that were asked to come again';
}
