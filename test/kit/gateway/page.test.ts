import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import type { Shift } from '@shiftfeed/client';
import { createGateway, type FeedDocument, type GatewayOptions } from '@shiftfeed/gateway';
import { chooseLanguage } from '../../../kit/gateway/src/page/language.ts';
import { browserTest, connectBrowser, hasBrowser } from '../../support/browser.ts';
import { often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';
import { violations } from '../calendar/axe.ts';
import { printedTexts } from '../calendar/printed.ts';
import { serve } from './serve.ts';
import { fakeUpstream, makeShift } from './upstream.ts';

const SHOW = ['group', 'location', 'person', 'remarks', 'starred', 'noshow', 'publish_date', 'open'] as const;
const MANUAL = readFileSync(new URL('../../../docs/website.md', import.meta.url), 'utf8');
/** Of a page, in whole pixels. */
const HEIGHT = 'Math.ceil(document.documentElement.getBoundingClientRect().height)';
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

test('a page lists shifts by day, with all that is shown, and a way to subscribe', async () => {
  const page = await write([
    makeShift({ id: 1, date: '2026-11-15', remarks: 'Bring an apron' }),
    makeShift({ id: 2, date: '2026-11-15', start_time: '22:00', end_time: '06:00', end_date: '2026-11-16' }),
    makeShift({ id: 3, date: '2026-11-17', person: null, cancelled: true, location: null }),
  ]);
  assert.deepEqual(page.match(/<time datetime="[\d-]{10}">[^<]*/g), [
    '<time datetime="2026-11-15">Sunday, 15 November 2026',
    '<time datetime="2026-11-17">Tuesday, 17 November 2026',
  ]);
  assert.match(page, /<section aria-current="date">\n<h2>.*Sunday.*today/);
  assert.match(
    page,
    /22:00<\/time>–<time datetime="2026-11-16T06:00">06:00<\/time> <span class="next">Mon,? 16 Nov/,
  );
  for (const text of [
    'Kitchen',
    'Robin Doe',
    'Harbour',
    '1 Quay Street',
    'Bring an apron',
    'Open',
    'Cancelled',
  ]) {
    assert.ok(page.includes(`>${text}<`) || page.includes(text), text);
  }
  assert.match(page, /<title>Kitchen &amp; &lt;service&gt;<\/title>/);
  assert.match(
    page,
    /<meta name="description" content="Kitchen &amp; &lt;service&gt;, 15 November 2026\s–\s13 February 2027\.">/,
  );
  assert.match(page, /href="webcal:\/\/gw\.example\.org\/kitchen\/shifts\.ics"/);
  assert.match(page, /<code>https:\/\/gw\.example\.org\/kitchen\/shifts\.ics<\/code>/);
  assert.match(page, /All times are those of Europe\/Amsterdam/);
  assert.doesNotMatch(page, /<script|<style|style="|onclick/);
});

test('what people wrote cannot become part of the page', async () => {
  const evil = `"><script>alert('x')</script>&amp;<b>`;
  const page = await write([
    makeShift({
      group: { id: 1, name: evil },
      location: { name: evil, address: evil },
      person: { name: evil },
      remarks: evil,
    }),
  ]);
  assert.doesNotMatch(page, /<script|<b>/);
  assert.equal(
    page.match(/&quot;&gt;&lt;script&gt;alert\(&#39;x&#39;\)&lt;\/script&gt;&amp;amp;&lt;b&gt;/g)?.length,
    5,
  );
});

const LANGUAGES: readonly [header: string, lang: string, day: RegExp, word: RegExp][] = [
  ['', 'en', /Monday, November 16, 2026/, /Subscribe in your calendar/],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT', /Montag, 16. November 2026/, /Im Kalender abonnieren/],
  ['en;q=0.5, nl', 'nl', /maandag 16 november 2026/, /Abonneren/],
  ['fr-CH', 'fr-CH', /lundi,? 16 novembre 2026/, /S’abonner/],
  ['es', 'es', /lunes, 16 de noviembre de 2026/, /Suscribirse/],
  ['it-CH', 'it-CH', /lunedì,? 16 novembre 2026/, /Abbonati/],
  ['pl', 'pl', /poniedziałek,? 16 listopada 2026/, /Subskrybuj/],
  ['pt-BR', 'pt-BR', /segunda-feira, 16 de novembro de 2026/, /Subscrever/],
  ['ar-EG', 'ar-EG" dir="rtl', /٢٠٢٦/, /الاشتراك/],
  ['iw', 'he" dir="rtl', /יום שני, 16 בנובמבר 2026/, /הרשמה/],
  ['ja', 'en', /2026年11月16日月曜日/, /Subscribe in your calendar/],
  ['xx-invalid!!, *;q=0.1', 'en', /Monday, November 16, 2026/, /Subscribe/],
  ['de-u-ca-buddhist', 'de', /Montag, 16. November 2026/, /abonnieren/],
];

for (const [header, lang, day, word] of LANGUAGES) {
  test(`with Accept-Language ${header}, dates are in the visitor's language, and words where they are known`, async () => {
    const page = await write([makeShift()], header);
    assert.ok(page.includes(`<html lang="${lang}">`), page.slice(0, 60));
    assert.match(page, day);
    assert.match(page, word);
    // How often calendars look, in whichever language.
    assert.match(page, /<p>[^<]*Google[^<]*<\/p>/);
    assert.equal(/<h2 lang="ja">/.test(page), header === 'ja');
  });
}

test('regions that Intl does not know share the page of their language', () => {
  assert.equal(chooseLanguage('en-QX').locale, 'en');
  assert.equal(chooseLanguage('de-QX').locale, 'de');
  assert.equal(chooseLanguage('de-AT').locale, 'de-AT');
  assert.equal(chooseLanguage('xx, nl').locale, 'nl');
});

test('a feed without shifts says so', async () => {
  assert.match(await write([]), /No shifts are planned/);
});

browserTest(
  'in a browser, the page needs no script, keeps its policy, and is framed by its origins alone',
  async (context) => {
    assert.ok(browser);
    const host = await serve(
      context,
      () => new Response('<iframe></iframe>', { headers: { 'content-type': 'text/html' } }),
    );
    const stranger = await serve(
      context,
      () => new Response('', { headers: { 'content-type': 'text/html' } }),
    );
    const many = Array.from({ length: 60 }, (_, id) => makeShift({ id: id + 1 }));
    const gateway = await serve(context, gatewayOf(many, { origins: [host] }));
    const visitor = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'de-DE',
      colorScheme: 'dark',
    });
    const page = await visitor.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));

    await page.goto(`${gateway}/kitchen`);
    assert.match(await page.locator('h2').first().innerText(), /Montag, 16. November 2026/);
    // The stylesheet has arrived: the page is dark, and the day's heading has its line.
    assert.equal(await page.locator('section').count(), 1);
    const background = await page.screenshot({ clip: { x: 0, y: 0, width: 2, height: 2 } });
    const other = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'light' });
    const lightPage = await other.newPage();
    await lightPage.goto(`${gateway}/kitchen`);
    const light = await lightPage.screenshot({ clip: { x: 0, y: 0, width: 2, height: 2 } });
    assert.notDeepEqual(background, light);
    assert.deepEqual(complaints, []);
    // A day that is longer than a page of paper begins on the first one.
    const [first = 0, second = 0] = await printedTexts(page);
    assert.ok(first > second / 3, `${first} texts, then ${second}`);

    for (const [origin, isShown] of [
      [host, true],
      [stranger, false],
    ] as const) {
      await page.goto(origin);
      await page.setContent(`<iframe src="${gateway}/kitchen" width="600" height="400"></iframe>`);
      const frame = page.frameLocator('iframe').locator('h1');
      assert.equal((await frame.count()) > 0, isShown, origin);
    }
  },
);

browserTest(
  'in a browser, a frame is as high as its page, by the script of the manual, which heeds nobody else',
  async (context) => {
    assert.ok(browser);
    const [, snippet = ''] = /^```html\n(<iframe.*?)^```$/ms.exec(MANUAL) ?? [];
    const html = { headers: { 'content-type': 'text/html' } };
    const site = await serve(context, () => {
      const stranger = `<iframe name="stranger" src="data:text/html,"></iframe>`;
      return new Response(snippet.replaceAll('https://shifts.example.org', gateway) + stranger, html);
    });
    const other = await serve(context, () => {
      const listener = '<script>heard = []; onmessage = ({ data }) => heard.push(data)</script>';
      return new Response(`${listener}<iframe src="${gateway}/kitchen"></iframe>`, html);
    });
    const shifts = Array.from({ length: 40 }, (_, i) => makeShift({ id: i + 1, date: '2026-11-16' }));
    const origins = ['https://www.example.org', site];
    const gateway = await serve(context, gatewayOf(shifts, { origins }, { scripts: browserFiles() }));
    const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
    context.after(() => page.close());
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));

    await page.clock.setFixedTime('2026-11-15T12:00:00Z');
    await page.goto(site);
    const frame = page.frames().find((one) => one.url() === `${gateway}/kitchen`);
    assert.ok(frame);
    await frame.locator('shift-calendar [part~="shift"]').last().waitFor();
    const heightOfFrame = async () => (await page.locator('#shifts').boundingBox())?.height;
    const fits = async () => (await heightOfFrame()) === (await frame.evaluate<number>(HEIGHT));
    await until('the frame is as high as the list', fits);
    const heightOfList = await heightOfFrame();
    await frame.getByRole('button', { name: 'Month', exact: true }).click();
    await frame.locator('shift-calendar [part~="chip"]').first().waitFor();
    await until('the frame is as high as the month', fits);
    assert.notEqual(await heightOfFrame(), heightOfList);
    assert.equal(await frame.evaluate('document.documentElement.scrollHeight - innerHeight'), 0);

    await page.evaluate('void (heard = new Promise((resolve) => addEventListener("message", resolve)))');
    await page
      .frame('stranger')
      ?.evaluate("parent.postMessage({ type: 'shiftfeed-height', height: 7 }, '*')");
    await page.evaluate('heard.then(() => true)');
    assert.ok(await fits());
    assert.deepEqual(complaints, []);

    // A browser that did not heed the policy would show the page to a stranger, but tell it nothing.
    await page.route(`${gateway}/kitchen`, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.goto(other);
    const shown = page.frames().find((one) => one.url() === `${gateway}/kitchen`);
    await shown?.locator('shift-calendar [part~="shift"]').last().waitFor();
    await shown?.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    assert.deepEqual(await page.evaluate('heard'), []);
  },
);

const SCREENS = [
  [390, 'dark'],
  [1200, 'light'],
] as const;
for (const [width, colorScheme] of SCREENS.slice(0, often(1, 2))) {
  browserTest(
    `in a browser of ${width} pixels, scripts make the list a calendar of weeks and months`,
    async (context) => {
      assert.ok(browser);
      const shifts = [
        makeShift({ id: 1, date: '2026-11-15', person: null, starred: true }),
        makeShift({ id: 2, date: '2026-11-16', cancelled: true, remarks: 'Bring an apron' }),
        makeShift({ id: 3, date: '2026-12-24' }),
        makeShift({ id: 4, date: '2026-12-25' }),
      ];
      const gateway = await serve(context, gatewayOf(shifts, {}, { scripts: browserFiles() }));
      const visitor = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        locale: 'en-GB',
        timezoneId: 'America/New_York',
      });
      context.after(() => visitor.close());
      const page = await visitor.newPage();
      await page.clock.setFixedTime('2026-11-15T12:00:00Z');
      const complaints: string[] = [];
      const origins = new Set<string>();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => origins.add(new URL(request.url()).origin));
      const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);

      await page.goto(`${gateway}/kitchen`);
      await part('shift').first().waitFor();
      // The list that was there before is no longer seen, and the title only once.
      assert.equal(await page.locator('shift-calendar > section').first().isVisible(), false);
      assert.ok(((await part('title').boundingBox())?.width ?? 0) <= 1);
      for (const [view, name] of [
        ['list', 'List'],
        ['week', 'Week'],
        ['month', 'Month'],
      ] as const) {
        await page.getByRole('button', { name, exact: true }).click();
        await part(view).waitFor();
        await part('shift').first().waitFor();
        assert.deepEqual(await violations(page), [], view);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(overflow) <= 0, `${view} is ${overflow} pixels too wide`);
      }

      // A page of some days has a calendar of these days.
      await page.goto(`${gateway}/kitchen?date_from=2026-12-20&date_to=2026-12-24`);
      await part('shift').first().waitFor();
      assert.deepEqual(await part('date').allTextContents(), ['24 December']);
      for (const name of ['earlier', 'later']) assert.equal(await part(name).isVisible(), false, name);
      assert.deepEqual(complaints, []);
      assert.deepEqual([...origins], [gateway]);
    },
  );
}

browserTest(
  'in a browser, two lines of HTML show the calendar on another website, under a strict policy',
  async (context) => {
    assert.ok(browser);
    const site = await serve(context, () => {
      const policy = `default-src 'none'; script-src ${gateway}; connect-src ${gateway}`;
      return new Response(
        `<script type="module" src="${gateway}/shift-calendar.js"></script>
      <shift-calendar src="${gateway}/kitchen/shifts" view="month" date="2026-11-16"></shift-calendar>`,
        {
          headers: {
            'content-type': 'text/html',
            'content-security-policy': policy,
            'cross-origin-embedder-policy': 'require-corp',
          },
        },
      );
    });
    const handle = gatewayOf([makeShift()], { origins: [site] }, { scripts: browserFiles() });
    const gateway = await serve(context, handle);
    const page = await browser.newPage();
    context.after(() => page.close());
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(site);
    await page.locator('shift-calendar [part~="chip"]').first().waitFor();
    assert.deepEqual(complaints, []);
  },
);

function gatewayOf(
  shifts: readonly Shift[],
  feed: Partial<FeedDocument> = {},
  options: Partial<GatewayOptions> = {},
) {
  return createGateway({
    config: {
      upstream: 'https://up.example/acme',
      feeds: { kitchen: { title: 'Kitchen & <service>', group_ids: 'all', show: [...SHOW], ...feed } },
    },
    token: 'shiftfeed_x',
    clock: () => Date.parse('2026-11-15T12:00:00Z'),
    fetch: fakeUpstream({ shifts }).fetch,
    ...options,
  });
}

async function write(shifts: readonly Shift[], acceptLanguage = 'en-GB'): Promise<string> {
  const headers = { 'accept-language': acceptLanguage };
  const response = await gatewayOf(shifts)(new Request('https://gw.example.org/kitchen', { headers }));
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(
    response.headers.get('content-security-policy'),
    "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; frame-ancestors 'none'",
  );
  return response.text();
}
