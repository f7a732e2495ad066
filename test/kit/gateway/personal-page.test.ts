/** The page of a personal link, on the real server and in a real browser. */

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import { openGateway } from '@shiftfeed/gateway';
import { pino } from 'pino';
import { startGatewayServer } from '../../../src/gateway/server.ts';
import { makeProblemLog } from '../../../src/http/observe/problem-log.ts';
import { browserTest, connectBrowser, hasBrowser } from '../../support/browser.ts';
import type { Cleanup } from '../../support/database.ts';
import { ANY_PORT } from '../../support/server-options.ts';
import { violations } from '../calendar/axe.ts';
import { printedTexts } from '../calendar/printed.ts';
import { NOW, openPersonal, SECRET, SHIFTS } from './personal.ts';
import { fakeUpstream } from './upstream.ts';

const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';

browserTest(
  'on a phone, one finds, subscribes to and prints their own shifts, and the address goes nowhere else',
  async (context) => {
    assert.ok(browser);
    const url = await serve(context);
    const path = await openPersonal().pathOf('Noor');
    const visitor = await browser.newContext({ viewport: { width: 390, height: 800 }, locale: 'en-GB' });
    context.after(() => visitor.close());
    const page = await visitor.newPage();
    await page.clock.setFixedTime(NOW);
    const complaints: string[] = [];
    const requests: Promise<[url: string, referrer: string | undefined]>[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) =>
      requests.push(request.allHeaders().then(({ referer }) => [request.url(), referer])),
    );

    await page.goto(url + path);
    const part = (name: string) => page.locator(`shift-calendar [part~="${name}"]`);
    await part('shift').first().waitFor();
    assert.deepEqual(await part('date').allTextContents(), [
      '15 November',
      '16 November',
      '20 November',
      '1 December',
    ]);
    await part('subscribe-button').click();
    const subscribe = page.getByRole('link', { name: 'Calendar app' });
    const address = `${url}${path}/shifts.ics`;
    assert.equal(await subscribe.getAttribute('href'), address.replace('http:', 'webcal:'));
    assert.equal(await part('subscribe-address').innerText(), address);
    assert.match(await page.locator('header').innerText(), /^Kitchen and service\s+Your shifts$/);
    assert.match(await page.locator('footer').innerText(), /Google Calendar up to a day later.*yours alone/s);
    assert.deepEqual(await violations(page), []);
    assert.ok(Number(await page.evaluate(OVERFLOW)) <= 0);

    // On paper there are shifts, and neither the button nor the address.
    await page.emulateMedia({ media: 'print' });
    assert.equal(await subscribe.isVisible(), false);
    assert.ok(((await printedTexts(page))[0] ?? 0) > 5);

    for (const [asked, referrer] of await Promise.all(requests)) {
      assert.ok(asked.startsWith(url), asked);
      assert.equal(referrer, undefined, asked);
    }
    assert.deepEqual(complaints, []);

    const plain = await browser.newContext({ javaScriptEnabled: false, locale: 'nl-NL' });
    context.after(() => plain.close());
    const list = await plain.newPage();
    await list.goto(url + path);
    assert.match(await list.locator('header').innerText(), /Uw diensten/);
    assert.equal(await list.locator('shift-calendar [part~="row"]').count(), 3);
    assert.deepEqual(await list.locator('shift-calendar [part~="mark"]').allInnerTexts(), ['Geannuleerd']);
    // Not even the gateway itself may frame it.
    await list.goto(`${url}/nothing`);
    await list.setContent(`<iframe src="${url}${path}"></iframe>`);
    assert.equal(await list.frameLocator('iframe').locator('h1').count(), 0);
  },
);

async function serve(context: Cleanup): Promise<string> {
  const feed = { title: 'Kitchen and service', group_ids: 'all', personal: true, origins: ['*'] } as const;
  const logger = pino({ level: 'silent' });
  const server = await startGatewayServer({
    gateway: openGateway({
      config: { upstream: 'https://up.example/acme', feeds: { kitchen: feed } },
      token: 'shiftfeed_x',
      linksSecret: SECRET,
      clock: () => Date.parse(NOW),
      fetch: fakeUpstream({ shifts: SHIFTS }).fetch,
      scripts: browserFiles(),
    }),
    address: ANY_PORT,
    logger,
    problems: makeProblemLog(logger),
  });
  context.after(() => server.stop());
  return server.url;
}
