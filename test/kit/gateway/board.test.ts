import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import type { Shift } from '@shiftfeed/client';
import { createGateway, type FeedDocument, type GatewayOptions } from '@shiftfeed/gateway';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { HEAL_SCRIPT, HEAL_SCRIPT_HASH } from '../../../kit/gateway/src/page/scripts.ts';
import { browserTest, connectBrowser, hasBrowser, watchPage } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { violations } from '../calendar/axe.ts';
import { serve } from './serve.ts';
import { fakeUpstream, makeShift, optionsFor } from './upstream.ts';

const NOW = '2026-11-15T12:00:00Z';
const PERSON = { name: 'Robin <Doe>' };
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

/** It is 13:00 in Amsterdam. */
const SHIFTS = [
  makeShift({ id: 1, date: '2026-11-14', end_time: '20:00', end_date: '2026-11-15', person: PERSON }),
  makeShift({ id: 2, date: '2026-11-15', person: { name: 'Gone' }, cancelled: true }),
  makeShift({ id: 3, date: '2026-11-15', person: null, location: null }),
  makeShift({ id: 4, date: '2026-11-15', start_time: '17:00', end_time: '23:00', person: { name: 'Ali' } }),
  makeShift({ id: 5, date: '2026-11-15', group: { id: 2, name: 'Bar' }, person: { name: 'Noor' } }),
];

function gatewayOf(
  feed: Partial<FeedDocument> = {},
  options: Partial<GatewayOptions> = {},
  shifts: readonly Shift[] = SHIFTS,
) {
  const show = ['group', 'location', 'person', 'open'] as const;
  return createGateway(
    optionsFor(fakeUpstream({ shifts }), { title: 'Kitchen & bar', show, ...feed }, options),
  );
}

function ask(handle: ReturnType<typeof gatewayOf>, path = '/kitchen/board', language = 'en-GB') {
  return handle(new Request(`https://gw.example.org${path}`, { headers: { 'accept-language': language } }));
}

/** What a page says, without its tags. */
function said(page: string): string {
  return page
    .replace(/<head>[\s\S]*<\/head>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

test('without scripts, a board is a list of who is on, who comes next and what is open', async () => {
  const response = await ask(gatewayOf());
  const page = await response.text();
  assert.equal(
    said(page),
    'Kitchen &amp; bar Sunday 15 November · Last updated: 13:00 ' +
      'On now Robin &lt;Doe&gt; until 20:00 Kitchen · Harbour Noor until 17:00 Bar · Harbour ' +
      'Next Ali 17:00 – 23:00 Kitchen · Harbour Open shifts Kitchen until 17:00',
  );
  assert.match(page, /<title>Kitchen &amp; bar<\/title>/);
  assert.match(page, /<noscript><meta http-equiv="refresh" content="60"><\/noscript>/);
  assert.doesNotMatch(page, /shift-calendar\.js/);
  assert.equal(response.headers.get('cache-control'), 'no-cache');
});

test('the policy of a board allows its own scripts alone, and frames as the feed does', async () => {
  const hash = createHash('sha256').update(HEAL_SCRIPT).digest('base64');
  assert.equal(HEAL_SCRIPT_HASH, `sha256-${hash}`);
  const page = await (await ask(gatewayOf())).text();
  assert.ok(page.includes(`<script>${HEAL_SCRIPT}</script>`));
  for (const origins of [[], ['https://www.example.org']]) {
    const { headers } = await ask(gatewayOf({ origins }));
    assert.equal(
      headers.get('content-security-policy'),
      `default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self' 'sha256-${hash}'; connect-src 'self'; ` +
        `require-trusted-types-for 'script'; trusted-types 'none'; img-src data:; style-src 'self'; frame-ancestors ${origins[0] ?? "'none'"}`,
    );
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  }
});

test('a board shows what the feed shows, and counts where it tells nobody', async () => {
  const twice = [...SHIFTS, makeShift({ id: 9, date: '2026-11-15', group: { id: 2, name: 'Bar' } })];
  const page = await (await ask(gatewayOf({ show: ['group'] }, {}, twice))).text();
  assert.doesNotMatch(page, /Robin|Noor|Ali|Harbour/);
  assert.match(said(page), /On now Kitchen until 20:00 Kitchen until 17:00 Bar until 17:00 2 shifts Next/);
});

test('a board speaks the language of the browser, is narrowed by group, and follows the minute', async () => {
  const german = said(await (await ask(gatewayOf(), '/kitchen/board?group_ids=2', 'de')).text());
  assert.match(
    german,
    /Jetzt im Dienst Noor bis 17:00 Bar · Harbour Als Nächstes Keine weiteren Schichten bis/,
  );
  const narrowed = await ask(gatewayOf({}, { scripts: browserFiles() }), '/kitchen/board?group_ids=2');
  assert.match(
    await narrowed.text(),
    /<shift-calendar view="now" src="\/kitchen\/shifts\?group_ids=2" locale="en-GB" legend>/,
  );
  assert.equal((await ask(gatewayOf(), '/kitchen/board?x=1')).status, 400);

  let nowMs = Date.parse('2026-11-15T15:59:30Z');
  const handle = gatewayOf({}, { clock: () => nowMs });
  const before = await ask(handle);
  assert.match(said(await before.text()), /Noor until 17:00/);
  nowMs += 30_000;
  const after = await ask(handle);
  assert.doesNotMatch(said(await after.text()), /Noor/);
  assert.notEqual(before.headers.get('etag'), after.headers.get('etag'));
});

test('a board without shifts to show says so, and looks again by itself', async () => {
  const fetch = async () => new Response('', { status: 401 });
  const response = await ask(gatewayOf({}, { fetch }));
  assert.equal(response.status, 503);
  const page = await response.text();
  assert.match(said(page), /The shifts cannot be shown at the moment/);
  assert.ok(page.includes(HEAL_SCRIPT) && page.includes('http-equiv="refresh"'));
});

browserTest('in a browser, a board fills the screen, with scripts and without', async (context) => {
  assert.ok(browser);
  const gateway = await serve(context, gatewayOf({}, { scripts: browserFiles() }));
  for (const javaScriptEnabled of [true, false]) {
    const viewport = { width: 1920, height: 1080 };
    const tab: BrowserContext = await browser.newContext({
      javaScriptEnabled,
      viewport,
      locale: 'en-GB',
      timezoneId: 'Asia/Tokyo',
    });
    context.after(() => tab.close());
    const page: Page = await tab.newPage();
    const { complaints } = watchPage(page);
    if (javaScriptEnabled) await page.clock.setFixedTime(NOW);
    await page.goto(`${gateway}/kitchen/board`);
    const name = javaScriptEnabled ? page.locator('[part~="board-name"]') : page.locator('.what');
    await name.first().waitFor();
    assert.equal(await name.first().innerText(), PERSON.name);
    assert.ok(((await name.first().boundingBox())?.height ?? 0) > 40);
    assert.deepEqual(complaints, []);
    if (!javaScriptEnabled) continue;
    assert.equal(await page.locator('shift-calendar > section').first().isVisible(), false);
    assert.equal(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), true);
    assert.deepEqual(await violations(page), []);
  }
});

/**
 * All scripts that come have come, and a calendar that runs has shifts that are not old. It asks for them every minute,
 * and after ten without an answer, the page loads again.
 */
const IS_SETTLED = `{
  const calendar = document.querySelector('shift-calendar:defined');
  document.readyState === 'complete' && (calendar === null || Date.now() - calendar.updatedMs < 5 * 60_000);
}`;

browserTest(
  'in a browser, a board heals: from a script that did not come, and from an old one',
  async (context) => {
    assert.ok(browser);
    let version = 1;
    let isReady = false;
    const handle = () =>
      gatewayOf(
        {},
        {
          scripts: browserFiles().map((file) => ({
            ...file,
            bytes: Buffer.concat([file.bytes, Buffer.from(`//${version}`)]),
          })),
          ...(!isReady && { fetch: async () => new Response('', { status: 500 }) }),
        },
      );
    let gatewayNow = handle();
    const gateway = await serve(context, (request) => gatewayNow(request));
    const tab = await browser.newContext({ locale: 'en-GB' });
    context.after(() => tab.close());
    const page = await tab.newPage();
    await page.clock.install({ time: NOW });
    let network: 'fine' | 'away' | 'no scripts' = 'no scripts';
    await page.route('**', (route) => {
      const isScript = route.request().url().endsWith('.js');
      return network === 'away' || (network === 'no scripts' && isScript) ? route.abort() : route.continue();
    });
    let loads = 0;
    /** How many scripts the page compared with those that it runs. */
    let compared = 0;
    const underWay = new Set<Request>();
    page.on('load', () => {
      loads++;
      compared = 0;
    });
    page.on('request', (request) => {
      // The last page gets no more answers. By the event "load", this one has begun to load more scripts.
      if (request.isNavigationRequest()) underWay.clear();
      underWay.add(request);
    });
    page.on('requestfailed', (request) => underWay.delete(request));
    page.on('requestfinished', (request) => {
      underWay.delete(request);
      if (request.resourceType() === 'fetch' && request.url().endsWith('.js')) compared++;
    });
    const board = page.locator('shift-calendar [part~="board-name"]');
    /** While the page is being replaced, nothing can be asked of it. */
    const isSettled = async () =>
      underWay.size === 0 && (await page.evaluate(IS_SETTLED).catch(() => false)) === true;
    /** How often time went on although the page was not settled: it may load again because of that. */
    let hurried = 0;
    /**
     * Time goes on, a minute at a time, when the page has what it needs: on a slow machine, answers must not be old. If
     * it has not for long, it may have given up, and asks again later.
     */
    const runUntil = (what: string, isSo: () => boolean | Promise<boolean>) => {
      let tries = 0;
      return until(what, async () => {
        const mayGoOn = await isSettled();
        const isHurry = ++tries % 100 === 0 && !mayGoOn;
        if (isHurry) hurried++;
        if (isHurry || mayGoOn) await page.clock.fastForward('01:00');
        return isSo();
      });
    };
    const isShown = () => board.first().isVisible();

    // The gateway has nothing to show yet.
    await page.goto(`${gateway}/kitchen/board`);
    await page.getByText('The shifts cannot be shown at the moment').waitFor();
    isReady = true;
    gatewayNow = handle();
    await runUntil('the list is there', async () => (await page.locator('.what').count()) > 0);

    // The script of the calendar did not come, and then the gateway is away: the list stays.
    network = 'away';
    await page.clock.runFor('30:00');
    assert.equal(await page.locator('.what').first().innerText(), PERSON.name);
    const before = loads;
    network = 'fine';
    await runUntil('the board is there', async () => loads > before && (await isShown()));

    // It is left alone while all is well, and loads again when the gateway has other scripts.
    await runUntil('its scripts were compared', async () => compared >= 2 && (await isSettled()));
    const alive = loads;
    hurried = 0;
    version = 2;
    gatewayNow = handle();
    await runUntil('it was loaded again', () => loads > alive);
    await board.first().waitFor();
    await runUntil('the new scripts were compared', () => compared >= 2);
    assert.ok(loads <= alive + 1 + hurried, `${loads - alive} loads, and in a hurry ${hurried} times`);
  },
);
