/** A website with a calendar on it, and a gateway beside it, for a real browser. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { browserFiles } from '../../../kit/calendar/build/browser-files.ts';
import type { CalendarShift } from '../../../kit/calendar/src/answer.ts';
import { connectBrowser, hasBrowser, type Watched, watchPage } from '../../support/browser.ts';
import type { Cleanup } from '../../support/database.ts';
import { listen } from '../../support/listening.ts';

/** As strict as a policy can be that lets scripts of the site run at all. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export interface Site {
  readonly url: string;
  /** What the gateway shows. A test may change it. */
  feed: Feed;
  /** The queries that the gateway was asked, the most recent one last. */
  readonly queries: URLSearchParams[];
  /** Does something in the place of the gateway, until it is unset. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Answers those who want the stream. */
  live: (response: ServerResponse) => void;
}

export interface Feed {
  readonly title: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly shifts: readonly CalendarShift[];
}

const STYLESHEET = `
  :root { color-scheme: light dark; font: 16px/1.5 Georgia, serif; }
  body { margin: 0 auto; padding: 1rem; max-width: 64rem; color: #222; background: #fff; }
  @media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1d; } }
`;

export async function startSite(context: Cleanup): Promise<Site> {
  const files = new Map(browserFiles().map((file) => [`/${file.name}`, file]));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    const file = files.get(pathname);
    if (file !== undefined) return send(response, file.contentType, file.bytes);
    if (pathname === '/kitchen/shifts') {
      site.queries.push(searchParams);
      if (site.instead !== undefined) return site.instead(request, response);
      return send(response, 'application/json', JSON.stringify(narrow(site.feed, searchParams)));
    }
    if (pathname === '/kitchen/live') return site.live(response);
    if (pathname === '/site.css') return send(response, 'text/css', STYLESHEET);
    if (pathname === '/favicon.ico') return send(response, 'image/png', '');
    response.setHeader('content-security-policy', POLICY);
    send(response, 'text/html; charset=utf-8', pageWith(searchParams));
  });
  const site: Site = {
    url: `http://127.0.0.1:${await listen(context, server)}`,
    feed: {
      title: 'Kitchen',
      time_zone: 'Europe/Amsterdam',
      from: '2026-11-08',
      to: '2027-02-13',
      shifts: [],
    },
    queries: [],
    instead: undefined,
    live: (response) => response.writeHead(503).end(),
  };
  return site;
}

export interface OpenCalendar extends Watched {
  readonly page: Page;
}

export interface CalendarOptions {
  /** Attributes of the element, and `lang` of the page. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** An instant such as 2026-11-15T12:00:00Z. */
  readonly now?: string;
  /** Time stands still and timers run, unless the test sets them or leaves them alone. */
  readonly timers?: 'set' | 'real';
  readonly browser?: BrowserContextOptions;
  /** Loads the page, and keeps it from other tests: for those that watch it load, or change more than its calendar. */
  readonly freshPage?: boolean;
  /** Of a gateway that is not as usual. */
  readonly gateway?: Partial<Pick<Site, 'instead' | 'live'>> & { readonly feed?: Partial<Feed> };
}

/** A browser and a site for all tests of a file, which open calendars of these shifts on it. */
export async function startCalendars() {
  const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;
  const site = await startSite({ after });
  const { feed, live } = site;
  async function open(
    context: Cleanup,
    options: CalendarOptions,
    shifts: Feed['shifts'],
  ): Promise<OpenCalendar> {
    assert.ok(browser);
    const { gateway = {} } = options;
    Object.assign(site, { instead: undefined, live, ...gateway, feed: { ...feed, ...gateway.feed, shifts } });
    site.queries.length = 0;
    return openCalendar(context, browser, site, options);
  }
  return { site, open };
}

/** Opens a page with a calendar, at a time that stands still. */
export async function openCalendar(
  context: Cleanup,
  browser: Browser,
  site: Site,
  options: CalendarOptions = {},
): Promise<OpenCalendar> {
  const { attributes = {}, now = '2026-11-15T12:00:00Z' } = options;
  const page = await tabFor(context, browser, options);
  if (options.timers === 'set') await page.clock.install({ time: now });
  else if (options.timers !== 'real') await page.clock.setFixedTime(now);
  const watched = watchPage(page);
  const { lang, ...written } = { lang: 'en', src: '/kitchen/shifts', ...attributes };
  const isLoaded = page.url().startsWith(`${site.url}/`) && !options.freshPage;
  if (isLoaded) await page.evaluate(`(${putCalendar})(${JSON.stringify([lang, written])})`);
  else await page.goto(`${site.url}/?${new URLSearchParams({ lang, ...written })}`);
  return { page, ...watched };
}

/** In the place of that of the last test. To load a page takes five times as long. As code, because tests know nothing of browsers. */
const putCalendar = `([lang, attributes]) => {
  document.querySelector('shift-calendar')?.remove();
  document.documentElement.lang = lang;
  const calendar = document.createElement('shift-calendar');
  for (const [name, value] of Object.entries(attributes)) calendar.setAttribute(name, value);
  document.querySelector('h1').after(calendar);
}`;

/** What a test leaves of its calendar, its styles and its place. */
const CLEAR = `{
  for (const calendar of document.querySelectorAll('shift-calendar')) calendar.remove();
  document.adoptedStyleSheets = [];
  scrollTo(0, 0);
}`;

/** Pages that tests share if their visitors have the same clock and language, because opening one takes long. */
const sharedTabs = new WeakMap<Browser, Map<string, Promise<Page>>>();

async function tabFor(context: Cleanup, browser: Browser, options: CalendarOptions): Promise<Page> {
  const { viewport, colorScheme, reducedMotion, forcedColors, ...others } = options.browser ?? {};
  const settings = { timezoneId: 'Europe/Amsterdam', locale: 'en-GB', ...others };
  if (options.timers !== undefined) {
    const tab = await browser.newContext({ ...settings, ...options.browser });
    context.after(() => tab.close());
    return tab.newPage();
  }
  const shared = sharedTabs.get(browser) ?? new Map<string, Promise<Page>>();
  sharedTabs.set(browser, shared);
  const visitor = JSON.stringify(settings);
  const opened = shared.get(visitor) ?? browser.newPage(settings);
  shared.set(visitor, opened);
  const page = await opened;
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? null,
    reducedMotion: reducedMotion ?? null,
    forcedColors: forcedColors ?? null,
  });
  context.after(async () => {
    page.removeAllListeners();
    // What this test has under way is none of the next one's business.
    await page.unrouteAll();
    await (options.freshPage ? page.goto('about:blank') : page.evaluate(CLEAR));
  });
  return page;
}

/** A shift as the gateway gives it. */
export function shift(date: string, fields: Partial<CalendarShift> = {}): CalendarShift {
  return {
    id: ++lastId,
    date,
    start_time: '09:00',
    end_time: '17:00',
    end_date: date,
    group: { id: 1, name: 'Kitchen' },
    location: null,
    cancelled: false,
    open: false,
    ...fields,
  };
}

let lastId = 0;

/** As the gateway narrows it. */
function narrow(feed: Feed, query: URLSearchParams): Feed {
  const from = [feed.from, query.get('date_from') ?? feed.from].sort()[1] ?? feed.from;
  const to = [feed.to, query.get('date_to') ?? feed.to].sort()[0] ?? feed.to;
  const groups = query.get('group_ids')?.split(',').map(Number);
  const shifts = feed.shifts.filter(
    ({ date, group }) =>
      date >= from && date <= to && (groups === undefined || groups.includes(group?.id ?? 0)),
  );
  return { ...feed, from, to, shifts };
}

function pageWith(attributes: URLSearchParams): string {
  const written = [...attributes]
    .filter(([name]) => name !== 'lang')
    .map(([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
  return `<!doctype html><html lang="${attributes.get('lang')}"><meta charset="utf-8"><title>A café</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/site.css">
<main><h1>A café</h1>
<shift-calendar${written.join('')}></shift-calendar>
<p>Below the calendar.</p></main>
<script type="module" src="/shift-calendar.js"></script></html>`;
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.setHeader('content-type', type);
  response.end(body);
}
