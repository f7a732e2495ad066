/** What takes a browser long: very many shifts, and the example with its servers. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { connectBrowser, hasBrowser, browserTest as test } from '../../support/browser.ts';
import { whenReady } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { violations } from './axe.ts';
import { part, setAttributes } from './parts.ts';
import { openCalendar, shift, startSite } from './site.ts';
import { measureTasks } from './tasks.ts';

const EXAMPLE = join(import.meta.dirname, '../../../examples/website/start.ts');
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

test('5,000 shifts are shown and scrolled without a task that takes most of the time', async (context) => {
  const site = await startSite(context);
  const location = { name: 'Harbour', address: 'Quay 12, Amsterdam' };
  const shifts = Array.from({ length: 5_000 }, (_, i) =>
    shift(`2026-11-${15 + (i % 15)}`, { id: 1000 + i, open: i % 3 === 0, location }),
  );
  site.feed = { ...site.feed, shifts };
  assert.ok(browser);
  const { page } = await openCalendar(context, browser, site, {
    attributes: { src: '', date: '2026-11-15' },
    timers: 'real',
  });
  const inCalendar = (expression: string) =>
    page.evaluate(`(({ shadowRoot: root }) => ${expression})(document.querySelector('shift-calendar'))`);
  const { longestMs, totalMs } = await measureTasks(page, async () => {
    await setAttributes(page, { src: '/kitchen/shifts' });
    const count = `root.querySelectorAll('[part~="shift"]').length`;
    await until('all are there', async () => (await inCalendar(count)) === 5_000);
    for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 4_000);
    for (const view of ['week', 'month', 'list']) {
      await setAttributes(page, { view });
      await until(`the ${view} is there`, async () =>
        Boolean(await inCalendar(`root.querySelector('[part~="${view}"] [part~="shift"]') !== null`)),
      );
    }
    await inCalendar(`root.querySelector('[data-stop][tabindex="0"]').focus()`);
    await page.keyboard.press('End');
  });
  // A share, because how long a task takes depends on the machine.
  assert.ok(longestMs < totalMs / 5, `a task took ${longestMs} of ${totalMs} ms`);
});

test('on a slow processor, every key of a month leads to its day', async (context) => {
  const site = await startSite(context);
  assert.ok(browser);
  const { page } = await openCalendar(context, browser, site, { attributes: { view: 'month' } });
  await part(page, 'day-button').first().waitFor();
  await page.getByRole('gridcell', { selected: true }).getByRole('button').focus();
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const focusedDay = `Number(document.querySelector('shift-calendar').shadowRoot.activeElement?.dataset.day)`;
  const start = Temporal.PlainDate.from('2026-11-15');
  for (const [key, expected] of [
    ['PageDown', start.add({ months: 1 })],
    ['PageDown', start.add({ months: 2 })],
    ['PageUp', start.add({ months: 1 })],
    ['ArrowRight', start.add({ months: 1, days: 1 })],
    ['PageUp', start.add({ days: 1 })],
    ['PageDown', start.add({ months: 1, days: 1 })],
  ] as const) {
    await page.keyboard.press(key);
    const day = start.with({ year: 1970, month: 1, day: 1 }).until(expected).total('days');
    await until(`${key} leads to ${expected}`, async () => (await page.evaluate(focusedDay)) === day);
  }
});

test('the café of the example has shifts of the demo on its page, under its own policy', async (context) => {
  const example = spawn(process.execPath, [EXAMPLE], { env: { ...process.env, PORT: '0' } });
  const { url } = await whenReady({ after: () => {} }, example);
  context.after(async () => {
    example.kill();
    await once(example, 'close');
  });
  const statusOf = async (method: string, path: string) => {
    const [response] = await once(request(url, { method, path }).end(), 'response');
    return response.resume().statusCode;
  };
  assert.equal(await statusOf('GET', '//'), 404);
  assert.equal(await statusOf('TRACE', '/rota/kitchen'), 400);
  assert.ok(browser);
  const page = await browser.newPage();
  context.after(() => page.close());
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(url);
  await part(page, 'shift').first().waitFor();
  assert.equal(await part(page, 'title').innerText(), 'Kitchen, service and bar');
  await page.getByRole('button', { name: 'Month' }).click();
  await part(page, 'chip').first().waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
});
