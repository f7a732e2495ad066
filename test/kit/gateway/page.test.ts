import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import type { Shift } from '@shiftfeed/client';
import { STYLES, STYLES_HASH } from '@shiftfeed/common/calendar/styles';
import { createGateway, type FeedDocument, type GatewayOptions } from '@shiftfeed/gateway';
import type { Frame, Route } from 'playwright-core';
import { chooseLanguage } from '../../../kit/gateway/src/page/language.ts';
import { browserTest, connectBrowser, hasBrowser, watchPage } from '../../support/browser.ts';
import { isLong, often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';
import { plain } from '../../support/wording.ts';
import { violations } from '../calendar/axe.ts';
import { printedTexts } from '../calendar/printed.ts';
import { serve } from './serve.ts';
import { fakeUpstream, makeShift, optionsFor } from './upstream.ts';

const SHOW = ['group', 'location', 'person', 'remarks', 'starred', 'noshow', 'publish_date', 'open'] as const;
const MANUAL = readFileSync(new URL('../../../docs/website.md', import.meta.url), 'utf8');
/** Of a page, in whole pixels. */
const HEIGHT = 'Math.ceil(document.documentElement.getBoundingClientRect().height)';
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

test('a page lists shifts by day, with all that is shown, and ways to subscribe', async () => {
  const page = await write([
    makeShift({ id: 1, date: '2026-11-15', remarks: 'Bring an apron' }),
    makeShift({ id: 2, date: '2026-11-15', start_time: '22:00', end_time: '06:00', end_date: '2026-11-16' }),
    makeShift({ id: 3, date: '2026-11-17', person: null, cancelled: true, location: null }),
  ]);
  const said = plain(page.replace(/<head>.*<\/style>/s, '').replace(/<[^>]*>/g, ' '));
  for (const text of [
    'Sunday 15 November Today 09:00 – 17:00 Kitchen Harbour Robin Doe Sunday, 15 November 2026, 09:00 – 17:00 (8 hours) ' +
      '1 Quay Street Bring an apron Published on',
    '22:00 – 06:00 Kitchen Harbour Robin Doe until Mon 16 Nov',
    'Monday 16 November until 06:00 Kitchen',
    'Tuesday 17 November 09:00 – 17:00 Kitchen Cancelled Open',
    'All times are local times in Amsterdam (Central European Time).',
    'Subscribe Calendar app Google Calendar Outlook https://gw.example.org/kitchen/shifts.ics',
    'This list ends on 12 December 2026. Later shifts may follow.',
  ]) {
    assert.ok(said.includes(plain(text)), `${text}: ${said}`);
  }
  assert.match(page, /<title>Kitchen &amp; &lt;service&gt;<\/title>/);
  assert.match(
    page,
    /<meta name="description" content="Kitchen &amp; &lt;service&gt;, 15 November 2026\s–\s13 February 2027\.">/,
  );
  const calendar = 'gw.example.org/kitchen/shifts.ics';
  for (const address of [
    `webcal://${calendar}`,
    `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(`webcal://${calendar}`)}`,
    `https://outlook.live.com/calendar/0/addfromweb?url=${encodeURIComponent(`https://${calendar}`)}&amp;name=`,
    'https://www.openstreetmap.org/search?query=1%20Quay%20Street',
  ]) {
    assert.ok(page.includes(`href="${address}`), address);
  }
  assert.doesNotMatch(page, /<script|style="|onclick/);
});

test('an address that was cut within a character leads to a map all the same', async () => {
  const page = await write([makeShift({ location: { name: 'Harbour', address: '1 Quay \ud83d' } })]);
  assert.ok(page.includes('search?query=1%20Quay%20%EF%BF%BD"'), page);
});

test('a list begins today, looks ahead for its first shift, and leads to earlier and later days', async () => {
  const days = (page: string) => page.match(/(?<= id="day-\d+"[^>]*><span[^>]*>)\w+/g);
  const links = (page: string) => [...page.matchAll(/part="button (earlier|later)" href="([^"]*)"/g)];
  const shifts = [
    makeShift({ id: 1, date: '2026-11-12' }),
    makeShift({ id: 2, date: '2026-11-17' }),
    makeShift({ id: 3, date: '2027-01-06' }),
  ];
  const feed = { days_back: 7 };
  const first = await write(shifts, 'en-GB', feed);
  assert.deepEqual(days(first), ['Sunday', 'Tuesday']);
  assert.deepEqual(
    links(first).map(([, name, href]) => `${name} ${href}`),
    ['earlier /kitchen?date_from=2026-11-08', 'later /kitchen?date_from=2026-12-13'],
  );
  assert.deepEqual(days(await write(shifts, 'en-GB', feed, '?date_from=2026-11-08')), [
    'Thursday',
    'Sunday',
    'Tuesday',
  ]);
  const later = await write(shifts, 'en-GB', feed, '?date_from=2026-12-01&date_to=2026-12-31');
  assert.deepEqual(links(later), [], 'the query ends there');
  const ahead = await write(shifts.slice(2), 'en-GB', feed);
  assert.deepEqual(days(ahead), ['Sunday', 'Wednesday']);
  assert.equal(links(ahead).length, 1);
});

test('a page of several groups has a legend, each of which leads to a page of that group', async () => {
  const shifts = [
    makeShift({ id: 1 }),
    makeShift({ id: 2, group: { id: 2, name: 'Bar <1>' } }),
    makeShift({ id: 3, date: '2027-01-20', group: { id: 3, name: 'Not seen yet' } }),
  ];
  const page = await write(shifts);
  const legend = [...page.matchAll(/part="button legend-group ([^"]*)" href="([^"]*)"><bdi>([^<]*)/g)];
  assert.deepEqual(
    legend.map(([, ...parts]) => parts.join(' ')),
    ['group-2 colour-2 /kitchen?group_ids=2 Bar &lt;1&gt;', 'group-1 colour-1 /kitchen?group_ids=1 Kitchen'],
  );
  assert.doesNotMatch(await write(shifts.slice(0, 1)), /legend-group [^"]*" href/);
});

test('the policy of a page names its styles', () => {
  assert.equal(STYLES_HASH, `sha256-${createHash('sha256').update(STYLES).digest('base64')}`);
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
  ['', 'en', /Monday, November 16, 2026/, />Subscribe</],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT', /Montag, 16. November 2026/, />Abonnieren</],
  ['en;q=0.5, nl', 'nl', /maandag 16 november 2026/, />Abonneren</],
  ['fr-CH', 'fr-CH', /lundi,? 16 novembre 2026/, />S’abonner</],
  ['es', 'es', /lunes, 16 de noviembre de 2026/, />Suscribirse</],
  ['it-CH', 'it-CH', /lunedì,? 16 novembre 2026/, />Abbonati</],
  ['pl', 'pl', /poniedziałek,? 16 listopada 2026/, />Subskrybuj</],
  ['pt-BR', 'pt-BR', /segunda-feira, 16 de novembro de 2026/, />Subscrever</],
  ['ar-EG', 'ar-EG" dir="rtl', /٢٠٢٦/, />اشتراك</],
  ['iw', 'he" dir="rtl', /יום שני, 16 בנובמבר 2026/, />הרשמה</],
  ['ja', 'en-JP', /Monday, November 16, 2026/, />Subscribe</],
  ['sv', 'en-SE', /Monday, 16 November 2026/, />Subscribe</],
  ['ja, nl;q=0.5', 'nl', /maandag 16 november 2026/, />Abonneren</],
  ['xx-invalid!!, *;q=0.1', 'en', /Monday, November 16, 2026/, />Subscribe</],
  ['de-u-ca-buddhist', 'de', /Montag, 16. November 2026/, />Abonnieren</],
];

for (const [header, lang, day, word] of LANGUAGES) {
  test(`with Accept-Language ${header}, the page is in a language of the visitor, or in English, dates included`, async () => {
    const page = await write([makeShift()], header);
    assert.ok(page.includes(`<html lang="${lang}">`), page.slice(0, 60));
    assert.match(page, day);
    assert.match(page, word);
    // How often calendars look, in whichever language.
    assert.match(page, /<p>[^<]*Google[^<]*<\/p>/);
  });
}

test('regions that Intl does not know share the page of their language', () => {
  assert.equal(chooseLanguage('en-QX').tag, 'en');
  assert.equal(chooseLanguage('de-QX').tag, 'de');
  assert.equal(chooseLanguage('de-AT').tag, 'de-AT');
  assert.equal(chooseLanguage('xx, nl').tag, 'nl');
});

test('a feed without shifts says so', async () => {
  assert.match(await write([]), /No shifts from 15 November 2026 to 13 February 2027/);
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
    const { complaints } = watchPage(page);

    await page.goto(`${gateway}/kitchen`);
    const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);
    assert.deepEqual(await part('weekday').allInnerTexts(), ['Sonntag', 'Montag']);
    // What does nothing without scripts is not seen, and what does is.
    for (const name of ['toolbar', 'search', 'copy']) assert.equal(await part(name).isVisible(), false, name);
    await part('shift').first().click();
    await part('subscribe-button').click();
    for (const name of ['map', 'subscribe-way'])
      assert.equal(await part(name).first().isVisible(), true, name);
    // The stylesheet has arrived: the page is dark.
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
    const { complaints } = watchPage(page);

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

browserTest(
  'in a browser, the calendar takes the place of the list without moving anything, and a frame hears one height',
  async (context) => {
    assert.ok(browser);
    const html = { headers: { 'content-type': 'text/html' } };
    const site = await serve(context, () => {
      const listener = '<script>heard = []; onmessage = ({ data }) => heard.push(data.height)</script>';
      return new Response(
        `${listener}<iframe src="${gateway}/kitchen" width="390" height="600"></iframe>`,
        html,
      );
    });
    const shifts = [
      makeShift({ id: 1, date: '2026-11-16' }),
      makeShift({ id: 2, date: '2026-12-20', group: { id: 2, name: 'Bar' } }),
    ];
    const gateway = await serve(context, gatewayOf(shifts, { origins: [site] }, { scripts: browserFiles() }));
    // Where clocks show another time, too.
    const visitor = await browser.newContext({
      viewport: { width: 390, height: 844 },
      timezoneId: 'Asia/Tokyo',
    });
    context.after(() => visitor.close());
    const page = await visitor.newPage();
    await page.clock.setFixedTime('2026-11-15T12:00:00Z');
    await page.addInitScript(`{
      window.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) moved += value;
      }).observe({ type: 'layout-shift', buffered: true });
    }`);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(new URL(request.url()).pathname));
    const isCalendar = (frame: Frame) =>
      frame.locator('shift-calendar button[part~="shift"]').first().waitFor();
    const painted = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

    await page.goto(`${gateway}/kitchen`);
    await isCalendar(page.mainFrame());
    await page.evaluate(painted);
    assert.ok(Number(await page.evaluate('moved')) < 0.05, `moved by ${await page.evaluate('moved')}`);
    assert.deepEqual(addresses.sort(), [
      '/gateway-frame.js',
      '/gateway.css',
      '/kitchen',
      '/kitchen/shifts',
      '/shift-calendar.js',
    ]);

    await page.goto(site);
    const frame = page.frames()[1];
    assert.ok(frame);
    await isCalendar(frame);
    await frame.evaluate(painted);
    await page.evaluate(painted);
    assert.equal(await page.evaluate('heard.length'), 1);
  },
);

browserTest(
  'in a browser, the list of the page stays, with what is unfolded and where the focus is, until there are shifts',
  async (context) => {
    assert.ok(browser);
    const gateway = await serve(context, gatewayOf([makeShift()], {}, { scripts: browserFiles() }));
    const page = await browser.newPage({ locale: 'en-GB' });
    context.after(() => page.close());
    await page.clock.setFixedTime('2026-11-15T12:00:00Z');
    let asked = Promise.withResolvers<Route>();
    await page.route('**/kitchen/shifts*', (route) => asked.resolve(route));
    const request = async () => {
      const route = await asked.promise;
      asked = Promise.withResolvers();
      return route;
    };
    await page.goto(`${gateway}/kitchen`);
    const first = await request();
    const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);
    await page.locator('shift-calendar summary[part~="shift"]').click();
    await first.abort();
    await page.getByText('The shifts could not be loaded.').waitFor();
    assert.equal(await part('details').isVisible(), true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await (await request()).continue();
    await page.locator('shift-calendar button[part~="shift"]').waitFor();
    assert.equal(await page.locator('shift-calendar summary[part~="shift"]').isVisible(), false);

    await page.reload();
    const third = await request();
    await page.locator('shift-calendar summary[part~="shift"]').click();
    await third.continue();
    const shift = page.locator('shift-calendar button[part~="shift"]');
    await shift.waitFor();
    assert.equal(await shift.getAttribute('aria-expanded'), 'true');
    assert.equal(await shift.evaluate((button) => button.matches(':focus')), true);
  },
);

browserTest(
  'in a browser, the list of a page that stays open goes with the days, and begins today once Today is pressed',
  async (context) => {
    assert.ok(browser);
    const shifts = [
      makeShift({ id: 1, date: '2026-11-15' }),
      makeShift({ id: 2, date: '2026-11-16' }),
      makeShift({ id: 3, date: '2026-12-20' }),
    ];
    const feed = { days_back: 7 };
    const gateway = await serve(context, gatewayOf(shifts, feed, { scripts: browserFiles() }));
    // There it is another day.
    const page = await browser.newPage({ locale: 'en-GB', timezoneId: 'Asia/Tokyo' });
    context.after(() => page.close());
    const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);
    const sees = (...days: string[]) =>
      until(
        `the days are ${days}`,
        async () => String(await part('date').allTextContents()) === String(days),
      );
    const comeBack = async (time: string) => {
      await page.clock.setFixedTime(time);
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    };
    await page.clock.setFixedTime('2026-11-15T18:00:00Z');
    await page.goto(`${gateway}/kitchen`);
    await page.locator('shift-calendar button[part~="shift"]').first().waitFor();
    await sees('15 November', '16 November');
    await comeBack('2026-11-16T18:00:00Z');
    await sees('16 November');
    await comeBack('2026-12-19T18:00:00Z');
    await sees('19 December', '20 December');
    await part('earlier').click();
    await part('earlier').click();
    await sees('15 November', '16 November', '19 December', '20 December');
    await part('today').click();
    await sees('19 December', '20 December');
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
      const { complaints, addresses } = watchPage(page);
      const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);

      await page.goto(`${gateway}/kitchen`);
      await part('shift').first().waitFor();
      // The title is there only once.
      assert.equal(await page.getByRole('heading', { name: 'Kitchen & <service>' }).count(), 1);
      for (const [view, name] of [
        ['list', 'List'],
        ['week', 'Week'],
        ['month', 'Month'],
      ] as const) {
        await page.getByRole('button', { name, exact: true }).click();
        await part(view).waitFor();
        await part('shift').first().waitFor();
        // The views themselves are looked at with the calendar.
        if (isLong || view === 'list') assert.deepEqual(await violations(page), [], view);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(overflow) <= 0, `${view} is ${overflow} pixels too wide`);
      }

      // A page of some days has a calendar of these days.
      await page.goto(`${gateway}/kitchen?date_from=2026-12-20&date_to=2026-12-24`);
      await part('shift').first().waitFor();
      assert.deepEqual(await part('date').allTextContents(), ['24 December']);
      for (const name of ['earlier', 'later']) assert.equal(await part(name).isVisible(), false, name);
      assert.deepEqual(complaints, []);
      assert.ok(addresses.every((address) => new URL(address).origin === gateway));
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
    const { complaints } = watchPage(page);
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
  const shown = { title: 'Kitchen & <service>', show: SHOW, ...feed };
  return createGateway(optionsFor(fakeUpstream({ shifts }), shown, options));
}

async function write(
  shifts: readonly Shift[],
  acceptLanguage = 'en-GB',
  feed: Partial<FeedDocument> = {},
  search = '',
): Promise<string> {
  const headers = { 'accept-language': acceptLanguage };
  const response = await gatewayOf(
    shifts,
    feed,
  )(new Request(`https://gw.example.org/kitchen${search}`, { headers }));
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(
    response.headers.get('content-security-policy'),
    "default-src 'none'; base-uri 'none'; form-action 'none'; " +
      `img-src data:; style-src 'self' '${STYLES_HASH}'; frame-ancestors 'none'`,
  );
  return response.text();
}
