/** What stands above the days: the legend, the field to search in, ways to subscribe; and links to maps. */

import assert from 'node:assert/strict';
import { test as plainTest, type TestContext } from 'node:test';
import { COLOURS } from '@shiftfeed/common/calendar/shift';
import type { Page } from 'playwright-core';
import { browserTest as test } from '../../support/browser.ts';
import { violations } from './axe.ts';
import { assertCount, assertTexts, part, setAttributes, showView, styleOf } from './parts.ts';
import { type CalendarOptions, shift, startCalendars } from './site.ts';

const { open: openCalendar } = await startCalendars();
const BAR = { id: 3, name: 'Bar' };
const HARBOUR = { name: 'Harbour', address: 'Quay 12 & 14, Amsterdam' };

/** It is Sunday, 15 November 2026, in Amsterdam. */
const SHIFTS = [
  shift('2026-11-15', { person: { name: 'Inès' } }),
  shift('2026-11-15', { group: BAR, location: HARBOUR, open: true }),
  shift('2026-11-16', { remarks: 'Bring an apron' }),
  shift('2026-11-16', { group: BAR, cancelled: true }),
];

async function open(context: TestContext, options: CalendarOptions): Promise<Page> {
  const { page } = await openCalendar(context, options, SHIFTS);
  await part(page, 'shift').or(part(page, 'day-button')).first().waitFor();
  return page;
}

plainTest('colours of groups can be told from light and dark pages, and from each other', () => {
  for (const page of ['#ffffff', '#f4f6f8', '#16191c', '#222222']) {
    for (const colour of COLOURS) {
      const ratio = contrast(colour, page);
      assert.ok(ratio >= 3, `${colour} on ${page} is ${ratio.toFixed(2)} to 1`);
    }
  }
  assert.equal(new Set(COLOURS).size, 10);
});

test('a legend names groups with their colours, in every view, and shows those that are chosen', async (context) => {
  const page = await open(context, { attributes: { legend: '' } });
  await assertTexts(part(page, 'legend-group'), ['Bar', 'Kitchen']);
  const colours = () =>
    Promise.all(
      ['group-1', 'group-3'].map((name) =>
        styleOf(page, `shift"][part~="${name}`, 'borderLeftColor', '::after'),
      ),
    );
  const [kitchen, bar] = await colours();
  assert.notEqual(kitchen, bar);
  const legend = await Promise.all(
    ['group-1', 'group-3'].map((name) =>
      styleOf(page, `legend-group"][part~="${name}`, 'backgroundColor', '::before'),
    ),
  );
  assert.deepEqual(legend, [kitchen, bar]);

  const button = page.getByRole('button', { name: 'Bar', exact: true });
  await button.focus();
  await page.keyboard.press('Space');
  await assertCount(part(page, 'shift'), 2);
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  assert.equal(await button.evaluate((one) => one.matches(':focus')), true);
  await page.emulateMedia({ media: 'print' });
  await assertTexts(page.locator('shift-calendar [part~="legend-group"]:visible'), ['Bar']);
  await page.emulateMedia({ media: 'screen' });
  for (const view of ['list', 'week', 'month']) {
    await showView(page, view);
    assert.equal(
      await page.locator('shift-calendar :is([part~="shift"], [part~="chip"])[part~="group-1"]').count(),
      0,
    );
  }
  assert.deepEqual(await violations(page), []);
  // A week without that group still lets go of it.
  await setAttributes(page, { view: 'week', date: '2026-11-25' });
  await page.getByText('No shifts from').or(page.getByText('No shifts match.')).first().waitFor();
  await setAttributes(page, { view: 'list', date: '2026-11-15' });
  await button.click();
  await assertCount(part(page, 'shift'), 4);
  // Without a legend, nothing is left out, and all bars are alike.
  await button.click();
  await page.evaluate(`document.querySelector('shift-calendar').removeAttribute('legend')`);
  await assertCount(part(page, 'shift'), 4);
  const [one, other] = await colours();
  assert.equal(one, other);
});

test('a field finds words in names, places and remarks, and says when there are none', async (context) => {
  const page = await open(context, { attributes: { search: '' } });
  const field = page.getByRole('searchbox', { name: 'Search' });
  for (const [words, count] of [
    ['ines', 1],
    ['APRON bring', 1],
    ['amsterdam bar', 1],
    ['bar', 2],
    ['', 4],
  ] as const) {
    await field.fill(words);
    await assertCount(part(page, 'shift'), count);
  }
  // On paper, it is said what was looked for.
  for (const words of ['', 'bar']) {
    await field.fill(words);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await part(page, 'search').isVisible(), words !== '');
    await page.emulateMedia({ media: 'screen' });
  }
  await field.fill('nobody');
  await page.getByText('No shifts match.').waitFor();
  await assertCount(part(page, 'day'), 0);
  assert.equal(await field.evaluate((one) => one.matches(':focus')), true);
  assert.deepEqual(await violations(page), []);
  await page.evaluate(`document.querySelector('shift-calendar').removeAttribute('search')`);
  await assertCount(part(page, 'shift'), 4);
  assert.equal(await field.isVisible(), false);
});

test('one subscribes with a calendar app, Google or Outlook, or copies the address', async (context) => {
  const page = await open(context, {
    attributes: { subscribe: '/kitchen/shifts.ics?group_ids=1' },
    browser: { permissions: ['clipboard-read', 'clipboard-write'] },
  });
  await part(page, 'subscribe-button').click();
  const address = new URL('/kitchen/shifts.ics?group_ids=1', page.url()).href;
  const webcal = address.replace('http:', 'webcal:');
  const ways = await part(page, 'subscribe-way').evaluateAll((links) =>
    links.map((link) => link.getAttribute('href')),
  );
  assert.deepEqual(ways, [
    webcal,
    `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`,
    `https://outlook.live.com/calendar/0/addfromweb?url=${encodeURIComponent(address)}&name=Kitchen`,
  ]);
  await page.getByRole('button', { name: 'Copy address' }).click();
  await page.getByRole('button', { name: 'Address copied' }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), address);
  assert.deepEqual(await violations(page), []);
  // What is no address of the web has no button.
  await setAttributes(page, { subscribe: 'javascript:alert(1)' });
  await part(page, 'subscribe').waitFor({ state: 'hidden' });
});

test('addresses lead to a map, if the page says so', async (context) => {
  const page = await open(context, {});
  const chosen = part(page, 'shift').filter({ hasText: 'Harbour' });
  await chosen.click();
  await assertCount(part(page, 'map'), 0);
  for (const [maps, map] of [
    ['', 'https://www.openstreetmap.org/search?query='],
    ['https://maps.example/?q=', 'https://maps.example/?q='],
  ] as const) {
    await setAttributes(page, { maps });
    await page.getByRole('link', { name: HARBOUR.address }).waitFor();
    await page.locator(`shift-calendar a[href="${map}${encodeURIComponent(HARBOUR.address)}"]`).waitFor();
  }
  assert.deepEqual(await violations(page), []);
  await setAttributes(page, { maps: 'javascript:alert(1)//' });
  await assertCount(part(page, 'map'), 0);
});

/** As the guidelines for accessible content compute it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
