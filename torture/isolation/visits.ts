/** Visits of feeds, in every form: nothing is in them that the owner did not choose. */

import type { Shift as ListedShift } from '@shiftfeed/client';
import { type FeedDocument, openGateway, SHOW_KEYS } from '@shiftfeed/gateway';
import { pino } from 'pino';
import { startGatewayServer } from '../../src/gateway/server.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import { makeProblemLog } from '../../src/http/observe/problem-log.ts';
import type { Shift } from '../../src/listing/shift.ts';
import {
  expected,
  inOrder,
  isVisible,
  type Query,
  searchOf,
  showOf,
  unfolded,
} from '../../test/kit/gateway/oracle.ts';
import { expectedBody } from '../../test/listing/oracle.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { ANY_PORT } from '../../test/support/server-options.ts';
import type { Service } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { type Get, makeClient } from '../client.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { GROUP_IDS, SENTINEL, type TestAccount, TODAY, visibleShifts } from './accounts.ts';
import { ENCODINGS } from './tokens.ts';

/** The feeds of one account, and where they are. */
export interface Feeds {
  readonly url: string;
  readonly get: Get;
  readonly feeds: Readonly<Record<string, FeedDocument>>;
  /** As the upstream lists them. */
  readonly shifts: readonly ListedShift[];
}

const FEEDS = 6;
const FORMS = ['/shifts', '/shifts.ics', ''] as const;
const ALL = { published: false, page: 1, per_page: 1_000, date_from: '1000-01-01' };

/** A gateway for the account on a port of its own. */
export async function openFeeds(
  context: Cleanup,
  service: Service,
  account: TestAccount,
  number: number,
  width: number,
): Promise<Feeds> {
  const draw = makeDraw(number, `feeds of ${account.slug}`);
  const feeds = Object.fromEntries(Array.from({ length: FEEDS }, (_, i) => [`feed${i}`, drawFeed(draw)]));
  const logger = pino({ level: 'silent' });
  const server = await startGatewayServer({
    gateway: openGateway({
      config: { upstream: `${service.url}/${account.slug}`, feeds },
      token: account.tokens.live,
      clock: () => service.nowMs,
    }),
    address: ANY_PORT,
    limits: DEFAULT_LIMITS,
    logger,
    logRequests: false,
    problems: makeProblemLog(logger),
    metrics: undefined,
  });
  context.after(() => server.stop());
  const { shifts } = JSON.parse(expectedBody(visibleShifts(account), ALL, TODAY, account.sort));
  const get = makeClient(context, server.url, width);
  // A busy machine may take too long to read a feed for the first time. After that, visitors wait for nothing.
  for (const name of Object.keys(feeds)) {
    await until(`${name} is read`, async () => (await get(`/${name}/shifts`, {})).status === 200);
  }
  return { url: server.url, get, feeds, shifts };
}

function drawFeed(draw: Draw): FeedDocument {
  return {
    title: 'Title',
    group_ids: draw.chance(0.3) ? 'all' : draw.some(GROUP_IDS, 3),
    show: draw.chance(0.1) ? [] : draw.some(SHOW_KEYS, SHOW_KEYS.length),
    days_back: draw.integer(0, 5),
    days_ahead: draw.integer(0, 60),
    cancelled: draw.pick(['show', 'hide'] as const),
    unpublished: draw.chance(0.3),
    origins: draw.pick([[], ['*'], ['https://www.example.org']]),
  };
}

/** Throws when a promise is broken. Returns the path that was visited. */
export async function tryVisit(seed: number, { get, feeds, shifts }: Feeds): Promise<string> {
  const draw = makeDraw(seed, 'visit');
  const [name, feed] = draw.pick(Object.entries(feeds));
  const form = draw.pick(FORMS);
  const query = drawNarrowing(draw);
  const path = `/${name}${form}${searchOf(query)}`;
  const { status, headers, body } = await get(path, {
    'accept-encoding': draw.pick(ENCODINGS),
    'accept-language': draw.pick(['en', 'de-AT,de;q=0.9', 'he', 'xx']),
    origin: 'https://www.example.org',
  });
  const visible = shifts.filter((shift) => isVisible(shift, feed, TODAY, query));
  const text = JSON.stringify(headers) + unfolded(body);
  if (status !== 200) throw new Error(`${path} was answered ${status} ${body}`);
  const allowed = allowedTexts(visible, feed);
  const leaked = text.match(SENTINEL)?.find((sentinel) => !allowed.has(sentinel));
  if (leaked !== undefined)
    throw new Error(`${path} shows ${leaked}, and the feed is ${JSON.stringify(feed)}`);
  if (form === '/shifts') checkJson(path, body, visible, feed);
  return form;
}

function drawNarrowing(draw: Draw): Query {
  const day = () =>
    new Date(Date.parse(TODAY) + draw.integer(-10, 40) * 86_400_000).toISOString().slice(0, 10);
  return {
    ...(draw.chance(0.3) && { date_from: day() }),
    ...(draw.chance(0.3) && { date_to: day() }),
    ...(draw.chance(0.3) && { group_ids: draw.some([...GROUP_IDS, 77], 3) }),
  };
}

function allowedTexts(visible: readonly ListedShift[], feed: FeedDocument): ReadonlySet<string> {
  const show = showOf(feed);
  return new Set(
    visible.flatMap(({ group, location, person, remarks }) => [
      ...(show.includes('group') ? [group.name] : []),
      ...(show.includes('location') && location ? [location.name, location.address] : []),
      ...(show.includes('person') && person ? [person.name] : []),
      ...(show.includes('remarks') ? [remarks] : []),
    ]),
  );
}

function checkJson(path: string, body: string, visible: readonly ListedShift[], feed: FeedDocument): void {
  const wanted = inOrder(visible, feed).map((shift) => expected(shift, feed));
  const { shifts } = JSON.parse(body) as { shifts: readonly Shift[] };
  const sorted = (value: object) => JSON.stringify(Object.entries(value).sort());
  if (shifts.map(sorted).join() !== wanted.map(sorted).join()) {
    throw new Error(`${path} is not what was chosen: ${body}\n${JSON.stringify(wanted)}`);
  }
}
