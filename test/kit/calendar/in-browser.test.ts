import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { browserTest as test } from '../../support/browser.ts';
import { often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';
import { allPlain, loosely, plain } from '../../support/wording.ts';
import { violations } from './axe.ts';
import {
  assertCount,
  assertFocus,
  assertTexts,
  part,
  refresh,
  rowsOf,
  setAttributes,
  showView,
  styleOf,
  texts,
  walk,
} from './parts.ts';
import { type CalendarOptions, shift, startCalendars } from './site.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1200, height: 900 };
const SERVICE = { id: 2, name: 'Service' };
const HARBOUR = { name: 'Harbour', address: 'Quay 12, Amsterdam' };

/** It is Sunday, 15 November 2026, in Amsterdam. */
const WEEK = [
  shift('2026-11-14', { id: 1, start_time: '22:00', end_time: '06:00', end_date: '2026-11-15' }),
  shift('2026-11-15', { id: 2, location: HARBOUR }),
  shift('2026-11-15', { id: 3, group: SERVICE, open: true }),
  shift('2026-11-16', { id: 4, cancelled: true }),
  shift('2026-11-16', { id: 5, starred: true, person: { name: 'Noor' }, remarks: 'Bring <b>pans</b>.' }),
  shift('2026-11-20', { id: 6, start_time: '22:00', end_time: '06:00', end_date: '2026-11-21' }),
  shift('2026-12-24', { id: 7 }),
  shift('2027-02-01', { id: 8, group: SERVICE }),
];

/** A clock by which every row and every day takes a millisecond, so that a view is made in many slices. */
const TIMID_CLOCK = `{
  let nowMs = 0;
  performance.now = () => nowMs++;
}`;

const STATES = {
  'en-GB': {
    loading: 'Loading shifts…',
    failed: 'The shifts could not be loaded.',
    again: 'Try again',
    empty: 'No shifts from 15 November 2026 to 13 February 2027.',
  },
  fr: {
    loading: 'Chargement des services…',
    failed: 'Les services n’ont pas pu être chargés.',
    again: 'Réessayer',
    empty: 'Aucun service du 15 novembre 2026 au 13 février 2027.',
  },
  nl: {
    loading: 'Diensten worden geladen…',
    failed: 'De diensten konden niet worden geladen.',
    again: 'Opnieuw proberen',
    empty: 'Geen diensten van 15 november 2026 tot en met 13 februari 2027.',
  },
  de: {
    loading: 'Schichten werden geladen…',
    failed: 'Die Schichten konnten nicht geladen werden.',
    again: 'Erneut versuchen',
    empty: 'Keine Schichten vom 15. November 2026 bis 13. Februar 2027.',
  },
};

const { site, open: openCalendar } = await startCalendars();

/** A page with the calendar, which has shifts if it can. Whatever it does, it asks nobody else, and nothing is refused. */
async function open(
  context: TestContext,
  options: CalendarOptions & { complaints?: RegExp; isBroken?: true } = {},
  shifts = WEEK,
): Promise<Page> {
  const { page, complaints, addresses } = await openCalendar(context, options, shifts);
  context.after(() => {
    const expected = options.complaints ?? /^$/;
    assert.deepEqual(
      complaints.filter((complaint) => !expected.test(complaint)),
      [],
    );
    for (const address of addresses) assert.ok(address.startsWith(`${site.url}/`), address);
  });
  if (options.attributes?.src !== '' && options.isBroken !== true)
    await part(page, 'shift').first().waitFor();
  return page;
}

test('the list goes from day to day, begins today, and tells what sets shifts apart', async (context) => {
  const page = await open(context);
  await assertTexts(part(page, 'day-heading'), [
    'Sunday 15 November Today',
    'Monday 16 November',
    'Friday 20 November',
    'Saturday 21 November',
  ]);
  await assertTexts(part(page, 'shift'), [
    'until 06:00 Kitchen since Sat 14 Nov, 22:00',
    '09:00 – 17:00 Kitchen Harbour',
    '09:00 – 17:00 Service Open',
    '09:00 – 17:00 Kitchen Cancelled',
    '09:00 – 17:00 Kitchen Noor Starred',
    '22:00 – 06:00 Kitchen until Sat 21 Nov',
    'until 06:00 Kitchen since Fri 20 Nov, 22:00',
  ]);
  assert.equal(await part(page, 'title').innerText(), 'Kitchen');
  assert.equal(await part(page, 'zone').isVisible(), false);
  // From a week earlier, because of nights, and of weeks on call.
  assert.deepEqual(site.queries.map(String), ['date_from=2026-11-08&date_to=2026-12-12']);
});

test('a chosen shift is an event of the page, and unfolds unless the page has other plans', async (context) => {
  const page = await open(context, { freshPage: true });
  const button = page.getByRole('button', { name: '09:00 – 17:00 Kitchen Noor Starred' });
  await page.evaluate(`{
    window.chosen = [];
    document.addEventListener('shift-select', (event) => chosen.push(event.detail));
  }`);
  await button.click();
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  await assertTexts(part(page, 'details').locator('p'), [
    'Monday, 16 November 2026, 09:00 – 17:00 (8 hours)',
    'Bring <b>pans</b>.',
  ]);
  await button.click();
  await assertCount(part(page, 'details'), 0);
  await page.evaluate(`document.addEventListener('shift-select', (event) => event.preventDefault())`);
  await button.click();
  await assertCount(part(page, 'details'), 0);
  assert.deepEqual(await page.evaluate('chosen.map((shift) => shift.id)'), [5, 5, 5]);
});

test('a shift is chosen in weeks and months as in the list', async (context) => {
  const page = await open(context, { attributes: { date: '2026-11-16' }, freshPage: true });
  await page.evaluate(`{
    window.chosen = [];
    document.addEventListener('shift-select', (event) => chosen.push(event.detail.id));
    document.addEventListener('shift-calendar-navigate', () => chosen.push('elsewhere'));
  }`);
  for (const view of ['list', 'week', 'month']) {
    await showView(page, view);
    const button = page.getByRole('button', { name: '09:00 – 17:00 Kitchen Noor Starred' });
    await button.click();
    assert.equal(await button.getAttribute('aria-expanded'), 'true', view);
    assert.equal(await part(page, 'details').count(), 1, view);
    assert.deepEqual(await page.evaluate('chosen.splice(0)'), [5], view);
  }
});

test('where the visitor goes is an event of the page, and where the page goes is none', async (context) => {
  const page = await open(context, {
    attributes: { view: 'week' },
    browser: { viewport: DESKTOP },
    freshPage: true,
  });
  await page.evaluate(`{
    window.went = [];
    document.addEventListener('shift-calendar-navigate', ({ detail, target, composed }) => {
      went.push([detail.view, detail.date, target.view, target.date, composed].join(' '));
      // As a framework does it, which has both in its state.
      target.setAttribute('view', detail.view);
      target.setAttribute('date', detail.date);
    });
  }`);
  const went = async (steps: readonly string[]) => {
    const seen = steps.map((step) => `${step} ${step} true`);
    await until('it is told', async () => Number(await page.evaluate('went.length')) >= seen.length);
    assert.deepEqual(await page.evaluate('went.splice(0)'), seen);
  };
  await part(page, 'next').click();
  await part(page, 'previous').click();
  await part(page, 'view-month').click();
  await went(['week 2026-11-22', 'week 2026-11-15', 'month 2026-11-15']);
  await part(page, 'chip').first().waitFor();
  await page.getByRole('button', { name: loosely('Monday 16 November, 2 shifts') }).click();
  await page.keyboard.press('PageDown');
  await went(['month 2026-11-16', 'month 2026-12-16']);
  await part(page, 'today').click();
  await went(['month 2026-11-15']);
  // Neither what is there already, nor the page itself, nor a day on which the feed is over.
  await part(page, 'today').click();
  await part(page, 'view-month').click();
  await setAttributes(page, { view: 'list', date: '2026-11-20' });
  await setAttributes(page, { view: 'month', date: '2027-02-10' });
  await page.getByText(loosely('February 2027')).first().waitFor();
  await page.getByRole('button', { name: loosely('Wednesday 10 February, No shifts') }).focus();
  await page.keyboard.press('PageDown');
  await part(page, 'view-list').click();
  await went(['list 2027-02-10']);
});

test('the list grows later and earlier, up to the ends of the feed', async (context) => {
  const page = await open(context);
  await part(page, 'later').waitFor();
  await part(page, 'later').focus();
  await page.keyboard.press('Enter');
  await part(page, 'day').nth(4).waitFor();
  await assertFocus(page, '09:00 – 17:00 Kitchen');
  assert.equal(String(site.queries.at(-1)), 'date_from=2026-12-13&date_to=2027-01-09');
  await part(page, 'later').click();
  await until('the end is asked for', () => site.queries.at(-1)?.get('date_to') === '2027-02-06');
  await part(page, 'later').click();
  await part(page, 'later').waitFor({ state: 'hidden' });
  assert.equal((await texts(part(page, 'day-heading'))).at(-1), 'Monday 1 February 2027');
  await part(page, 'earlier').click();
  await part(page, 'earlier').waitFor({ state: 'hidden' });
  assert.equal((await texts(part(page, 'day-heading')))[0], 'Saturday 14 November');
});

test('a shift of many days is seen on each of them, in every view, until it is over', async (context) => {
  const week = shift('2026-11-08', { start_time: '18:00', end_time: '08:00', end_date: '2026-11-15' });
  const weekend = shift('2026-11-13', { start_time: '18:00', end_time: '08:00', end_date: '2026-11-16' });
  const page = await open(context, { browser: { viewport: DESKTOP } }, [week, weekend]);
  await assertTexts(part(page, 'shift'), [
    'until 08:00 Kitchen since Sun 8 Nov, 18:00',
    'All day Kitchen since Fri 13 Nov, 18:00',
    'until 08:00 Kitchen since Fri 13 Nov, 18:00',
  ]);
  await setAttributes(page, { view: 'week', date: '2026-11-16' });
  await part(page, 'week').getByText('since Fri 13 Nov, 18:00').waitFor();
  await setAttributes(page, { view: 'month' });
  await page.getByRole('button', { name: loosely('Monday 16 November, 1 shift', { exact: true }) }).waitFor();
});

test('a list without a shift nearby looks further ahead by itself', async (context) => {
  const page = await open(context, {}, WEEK.slice(-1));
  await assertTexts(part(page, 'day-heading'), ['Sunday 15 November Today', 'Monday 1 February 2027']);
  assert.equal(site.queries.length, 2);
});

test('a week has seven days, beside each other or below each other, and pages', async (context) => {
  const page = await open(context, { attributes: { view: 'week' }, browser: { viewport: DESKTOP } });
  await assertTexts(part(page, 'period'), ['9–15 November 2026 · Week 46']);
  await assertCount(part(page, 'day'), 7);
  assert.equal(await rowsOf(part(page, 'day')), 1);
  await page.getByRole('button', { name: 'Next week' }).click();
  await page.getByText('22:00 – 06:00').waitFor();
  await assertTexts(part(page, 'period'), ['16–22 November 2026 · Week 47']);
  assert.equal((await part(page, 'day').nth(5).textContent())?.includes('until 06:00'), true);
  assert.equal((await part(page, 'day').nth(6).textContent())?.includes('No shifts'), true);
  await page.setViewportSize(PHONE);
  assert.equal(await rowsOf(part(page, 'day')), 7);
  await page.getByRole('button', { name: 'Today' }).click();
  await page.getByText(loosely('9–15 November 2026')).waitFor();
});

test('a month is a grid, and below it are the shifts of the chosen day', async (context) => {
  const page = await open(context, { attributes: { view: 'month' }, browser: { viewport: DESKTOP } });
  await part(page, 'chip').first().waitFor();
  assert.equal(await page.getByRole('gridcell').count(), 42);
  assert.deepEqual((await texts(page.getByRole('columnheader')))[0], 'Mon');
  await page.getByRole('button', { name: loosely('Sunday 15 November, Today, 3 shifts') }).waitFor();
  await assertCount(part(page, 'shift'), 3);
  await page.getByRole('button', { name: loosely('Monday 16 November, 2 shifts') }).click();
  await page.getByRole('gridcell', { selected: true }).getByText('16', { exact: true }).waitFor();
  await assertTexts(part(page, 'shift'), [
    '09:00 – 17:00 Kitchen Cancelled',
    '09:00 – 17:00 Kitchen Noor Starred',
  ]);
  await page.getByRole('button', { name: 'Next month' }).click();
  await page
    .getByRole('button', { name: loosely('Thursday 24 December, 1 shift', { exact: true }) })
    .waitFor();
  assert.equal(await page.locator('shift-calendar').getAttribute('date'), '2026-12-16');
});

test('a day of a month with many shifts shows some and counts the rest', async (context) => {
  const many = Array.from({ length: 9 }, (_, i) => shift('2026-11-15', { id: 100 + i }));
  const page = await open(context, { attributes: { view: 'month' }, browser: { viewport: DESKTOP } }, many);
  await page.getByText('+7 more').waitFor();
  await assertCount(part(page, 'chip'), 2);
  await page.setViewportSize(PHONE);
  await part(page, 'count').waitFor();
  assert.equal(await part(page, 'count').innerText(), '9');
});

test('no view is wider than a small phone', async (context) => {
  const long = shift('2026-11-15', {
    group: { id: 1, name: 'Donaudampfschifffahrtsgesellschaft'.repeat(3) },
  });
  const page = await open(context, { browser: { viewport: { width: 320, height: 640 } } }, [long, ...WEEK]);
  for (const view of ['list', 'week', 'month']) {
    await showView(page, view);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, view);
  }
});

test('today, and every time, is that of the place of the shifts, which is told to visitors from elsewhere', async (context) => {
  // In Tokyo it is Monday already.
  const page = await open(context, {
    now: '2026-11-15T20:00:00Z',
    browser: { timezoneId: 'Asia/Tokyo' },
  });
  assert.equal((await texts(part(page, 'day-heading')))[0], 'Sunday 15 November Today');
  assert.equal(
    await part(page, 'zone').innerText(),
    'All times are local times in Amsterdam (Central European Time).',
  );
  await page.getByRole('button', { name: 'Harbour' }).click();
  await assertTexts(part(page, 'details').locator('p'), [
    'Sunday, 15 November 2026, 09:00 – 17:00 (8 hours)',
    'In your time zone: Sun 15 Nov, 17:00 – Mon 16 Nov, 01:00',
    'Quay 12, Amsterdam',
  ]);
});

test('visitors whose clocks show the same time are not told of time zones', async (context) => {
  const page = await open(context, { browser: { timezoneId: 'Europe/Berlin' } });
  assert.equal(await part(page, 'zone').isVisible(), false);
});

test('nights when clocks change are on both days, and as long as they are', async (context) => {
  const nights = [
    shift('2027-03-27', { start_time: '22:00', end_time: '06:00', end_date: '2027-03-28' }),
    shift('2027-03-28', { start_time: '02:30', end_time: '04:00' }),
    shift('2027-03-28', { start_time: '02:30', end_time: '03:15' }),
    shift('2027-10-30', { start_time: '22:00', end_time: '06:00', end_date: '2027-10-31' }),
  ];
  for (const [now, days, hours] of [
    ['2027-03-27T23:30:00Z', ['Sunday 28 March Today'], ['7 hours', '0.5 hours', '0.75 hours']],
    ['2027-10-31T01:30:00Z', ['Sunday 31 October Today'], ['9 hours']],
  ] as const) {
    const page = await open(context, { now, gateway: { feed: { to: '2027-12-31' } } }, nights);
    assert.deepEqual((await texts(part(page, 'day-heading'))).slice(0, 1), allPlain(days));
    const shifts = part(page, 'day').first().locator('[part~="shift"]');
    for (const button of await shifts.all()) await button.click();
    const details = (await texts(part(page, 'details'))).map((text) => /\((.*)\)/.exec(text)?.[1]);
    assert.deepEqual(details, hours);
  }
});

test('the list can be walked by keys alone', async (context) => {
  const page = await open(context);
  await page.getByRole('button', { name: 'Show earlier shifts' }).focus();
  await page.keyboard.press('Tab');
  const steps: [string, string][] = [
    ['', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
    ['ArrowDown', '09:00 – 17:00 Kitchen Harbour'],
    ['PageDown', '09:00 – 17:00 Kitchen Cancelled'],
    ['End', 'until 06:00 Kitchen since Fri 20 Nov, 22:00'],
    ['ArrowUp', '22:00 – 06:00 Kitchen until Sat 21 Nov'],
    ['PageUp', '09:00 – 17:00 Kitchen Cancelled'],
    ['t', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
    ['End', 'until 06:00 Kitchen since Fri 20 Nov, 22:00'],
    ['Home', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
  ];
  await walk(page, steps);
  await page.keyboard.press('Enter');
  await assertCount(part(page, 'details'), 1);
  // Of all shifts one is in the tab order.
  await page.keyboard.press('Tab');
  await assertFocus(page, 'Show later shifts');
  await page.keyboard.press('Shift+Tab');
  await assertFocus(page, 'until 06:00 Kitchen since Sat 14 Nov, 22:00');
});

test('a week can be walked by keys alone', async (context) => {
  const page = await open(context, { attributes: { view: 'week' }, browser: { viewport: DESKTOP } });
  await page.getByRole('button', { name: 'Month' }).focus();
  await page.keyboard.press('Tab');
  await walk(page, [
    ['', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
    ['ArrowDown', '09:00 – 17:00 Kitchen Harbour'],
    ['ArrowLeft', '22:00 – 06:00 Kitchen until Sun 15 Nov'],
    ['Home', 'No shifts'],
    ['End', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
    ['ArrowRight', '09:00 – 17:00 Kitchen Cancelled'],
    ['PageUp', 'No shifts'],
    ['T', 'until 06:00 Kitchen since Sat 14 Nov, 22:00'],
    ['PageDown', 'No shifts'],
  ]);
  await assertTexts(part(page, 'period'), ['16–22 November 2026 · Week 47']);
});

test('a month can be walked by keys alone', async (context) => {
  const page = await open(context, { attributes: { view: 'month' } });
  await page.getByRole('button', { name: 'Month', exact: true }).focus();
  await page.keyboard.press('Tab');
  await walk(page, [
    ['', 'Sunday 15 November, Today, 3 shifts'],
    ['ArrowRight', 'Monday 16 November, 2 shifts'],
    ['Enter', '09:00 – 17:00 Kitchen Cancelled'],
    ['ArrowDown', '09:00 – 17:00 Kitchen Noor Starred'],
    ['Escape', 'Monday 16 November, 2 shifts'],
    ['End', 'Sunday 22 November, No shifts'],
    ['Home', 'Monday 16 November, 2 shifts'],
    ['ArrowDown', 'Monday 23 November, No shifts'],
    ['ArrowUp', 'Monday 16 November, 2 shifts'],
    ['PageDown', 'Wednesday 16 December, No shifts'],
    ['ArrowLeft', 'Tuesday 15 December, No shifts'],
    ['t', 'Sunday 15 November, Today, 3 shifts'],
  ]);
});

test('keys lead to the same days when the browser takes many slices to show a month', async (context) => {
  const page = await open(context, { attributes: { view: 'month' }, freshPage: true });
  await page.evaluate(TIMID_CLOCK);
  await page.getByRole('button', { name: loosely('Sunday 15 November, Today, 3 shifts') }).focus();
  // Whoever knows the way does not wait for the months between.
  for (const key of ['PageDown', 'PageDown', 'ArrowRight', 'PageUp', 'PageUp', 'ArrowDown'])
    await page.keyboard.press(key);
  await walk(page, [
    ['', 'Monday 23 November, No shifts'],
    ['PageDown', 'Wednesday 23 December, No shifts'],
    ['ArrowRight', 'Thursday 24 December, 1 shift'],
    ['PageDown', 'Sunday 24 January, No shifts'],
    ['t', 'Sunday 15 November, Today, 3 shifts'],
  ]);
  await page.evaluate(`{
    window.passed = [];
    document.querySelector('shift-calendar').shadowRoot.addEventListener('focusin', ({ target }) => passed.push(target.dataset.day));
  }`);
  await walk(page, [['PageDown', 'Tuesday 15 December, No shifts']]);
  assert.equal(await page.evaluate('passed.length'), 1, 'it passes no other day on the way');
});

test('a key that leads to a day which is still being drawn keeps the focus there', async (context) => {
  const attributes = { view: 'week', date: '2026-11-16' };
  const many = Array.from({ length: 60 }, () => shift('2026-11-15'));
  const page = await open(context, { attributes, freshPage: true }, [
    ...many,
    shift('2026-11-16', { cancelled: true }),
  ]);
  await page.getByRole('button', { name: '09:00 – 17:00 Kitchen Cancelled' }).focus();
  await page.evaluate(TIMID_CLOCK);
  await page.evaluate(`{
    const { shadowRoot } = document.querySelector('shift-calendar');
    new MutationObserver((records, observer) => {
      if (shadowRoot.activeElement?.textContent !== 'No shifts') return;
      observer.disconnect();
      shadowRoot.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 't', bubbles: true }));
    }).observe(shadowRoot, { childList: true, subtree: true });
  }`);
  await page.keyboard.press('PageUp');
  await assertCount(part(page, 'shift'), many.length);
  await assertFocus(page, '09:00 – 17:00 Kitchen');
});

test('focus and what is unfolded survive that shifts change', async (context) => {
  const page = await open(context);
  const text = '09:00 – 17:00 Kitchen Cancelled';
  await page.getByRole('button', { name: text }).press('Enter');
  await page.getByRole('button', { name: '09:00 – 17:00 Service Open' }).press('Enter');
  site.feed = { ...site.feed, shifts: WEEK.map((one) => ({ ...one, start_time: '08:00' })) };
  await refresh(page);
  await assertFocus(page, '08:00 – 17:00 Service Open');
  await assertCount(part(page, 'details'), 2);
  // When the shift is gone, what took its place has focus.
  site.feed = { ...site.feed, shifts: WEEK.filter(({ id }) => id > 3) };
  await refresh(page);
  await assertFocus(page, 'No shifts');
});

test('focus on the address of a shift survives that shifts of its day change', async (context) => {
  const page = await open(context, { attributes: { maps: '' } });
  await page.getByRole('button', { name: '09:00 – 17:00 Kitchen Harbour' }).press('Enter');
  await page.keyboard.press('Tab');
  await assertFocus(page, HARBOUR.address);
  const change = (id: number, fields: Partial<(typeof WEEK)[number]>) => {
    site.feed = { ...site.feed, shifts: WEEK.map((one) => (one.id === id ? { ...one, ...fields } : one)) };
  };
  change(3, { start_time: '08:00' });
  await refresh(page);
  await page.getByText(loosely('08:00 – 17:00')).waitFor();
  await assertFocus(page, HARBOUR.address);
  change(2, { location: null });
  await refresh(page);
  await assertFocus(page, '09:00 – 17:00 Kitchen');
});

test('a shift that did not change is not touched', async (context) => {
  const page = await open(context);
  await part(page, 'shift').nth(6).waitFor();
  await page.evaluate(`for (const row of document.querySelector('shift-calendar').shadowRoot
    .querySelectorAll('[part~="shift"]')) row.touched = false;`);
  site.feed = { ...site.feed, shifts: WEEK.map((one) => (one.id === 6 ? { ...one, open: true } : one)) };
  await refresh(page);
  const untouched = `[...document.querySelector('shift-calendar').shadowRoot
    .querySelectorAll('[part~="shift"]')].filter((row) => row.touched === false).length`;
  await until('five are as they were', async () => (await page.evaluate(untouched)) === 5);
});

test('axe finds nothing wrong with any view, light and dark', async (context) => {
  for (const viewport of often([PHONE], [PHONE, DESKTOP])) {
    const page = await open(context, { browser: { viewport, timezoneId: 'Asia/Tokyo' } });
    for (const view of ['list', 'week', 'month']) {
      await showView(page, view);
      await part(page, 'shift').first().click();
      assert.deepEqual(await violations(page), [], `${view}, ${viewport.width}`);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await violations(page, ['color-contrast']), [], `${view}, dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
  }
});

test('with forced colours, what is chosen, open or cancelled still has a shape', async (context) => {
  const page = await open(context, { browser: { forcedColors: 'active', viewport: DESKTOP } });
  await part(page, 'mark').first().waitFor();
  assert.equal(await styleOf(page, 'view-list', 'borderBlockEndWidth'), '4px');
  assert.equal(await styleOf(page, 'mark-open', 'borderTopStyle'), 'dashed');
  assert.match(
    String(await styleOf(page, 'shift-cancelled"] [part~="time', 'textDecorationLine')),
    /line-through/,
  );
  assert.deepEqual(await violations(page), []);
  await showView(page, 'month');
  const chosen = await styleOf(page, 'cell"][aria-selected="true"] > [part~="day-button', 'borderTopColor');
  const other = await styleOf(page, 'cell"][aria-selected="false"] > [part~="day-button', 'borderTopColor');
  assert.notEqual(chosen, other);
});

test('states are sentences, in several languages', async (context) => {
  const page = await open(context, { attributes: { src: '' }, complaints: /^Failed to load resource/ }, []);
  const sentence = page.locator('shift-calendar [role="status"]').first();
  await sentence.getByText('This calendar has no source yet.').waitFor();
  for (const [locale, { loading, failed, again, empty }] of Object.entries(STATES).slice(0, often(2, 4))) {
    const { promise, resolve: fail } = Promise.withResolvers<void>();
    site.instead = async (_, response) => {
      await promise;
      response.writeHead(503).end();
    };
    await setAttributes(page, { locale, src: `/kitchen/shifts?of=${locale}` });
    await sentence.getByText(loading).waitFor();
    assert.equal(await part(page, 'body').getAttribute('aria-busy'), 'true');
    fail();
    await sentence.getByText(failed).waitFor();
    if (locale === 'fr') assert.deepEqual(await violations(page), []);
    site.instead = undefined;
    await page.getByRole('button', { name: again }).click();
    await sentence.getByText(loosely(empty)).waitFor();
    assert.equal(await page.getByRole('button', { name: again }).count(), 0);
  }
});

test('shifts that cannot be brought up to date stay, and it is told as of when they are', async (context) => {
  const page = await open(context, { complaints: /^Failed to load resource/ });
  site.instead = (_, response) => response.destroy();
  await page.clock.setFixedTime('2026-11-15T13:30:00Z');
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.getByText('Could not be updated. These are the shifts as of 13:00.').waitFor();
  await assertCount(part(page, 'shift'), 7);
  site.instead = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Could not be updated').waitFor({ state: 'detached' });
});

test('an answer that is not a calendar is an error, and its writer is told why', async (context) => {
  const page = await open(context, { complaints: /shifts\[1\] is not a shift/, isBroken: true }, [
    shift('2026-11-15'),
    shift('2026-11-15', { start_time: '25:00' }),
  ]);
  await page.getByText('The shifts could not be loaded.').waitFor();
  await assertCount(part(page, 'shift'), 0);
});

test('what fails further down the list is told there', async (context) => {
  const page = await open(context, { complaints: /^Failed to load resource/ });
  await part(page, 'shift').nth(6).waitFor();
  site.instead = (_, response) => response.destroy();
  await part(page, 'later').click();
  const sentence = page.getByText('The shifts could not be loaded.');
  await sentence.waitFor();
  const [told, list] = [await sentence.boundingBox(), await part(page, 'list').boundingBox()];
  assert.ok((told?.y ?? 0) >= (list?.y ?? 0) + (list?.height ?? 0));
  await assertCount(part(page, 'shift'), 7);
  site.instead = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('24 December').waitFor();
});

test('an error is about what is seen, and gone with it', async (context) => {
  const page = await open(context, { complaints: /^Failed to load resource/ });
  site.instead = (_, response) => response.destroy();
  await setAttributes(page, { view: 'month' });
  await page.getByText('The shifts could not be loaded.').waitFor();
  await setAttributes(page, { view: 'list' });
  await page.getByText('The shifts could not be loaded.').waitFor({ state: 'detached' });
  await assertCount(part(page, 'shift'), 7);
});

test('a tab that is seen again asks again, unless it did so just now', async (context) => {
  const page = await open(context);
  const seen = `document.dispatchEvent(new Event('visibilitychange'))`;
  await page.evaluate(seen);
  site.feed = { ...site.feed, title: 'New kitchen' };
  await page.clock.setFixedTime('2026-11-15T12:02:00Z');
  await page.evaluate(seen);
  await page.getByText('New kitchen').waitFor();
  assert.equal(site.queries.length, 2);
});

test('a stream that is refused is opened again after half a minute, and what it told is asked for until it is shown', async (context) => {
  const { live } = site;
  const streams: ServerResponse[] = [];
  const gateway = {
    live(response: ServerResponse) {
      streams.push(response);
      if (streams.length === 1) live(response);
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n');
    },
  };
  context.after(() => {
    for (const response of streams) response.destroy();
  });
  const attributes = { live: '/kitchen/live' };
  const complaints = /^Failed to load resource/;
  const page = await open(context, { attributes, gateway, timers: 'set', complaints });
  await until('it wants the stream', () => streams.length === 1);
  await page.clock.runFor('00:29');
  assert.equal(streams.length, 1);
  await until('it wants it again', async () => {
    await page.clock.runFor('00:10');
    return streams.length === 2;
  });
  site.feed = { ...site.feed, title: 'New kitchen' };
  site.instead = (_, response) => response.destroy();
  streams[1]?.write('event: shifts\nid: 1\ndata:\n\n');
  await until('it cannot be updated', async () => {
    await page.clock.runFor('00:01');
    return page.getByText('Could not be updated').isVisible();
  });
  site.instead = undefined;
  await until('it is updated', async () => {
    await page.clock.runFor('00:10');
    return page.getByText('New kitchen').isVisible();
  });
  assert.equal(streams.length, 2);
});

test('what a stream told of is shown wherever the visitor goes before it has come', async (context) => {
  const streams: ServerResponse[] = [];
  const waiting: ServerResponse[] = [];
  const gateway = {
    live(response: ServerResponse) {
      streams.push(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    },
  };
  context.after(() => {
    for (const response of [...streams, ...waiting]) response.destroy();
  });
  const page = await open(context, { attributes: { live: '/kitchen/live', view: 'month' }, gateway });
  await until('it listens', () => streams.length === 1);
  const hear = async (id: number) => {
    site.instead = (_, response) => waiting.push(response);
    streams[0]?.write(`event: shifts\nid: ${id}\ndata:\n\n`);
    await until('it asks again', () => waiting.length === id);
  };
  const answerWith = (start_time: string) => {
    site.instead = undefined;
    site.feed = { ...site.feed, shifts: WEEK.map((one) => ({ ...one, start_time })) };
  };
  const isSeen = (start: string) =>
    page
      .getByText(loosely(`${start} – 06:00`))
      .first()
      .waitFor();
  const isBusy = () => part(page, 'body').getAttribute('aria-busy');

  // To another day of the month that is held.
  await hear(1);
  answerWith('19:00');
  await page.getByRole('button', { name: loosely('Monday 16 November, 2 shifts') }).click();
  await page.keyboard.press('ArrowRight');
  await assertFocus(page, 'Tuesday 17 November, No shifts');
  await page.getByText('19:00').first().waitFor();
  await until('it is at rest', async () => (await isBusy()) === 'false');

  // To days of which some are held.
  await hear(2);
  answerWith('21:00');
  await part(page, 'view-list').click();
  await isSeen('21:00');
  await hear(3);
  answerWith('20:00');
  await part(page, 'later').click();
  await page.getByText('24 December').waitFor();
  await isSeen('20:00');
  await until('it is at rest', async () => (await isBusy()) === 'false');

  // And back to days that are held, while others are on their way.
  await part(page, 'view-week').click();
  await part(page, 'week').waitFor();
  site.instead = (_, response) => waiting.push(response);
  await part(page, 'previous').click();
  await until('the week before is asked for', () => waiting.length === 4);
  await part(page, 'next').click();
  await until('it is at rest', async () => (await isBusy()) === 'false');
});

test('a screen that is always on goes with the time', async (context) => {
  const page = await open(context, { now: '2026-11-15T22:55:00Z', timers: 'set' });
  await page.getByText(loosely('Sunday 15 November Today')).waitFor();
  await page.clock.runFor('11:00');
  await page.getByText(loosely('Monday 16 November Today')).waitFor();
});

test('a function can be the source, also one that is set before the script has loaded', async (context) => {
  const page = await open(context, { attributes: { src: '', 'group-ids': '2' } });
  await page.evaluate(`{
    window.asked = [];
    const made = document.createElement('div');
    // As the parser makes an element whose script is still on its way.
    const early = document.implementation.createHTMLDocument().createElement('shift-calendar');
    early.source = async (request) => {
      asked.push({ ...request, signal: request.signal instanceof AbortSignal });
      return { title: 'From a function', shifts: [
        { id: 1, date: '2026-11-15', end_date: '2026-11-15', start_time: '10:00', end_time: '11:00', group: { id: 2, name: 'Service' }, person: null },
        { id: 2, date: '2026-11-15', end_date: '2026-11-15', start_time: '10:00', end_time: '11:00', group: { id: 1, name: 'Kitchen' }, person: null },
        { id: 3, date: '2026-11-15', end_date: '2026-11-15', start_time: '10:00', end_time: '11:00' },
      ] };
    };
    early.setAttribute('group-ids', '2');
    document.querySelector('shift-calendar').replaceWith(early);
  }`);
  await assertTexts(part(page, 'shift'), ['10:00 – 11:00 Service Open']);
  assert.equal(await part(page, 'title').innerText(), 'From a function');
  assert.deepEqual(await page.evaluate('asked'), [
    { from: '2026-11-08', to: '2026-12-12', groupIds: [2], signal: true },
  ]);
  // No end was told, so there may be more.
  assert.equal(await part(page, 'later').isVisible(), true);
});

test('a function that never answers, or throws, is an error like any other', async (context) => {
  const page = await open(context, {
    attributes: { src: '' },
    freshPage: true,
    complaints: /There was no answer within 30 seconds\.$|source failed: Error: no$/m,
  });
  await page.evaluate(`{
    // As if the time was up at once.
    AbortSignal.timeout = () => {
      const timer = new AbortController();
      queueMicrotask(() => timer.abort());
      return timer.signal;
    };
    document.querySelector('shift-calendar').source = () => new Promise(() => {});
  }`);
  await page.getByText('The shifts could not be loaded.').waitFor();
  await page.evaluate(`document.querySelector('shift-calendar').source = () => { throw new Error('no'); }`);
  await page.getByText('The shifts could not be loaded.').waitFor();
});

test('what nobody waits for any more is aborted, and its answer is not shown', async (context) => {
  const page = await open(context, { attributes: { src: '', view: 'week' } });
  await part(page, 'week').waitFor();
  await page.evaluate(`{
    window.pending = [];
    document.querySelector('shift-calendar').source = (request) =>
      new Promise((resolve) => pending.push({ ...request, resolve }));
  }`);
  const next = page.getByRole('button', { name: 'Next week' });
  await until('a week is asked for', async () => (await page.evaluate('pending.length')) === 1);
  await next.click();
  await until('the next week is asked for', async () => (await page.evaluate('pending.length')) === 2);
  assert.deepEqual(await page.evaluate('pending.map(({ signal }) => signal.aborted)'), [true, false]);
  await page.evaluate(`{
    pending[1].resolve({ title: 'Second', shifts: [] });
    pending[0].resolve({ title: 'First', shifts: [] });
  }`);
  await page.getByText('Second').waitFor();
  await page.evaluate('document.querySelector("shift-calendar").refresh() && 0');
  await page.evaluate('document.querySelector("shift-calendar").remove()');
  assert.equal(await page.evaluate('pending[2].signal.aborted'), true);
  assert.equal(await page.getByText('First').count(), 0);
});

test('a calendar that was taken off its page listens to nothing and asks for nothing', async (context) => {
  const page = await open(context, {
    attributes: { src: '' },
    freshPage: true,
    complaints: /grids\.js|ERR_/,
  });
  const grids = Promise.withResolvers<Route>();
  await page.route('**/shift-calendar-grids.js', (route) => grids.resolve(route));
  await page.evaluate(`{
    window.streams = 0;
    window.EventSource = class extends EventTarget {
      constructor() { super(); streams++; }
      close() { streams--; }
    };
    window.asked = 0;
    window.calendar = document.querySelector('shift-calendar');
    calendar.source = () => ({ shifts: [], count: asked++ });
    calendar.setAttribute('live', '/kitchen/live');
  }`);
  await until('it listens', async () => (await page.evaluate('streams')) === 1);
  await setAttributes(page, { view: 'week' });
  const held = await grids.promise;
  await page.evaluate(`{
    window.imported = import('/shift-calendar-grids.js').catch(() => 'failed');
    calendar.remove();
  }`);
  await held.abort();
  assert.equal(await page.evaluate('imported'), 'failed');
  await page.evaluate('asked = 0');
  await page.clock.setFixedTime('2026-11-15T13:00:00Z');
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  assert.equal(await page.evaluate('asked'), 0);
  await page.evaluate('calendar.refresh()');
  assert.deepEqual(await page.evaluate('[asked, streams]'), [1, 0]);
});

test('group-ids narrows, and a broken one shows nothing at all', async (context) => {
  const page = await open(context, { attributes: { 'group-ids': '2, 9' }, complaints: /group-ids is ""/ });
  await assertTexts(part(page, 'shift'), ['09:00 – 17:00 Service Open']);
  assert.equal(site.queries.at(-1)?.get('group_ids'), '2,9');
  await setAttributes(page, { 'group-ids': '' });
  await page.getByText('The shifts could not be loaded.').waitFor();
  await assertCount(part(page, 'shift'), 0);
});

test('language, clock and week follow the page and the visitor', async (context) => {
  const american = await open(context, { attributes: { view: 'week' }, browser: { locale: 'en-US' } });
  assert.equal((await texts(part(american, 'time')))[1], plain('9:00 AM – 5:00 PM'));
  assert.equal((await texts(part(american, 'weekday')))[0], 'Sunday');
  const own = JSON.stringify({ today: 'Hoy', list: '<b>Lista</b>', shifts_other: '{count} turnos' });
  const spanish = await open(context, { attributes: { lang: 'es', messages: own, view: 'month' } });
  assert.equal((await texts(part(spanish, 'today')))[0], 'Hoy');
  assert.equal((await texts(part(spanish, 'view-list')))[0], '<b>Lista</b>');
  await assertTexts(part(spanish, 'period'), ['noviembre de 2026']);
  await spanish.getByRole('button', { name: loosely('domingo, 15 de noviembre, Hoy, 3 turnos') }).waitFor();
});

test('from right to left, forward is left', async (context) => {
  const page = await open(context, {
    attributes: { locale: 'ar', view: 'month' },
    browser: { viewport: DESKTOP },
  });
  await part(page, 'chip').first().waitFor();
  const [first, second] = await Promise.all(
    [0, 1].map((i) => page.getByRole('gridcell').nth(i).boundingBox()),
  );
  assert.ok((first?.x ?? 0) > (second?.x ?? 0));
  const dayWithFocus = `Number(document.querySelector('shift-calendar').shadowRoot.activeElement.dataset.day)`;
  await page.locator('shift-calendar [part~="day-button"][tabindex="0"]').focus();
  const day = Number(await page.evaluate(dayWithFocus));
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.evaluate(dayWithFocus), day + 1);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  assert.equal(await page.evaluate(overflow), 0);
});

test('what shifts say is text and never HTML', async (context) => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const page = await open(context, {}, [
    shift('2026-11-15', {
      group: { id: 1, name: evil },
      location: { name: evil, address: evil },
      person: { name: evil },
      remarks: evil,
    }),
  ]);
  for (const view of ['list', 'week', 'month']) {
    await showView(page, view);
    await part(page, 'shift').first().click();
    assert.equal(await page.locator('shift-calendar :is(img, script)').count(), 0, view);
  }
  assert.equal(await page.title(), 'A café');
});

test('a page can give it colours, by properties and by parts', async (context) => {
  const page = await open(context);
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(\`
      shift-calendar { --shift-calendar-accent: rgb(1, 2, 3); font-family: Papyrus; color: rgb(9, 8, 7); }
      shift-calendar::part(group-2) { --shift-calendar-group: rgb(4, 5, 6); }\`);
    document.adoptedStyleSheets = [sheet];
  }`);
  assert.equal(await styleOf(page, 'group-1', 'borderLeftColor', '::after'), 'rgb(1, 2, 3)');
  assert.equal(await styleOf(page, 'group-2', 'borderLeftColor', '::after'), 'rgb(4, 5, 6)');
  assert.equal(await styleOf(page, 'shift', 'fontFamily'), 'Papyrus');
  assert.equal(await styleOf(page, 'shift', 'color'), 'rgb(9, 8, 7)');
});

test('the manual names every part, and none that does not exist', async (context) => {
  const manual = readFileSync(join(import.meta.dirname, '../../../kit/calendar/README.md'), 'utf8');
  const [, listed = ''] = /^Parts: (.*?)\.$/ms.exec(manual) ?? [];
  const named = [...listed.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const everything = { cancelled: true, open: true, starred: true, noshow: true };
  const page = await open(context, { attributes: { legend: '', maps: '' } }, [
    shift('2026-11-10'),
    shift('2026-11-14', { location: HARBOUR }),
    shift('2026-11-14', { group: SERVICE }),
    ...Array.from({ length: 5 }, () => shift('2026-11-15', everything)),
    shift('2026-11-15', { location: HARBOUR }),
    shift('2026-11-15', { open: true }),
  ]);
  const found = new Set<string>();
  for (const view of ['list', 'week', 'month', 'now']) {
    await setAttributes(page, { view });
    await part(page, view === 'now' ? 'board-open' : view).waitFor();
    if (view !== 'now') for (const one of await part(page, 'shift').all()) await one.click();
    const parts = await page.evaluate(`[...document.querySelector('shift-calendar').shadowRoot
      .querySelectorAll('[part]')].flatMap((element) => [...element.part])`);
    for (const name of parts as string[]) found.add(name.replace(/^(group|colour)-\d+$/, '$1-<id>'));
  }
  // These are for layout and for assistive technology alone.
  for (const name of ['seen', 'spoken', 'colour-<id>']) found.delete(name);
  assert.deepEqual([...found].sort(), named.sort());
});

test('on paper there are no buttons, and nothing moves for who wants that', async (context) => {
  const page = await open(context, { browser: { reducedMotion: 'reduce' } });
  assert.equal(await styleOf(page, 'shift', 'transitionDuration'), '0s');
  await page.emulateMedia({ media: 'print' });
  for (const name of ['toolbar', 'earlier', 'later']) assert.equal(await part(page, name).isVisible(), false);
  assert.equal(await part(page, 'shift').first().isVisible(), true);
  assert.equal(await styleOf(page, 'day', 'contentVisibility'), 'visible');
});

test('what stands between its tags is seen until there are shifts', async (context) => {
  const page = await open(context, { attributes: { src: '' } });
  await page.evaluate(`{
    const notice = document.createElement('p');
    notice.append('See the notice board.');
    document.querySelector('shift-calendar').append(notice);
  }`);
  await page.getByText('See the notice board.').waitFor();
  await setAttributes(page, { src: '/kitchen/shifts' });
  await part(page, 'shift').first().waitFor();
  assert.equal(await page.getByText('See the notice board.').isVisible(), false);
});

test('many shifts are shown in slices, between which the browser can do something else', async (context) => {
  const page = await open(context, { attributes: { src: '' }, freshPage: true });
  await part(page, 'list').waitFor({ state: 'attached' });
  await page.evaluate(TIMID_CLOCK);
  await page.evaluate(`{
    window.largest = 0;
    new MutationObserver((records) => {
      largest = Math.max(largest, records.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0));
    }).observe(document.querySelector('shift-calendar').shadowRoot, { childList: true, subtree: true });
  }`);
  site.feed = { ...site.feed, shifts: Array.from({ length: 200 }, () => shift('2026-11-15')) };
  await setAttributes(page, { src: '/kitchen/shifts' });
  await until('all are there', async () => (await part(page, 'shift').count()) === 200);
  const largest = Number(await page.evaluate('largest'));
  assert.ok(largest < 50, `${largest} rows at once`);
  // Between two slices, something else has the calendar shown anew.
  await setAttributes(page, { src: '' });
  await page.evaluate(`new MutationObserver((records, observer) => {
    const calendar = document.querySelector('shift-calendar');
    if (calendar.shadowRoot.querySelector('[part~="shift"]') === null) return;
    observer.disconnect();
    calendar.setAttribute('view', 'list');
  }).observe(document.querySelector('shift-calendar').shadowRoot, { childList: true, subtree: true })`);
  await setAttributes(page, { src: '/kitchen/shifts' });
  await until('all are there again', async () => (await part(page, 'shift').count()) === 200);
});

test('the list alone loads one script, and grids and board one more each', async (context) => {
  const { page, addresses } = await openCalendar(context, { freshPage: true }, WEEK);
  await part(page, 'shift').first().waitFor();
  const scripts = () =>
    addresses.filter((address) => address.endsWith('.js')).map((address) => new URL(address).pathname);
  assert.deepEqual(scripts(), ['/shift-calendar.js']);
  await showView(page, 'week');
  await showView(page, 'month');
  assert.deepEqual(scripts(), ['/shift-calendar.js', '/shift-calendar-grids.js']);
  await setAttributes(page, { view: 'now' });
  await part(page, 'board-clock').waitFor();
  assert.equal(scripts().at(-1), '/shift-calendar-board.js');
});
