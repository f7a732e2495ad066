/** A board that hangs for days: its long form is simulated by `npm run test:long`. */

import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { CalendarShift } from '../../../kit/calendar/src/answer.ts';
import { connectBrowser, hasBrowser, browserTest as test } from '../../support/browser.ts';
import { isLong, often } from '../../support/strength.ts';
import { plain } from '../../support/wording.ts';
import { naiveBoard } from './board-oracle.ts';
import { type Site, shift, startSite } from './site.ts';
import {
  countRequests,
  installTimeMachine,
  type Network,
  runMinutes,
  type SeenMinute,
  sleepUntil,
} from './time-machine.ts';

const ZONE = 'Europe/Amsterdam';
const HOUR = 60;
const DAY_MS = 24 * 3_600_000;
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

/** Days and nights, people and open shifts, and what lies in the hours that clocks skip or show twice. */
function planFrom(firstDate: string, days: number): CalendarShift[] {
  const first = Temporal.PlainDate.from(firstDate);
  return Array.from({ length: days }, (_, i) => {
    const date = String(first.add({ days: i }));
    const night = { start_time: '22:00', end_time: '06:00', end_date: String(first.add({ days: i + 1 })) };
    return [
      shift(date, { start_time: '06:00', end_time: '14:00', person: { name: `Early ${i}` } }),
      shift(date, { start_time: '13:45', end_time: '22:15', person: { name: `Late ${i}` } }),
      shift(date, { ...night, person: { name: `Night ${i}` }, location: { name: 'Harbour' } }),
      shift(date, { start_time: '02:15', end_time: '02:45', person: { name: `Baker ${i}` } }),
      shift(date, { start_time: '01:30', end_time: '03:30', person: null, open: true }),
      shift(date, { start_time: '17:00', end_time: '23:59', person: null, open: true }),
      shift(date, { start_time: '09:00', end_time: '17:00', person: { name: 'Nobody' }, cancelled: true }),
      ...(i % 3 === 0
        ? [shift(date, { end_date: String(first.add({ days: i + 2 })), person: { name: `On call ${i}` } })]
        : []),
    ];
  }).flat();
}

test('every minute of a board is right, through midnights, changes of clocks, outages and sleep', async (context) => {
  assert.ok(browser);
  const site = await startSite(context);
  site.feed = { ...site.feed, from: '2026-10-01', to: '2027-12-31', shifts: planFrom('2026-10-12', 30) };
  const page = await openBoard(context, site, '2026-10-24T21:45:00Z');
  const minutes = await watchOver(page, site);

  // Midnight, and the night with 25 hours, in which shifts of the hour that comes twice are on in its first run.
  await minutes(often(1, 3) * HOUR, 'fine');
  // An outage over the second of these hours and beyond.
  await minutes(often(1, 30) * HOUR, 'refused');
  await minutes(often(20, 60), 'hangs');
  await minutes(often(20, 60), 'error');
  // The first answer is at hand within five minutes.
  await runMinutes(page, 6, 'fine');
  const spoken = await minutes(often(HOUR, 24 * HOUR), 'fine');
  // What is read aloud changed far less often than the clock.
  assert.ok(new Set(spoken).size <= spoken.length / 20, `${new Set(spoken).size} of ${spoken.length}`);

  // The computer slept for an hour: a second later the board is right, and tells how old it is until an answer came.
  await minutes(1, 'fine', { sleepMs: 3 * 3_600_000 });
  await minutes(5, 'fine');
  // It slept until spring, and nothing that is at hand is of that time.
  site.feed = { ...site.feed, shifts: planFrom('2027-03-20', 20) };
  await sleepUntil(page, Date.parse('2027-03-27T22:30:30Z'));
  const [late] = await runMinutes(page, 1, 'refused');
  assert.deepEqual(late?.sections, [
    ['On now', 'It is not known who is on: there are no shifts at hand for today.'],
  ]);
  await runMinutes(page, 6, 'fine');
  // Midnight, and the night with 23 hours.
  await minutes(often(3, 24) * HOUR, 'fine');
});

if (isLong) {
  test('a board takes no more memory after days than after one, and an outage of nine days ends what it knows', async (context) => {
    assert.ok(browser);
    const site = await startSite(context);
    site.feed = { ...site.feed, from: '2026-10-01', to: '2027-12-31', shifts: planFrom('2026-10-12', 40) };
    const page = await openBoard(context, site, '2026-10-21T22:00:00Z');
    const minutes = await watchOver(page, site);
    const figures: Record<string, number>[] = [];
    for (const days of [1, 2]) {
      await minutes(days * 24 * HOUR, 'fine');
      figures.push(await memoryOf(page));
    }
    context.diagnostic(JSON.stringify(figures));
    const [before, end] = figures;
    assert.ok(before && end);
    assert.ok((end.Nodes ?? 0) <= (before.Nodes ?? 0) + 50, JSON.stringify(figures));
    assert.ok((end.JSEventListeners ?? 0) <= (before.JSEventListeners ?? 0), JSON.stringify(figures));
    assert.ok((end.JSHeapUsedSize ?? 0) <= 1.2 * (before.JSHeapUsedSize ?? 0), JSON.stringify(figures));

    await countRequests(page);
    await minutes(24 * HOUR, 'refused');
    const asked = await countRequests(page);
    context.diagnostic(`${asked} requests in an outage of a day`);
    assert.ok(asked < 24 * 25, `${asked} requests`);
    // Of the days that follow, the computer sleeps through most.
    await minutes(19 * HOUR, 'refused', { sleepMs: 5 * DAY_MS });
    await sleepUntil(page, Number(await page.evaluate('Date.now()')) + 2 * DAY_MS);
    const seen = await runMinutes(page, HOUR, 'hangs');
    assert.match(seen.at(-1)?.sections.join() ?? '', /It is not known who is on/);
    assert.match(seen.at(-1)?.state ?? '', /Last updated: .*· 8 days ago/);
    await runMinutes(page, 8, 'fine');
    await minutes(HOUR, 'fine');
  });
}

async function openBoard(context: TestContext, site: Site, now: string): Promise<Page> {
  assert.ok(browser);
  // The visitor's clock is none of the board's business.
  const tab = await browser.newContext({ timezoneId: 'America/New_York', locale: 'en-GB' });
  context.after(() => tab.close());
  const page = await tab.newPage();
  await installTimeMachine(page, Date.parse(now));
  await page.goto(
    `${site.url}/?${new URLSearchParams({ lang: 'en-GB', src: '/kitchen/shifts', view: 'now' })}`,
  );
  await page.locator('shift-calendar [part~="board-section"]').first().waitFor();
  return page;
}

/** Runs minutes, each of which must show what the oracle says. Gives what was read aloud in each. */
async function watchOver(page: Page, site: Site) {
  return async (count: number, network: Network, { sleepMs = 0 } = {}): Promise<string[]> => {
    const expected = naiveBoard(site.feed.shifts, ZONE);
    if (sleepMs > 0) {
      const nowMs = Number(await page.evaluate('Date.now()'));
      await sleepUntil(page, nowMs + sleepMs);
    }
    const spoken: string[] = [];
    for (let done = 0; done < count; done += 24 * HOUR) {
      for (const seen of await runMinutes(page, Math.min(count - done, 24 * HOUR), network)) {
        // The board looks at the beginning of each minute.
        assertMinute(seen, expected(seen.nowMs - (seen.nowMs % 60_000), seen.answeredMs));
        spoken.push(seen.spoken);
      }
    }
    return spoken;
  };
}

function assertMinute(seen: SeenMinute, expected: ReturnType<ReturnType<typeof naiveBoard>>): void {
  const at = new Date(seen.nowMs).toISOString();
  assert.equal(plain(seen.date), expected.date, at);
  assert.equal(seen.clock, expected.clock, at);
  assert.equal(plain(seen.state).replace(/ · .*/, ''), expected.state, at);
  const sections = seen.sections.map((lines) =>
    lines.map((line) => plain(line).replace(/^No more shifts.*/, 'No more shifts')),
  );
  assert.deepEqual(sections, expected.sections, at);
}

/** After all garbage is gone, and with it what waits for a deadline. */
async function memoryOf(page: Page): Promise<Record<string, number>> {
  await page.evaluate('new Promise((resolve) => { AbortSignal.timeout(31_000).onabort = resolve; })');
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const wanted = ['JSHeapUsedSize', 'Nodes', 'JSEventListeners'];
  return Object.fromEntries(
    metrics.filter(({ name }) => wanted.includes(name)).map(({ name, value }) => [name, value]),
  );
}
