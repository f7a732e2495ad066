/**
 * Nothing leaves the gateway that the owner did not allow. Every value of every shift is a text of its own that can be
 * found in the raw bytes of an answer, and an oracle that shares no code with the gateway says which of them may be
 * there.
 */

import assert from 'node:assert/strict';
import type { Shift } from '@shiftfeed/client';
import {
  createGateway,
  type FeedDocument,
  type GatewayOptions,
  openLinkList,
  SHOW_KEYS,
} from '@shiftfeed/gateway';
import fc from 'fast-check';
import { expected, inOrder, isVisible, searchOf, showOf, unfolded } from './oracle.ts';
import { fakeUpstream } from './upstream.ts';

const TOKEN = 'shiftfeed_TOKENSENTINEL';
const NOW = '2026-11-15T22:30:00Z';
const ZONES = { 'Europe/Amsterdam': '2026-11-15', 'Pacific/Auckland': '2026-11-16', UTC: '2026-11-15' };
const GROUPS = 4;

const anyShow = fc.subarray([...SHOW_KEYS]);
const anyFeed: fc.Arbitrary<FeedDocument> = fc.record(
  {
    title: fc.constant('Title of the feed'),
    group_ids: fc.oneof(
      fc.constant('all' as const),
      fc.subarray([groupId(0), groupId(1), groupId(2), groupId(3)], { minLength: 1 }),
    ),
    show: anyShow,
    days_back: fc.integer({ min: 0, max: 12 }),
    days_ahead: fc.integer({ min: 0, max: 12 }),
    cancelled: fc.constantFrom('show' as const, 'hide' as const),
    unpublished: fc.boolean(),
    origins: fc.constantFrom([], ['*'], ['https://www.example.org']),
    personal: fc.boolean(),
  },
  { requiredKeys: ['group_ids'] },
);

const anyShift = fc.record({
  day: fc.integer({ min: -15, max: 15 }),
  group: fc.integer({ min: 0, max: GROUPS - 1 }),
  hasLocation: fc.boolean(),
  hasPerson: fc.boolean(),
  publishedDaysAgo: fc.integer({ min: -3, max: 3 }),
  starred: fc.boolean(),
  cancelled: fc.boolean(),
  noshow: fc.boolean(),
  nights: fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 12 })),
});

const anyQuery = fc.record(
  {
    date_from: fc.integer({ min: -20, max: 20 }).map(dateOf),
    date_to: fc.integer({ min: -20, max: 20 }).map(dateOf),
    group_ids: fc.array(fc.integer({ min: 0, max: GROUPS }).map(groupId), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** No answer in any form holds a field, a group or a shift that the owner did not allow. */
export async function tryFeeds(parameters: {
  readonly numRuns: number;
  readonly seed?: number;
}): Promise<void> {
  const anything = fc.record({
    feed: anyFeed,
    shifts: fc.array(anyShift, { maxLength: 12 }).map((plans) => plans.map(shiftWithSentinels)),
    queries: fc.array(anyQuery, { minLength: 1, maxLength: 3 }),
    zone: fc.constantFrom(...(Object.keys(ZONES) as (keyof typeof ZONES)[])),
    isZoneConfigured: fc.boolean(),
    isCareless: fc.boolean(),
    acceptLanguage: fc.constantFrom('en', 'de-AT,de;q=0.9', 'ja', 'nl'),
  });
  await fc.assert(
    fc.asyncProperty(anything, async (run) => {
      const today = ZONES[run.zone];
      const upstream = fakeUpstream({
        shifts: run.shifts,
        isCareless: run.isCareless,
        today,
        ...(run.isZoneConfigured ? { timeZone: undefined } : { timeZone: run.zone }),
      });
      const options: GatewayOptions = {
        config: {
          upstream: 'https://upstreamsentinel.example/account-sentinel',
          ...(run.isZoneConfigured && { time_zone: run.zone }),
          feeds: { kitchen: run.feed },
        },
        token: TOKEN,
        linksSecret: 'LINKSSECRETSENTINEL'.repeat(2),
        clock: () => Date.parse(NOW),
        fetch: upstream.fetch,
      };
      const gateway = createGateway(options);
      const person = run.shifts.find((shift) => shift.person !== null)?.person?.name;
      const own = run.feed.personal && person !== undefined ? await pathOf(options, person) : undefined;
      const visits = [{}, ...run.queries].flatMap((query) => [
        { query, path: '/kitchen', whose: undefined },
        ...(own === undefined ? [] : [{ query, path: own, whose: person }]),
      ]);
      for (const { query, path: root, whose } of visits) {
        const search = searchOf(query);
        const isTheirs = (shift: Shift) => whose === undefined || shift.person?.name === whose;
        const visible = run.shifts.filter(
          (shift) => isVisible(shift, run.feed, today, query) && isTheirs(shift),
        );
        // Pages also have what is still on, as whoever looks further back sees it.
        const stillOn = run.shifts.filter((shift) =>
          isVisible(shift, run.feed, today, { date_from: '1000-01-01', ...query }),
        );
        const forbiddenIn = (shown: readonly Shift[]) => {
          const allowed = allowedSentinels(shown, run.feed);
          // What the visitor wrote may come back.
          return sentinelsOf(run.shifts).filter((one) => !allowed.has(one) && !search.includes(one));
        };
        for (const path of [`${root}/shifts`, `${root}/shifts.ics`, root]) {
          const shown = path === root ? stillOn.filter(isTheirs) : visible;
          const response = await gateway(
            new Request(`https://gw.example.org${path}${search}`, {
              headers: { 'accept-language': run.acceptLanguage, origin: 'https://www.example.org' },
            }),
          );
          const text = JSON.stringify([...response.headers]) + unfolded(await response.text());
          for (const sentinel of forbiddenIn(shown)) {
            assert.ok(!text.includes(sentinel), `${sentinel} in ${path}${search}: ${text}`);
          }
          assert.equal(response.status, 200, text);
          checkFlags(path, text, shown, run.feed);
        }
        const board = await gateway(
          new Request(`https://gw.example.org/kitchen/board${search}`, {
            headers: { 'accept-language': run.acceptLanguage },
          }),
        );
        const boardText = await board.text();
        for (const sentinel of forbiddenIn(stillOn)) {
          assert.ok(!boardText.includes(sentinel), `${sentinel} in the board${search}: ${boardText}`);
        }
        const response = await gateway(new Request(`https://gw.example.org${root}/shifts${search}`));
        const { shifts } = (await response.json()) as { shifts: unknown };
        assert.deepEqual(
          shifts,
          inOrder(visible, run.feed).map((shift) => expected(shift, run.feed)),
        );
      }
    }),
    parameters,
  );
}

async function pathOf(options: GatewayOptions, person: string): Promise<string | undefined> {
  const list = await openLinkList(options);
  const [feed] = list.feeds;
  return feed && list.path(feed, person);
}

/** What a flag says has no text of its own, so the signs of it are looked for. */
function checkFlags(path: string, text: string, visible: readonly Shift[], feed: FeedDocument): void {
  const show = showOf(feed);
  if (path.endsWith('/shifts')) return;
  const isPage = !path.endsWith('.ics');
  // On a page, a night is on both of its days, and what comes after some weeks is on another page.
  const rows = new Map(
    [...text.matchAll(/part="shift([^"]*)" data-stop="\d+\/(\d+)"/g)].map(([, parts, id]) => [
      Number(id),
      parts,
    ]),
  );
  const listed = isPage ? visible.filter(({ id }) => rows.has(id)) : visible;
  const count = (mark: string, line: RegExp) =>
    isPage
      ? [...rows.values()].filter((parts) => parts?.includes(` shift-${mark}`)).length
      : (text.match(line) ?? []).length;
  const expect = (mark: string, line: RegExp, isShown: boolean, has: (shift: Shift) => boolean) =>
    assert.equal(count(mark, line), isShown ? listed.filter(has).length : 0, mark);
  expect('starred', /★/g, show.includes('starred'), ({ starred }) => starred);
  expect(
    'open',
    /: open$/gm,
    show.includes('open') || show.includes('person'),
    ({ person }) => person === null,
  );
  expect('cancelled', /STATUS:CANCELLED/g, feed.cancelled !== 'hide', ({ cancelled }) => cancelled);
  expect('noshow', /No-show/g, show.includes('noshow'), ({ noshow }) => noshow);
}

// Sentinels.

function shiftWithSentinels(
  plan: typeof anyShift extends fc.Arbitrary<infer T> ? T : never,
  i: number,
): Shift {
  const date = dateOf(plan.day);
  return {
    id: 770_000_001 + i,
    date,
    start_time: '21:00',
    end_time: plan.nights > 0 ? '05:00' : '23:00',
    end_date: dateOf(plan.day + plan.nights),
    group: { id: groupId(plan.group), name: `GroupSentinel${plan.group}` },
    location: plan.hasLocation ? { name: `PlaceSentinel${i}X`, address: `AddressSentinel${i}X` } : null,
    // Some people have several shifts.
    person: plan.hasPerson ? { name: `PersonSentinel${i % 5}X` } : null,
    publish_date: dateOf(-plan.publishedDaysAgo),
    remarks: `RemarkSentinel${i}X`,
    starred: plan.starred,
    cancelled: plan.cancelled,
    noshow: plan.noshow,
  };
}

function textsOf(shift: Shift): Readonly<Record<string, readonly string[]>> {
  return {
    id: [String(shift.id)],
    group: [shift.group.name, String(shift.group.id)],
    location: shift.location === null ? [] : [shift.location.name, shift.location.address],
    person: shift.person === null ? [] : [shift.person.name],
    remarks: [shift.remarks],
  };
}

function sentinelsOf(shifts: readonly Shift[]): string[] {
  const ofShifts = shifts.flatMap((shift) => Object.values(textsOf(shift)).flat());
  return ['TOKENSENTINEL', 'LINKSSECRETSENTINEL', 'upstreamsentinel', 'account-sentinel', ...ofShifts];
}

function allowedSentinels(visible: readonly Shift[], feed: FeedDocument): ReadonlySet<string> {
  const keys: readonly string[] = ['id', ...showOf(feed)];
  return new Set(visible.flatMap((shift) => keys.flatMap((key) => textsOf(shift)[key] ?? [])));
}

/** Of the 15th, the day on which most zones are. */
function dateOf(day: number): string {
  return new Date(Date.parse('2026-11-15') + day * 86_400_000).toISOString().slice(0, 10);
}

function groupId(index: number): number {
  return 550_000_000_000_001 + index;
}
