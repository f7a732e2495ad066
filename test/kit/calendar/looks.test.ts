/** How the calendar looks on paper, on pages that are weak themselves, and from right to left. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTest as test } from '../../support/browser.ts';
import { often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';
import { loosely, plain } from '../../support/wording.ts';
import { violations } from './axe.ts';
import { part, setAttributes, showView, styleOf } from './parts.ts';
import { printedTexts } from './printed.ts';
import { type CalendarOptions, shift, startCalendars } from './site.ts';

const { open: openCalendar } = await startCalendars();

/** It is Sunday, 15 November 2026, in Amsterdam. */
const SHIFTS = [
  shift('2026-11-15', { open: true, location: { name: 'Harbour', address: 'Quay 12' } }),
  shift('2026-11-16', { cancelled: true }),
  shift('2026-11-16', { starred: true, noshow: true, person: { name: 'Noor' } }),
];

async function open(context: TestContext, options: CalendarOptions, shifts = SHIFTS): Promise<Page> {
  return (await openCalendar(context, options, shifts)).page;
}

async function dress(page: Page, css: string): Promise<void> {
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(css)});
    document.adoptedStyleSheets = [sheet];
  }`);
}

test('a long day begins on the first page of paper, in every view', async (context) => {
  const many = Array.from({ length: 60 }, () => shift('2026-11-15'));
  const page = await open(context, {}, many);
  for (const view of ['list', 'week']) {
    await showView(page, view);
    // A long day is drawn in slices.
    await part(page, 'shift')
      .nth(many.length - 1)
      .waitFor();
    const [first = 0, second = 0] = await printedTexts(page);
    assert.ok(first > second / 3, `${view}: ${first} texts, then ${second}`);
  }
});

test('on paper, a day is not torn from its first shift, wherever a page ends', async (context) => {
  const days = ['16', '17', '18', '19', '20', '21', '22', '23', '24'];
  const page = await open(
    context,
    {},
    days.map((day) => shift(`2026-11-${day}`)),
  );
  await dress(page, 'shift-calendar::part(paper-end) { display: none }');
  const totals: number[] = [];
  for (const date of ['2026-11-17', '2026-11-16']) {
    await setAttributes(page, { date });
    await until(`the list begins on ${date}`, async () => {
      const count = await part(page, 'shift').count();
      return count === days.length - (date === '2026-11-17' ? 1 : 0);
    });
    // What stands above and below the days is drawn a moment later.
    let [total = 0, before] = [0, -1];
    await until('all is drawn', async () => {
      before = total;
      [total = 0] = await printedTexts(page, { width: 794, height: 3000 });
      return total === before;
    });
    totals.push(total);
  }
  const [fewer = 0, all = 0] = totals;
  const textsOfDay = all - fewer;
  const textsOfPage = all - days.length * textsOfDay - 1; // The sentence below the calendar is on the last one.
  for (let height = 500; height < 600; height += 25) {
    const [first = 0] = await printedTexts(page, { width: 794, height });
    assert.equal((first - textsOfPage) % textsOfDay, 0, `paper of ${height} pixels`);
  }
});

test('on paper, a list names the days that it has, and says if later ones may follow', async (context) => {
  const page = await open(context, {});
  await part(page, 'shift').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const [days, end] of [
    ['15 November – 12 December 2026', 'This list ends on 12 December 2026. Later shifts may follow.'],
    ['15 November 2026 – 13 February 2027', ''],
  ] as const) {
    await page.getByText(loosely(days, { exact: true })).waitFor();
    assert.equal(await part(page, 'paper-end').isVisible(), end !== '');
    if (end === '') continue;
    assert.equal(await part(page, 'paper-end').innerText(), end);
    // As somebody would who wants to print all of it.
    await page.emulateMedia({ media: 'screen' });
    assert.equal(await part(page, 'paper-end').isVisible(), false);
    for (let i = 0; i < 3; i++) await part(page, 'later').click();
    await part(page, 'later').waitFor({ state: 'hidden' });
    await page.emulateMedia({ media: 'print' });
  }
});

test('on paper, it is said that shifts are missing or old', async (context) => {
  const page = await open(context, {});
  await part(page, 'shift').first().waitFor();
  await page.route('**/kitchen/shifts*', (route) => route.abort());
  await page.evaluate(`document.querySelector('shift-calendar').refresh()`);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByText('Could not be updated.').isVisible(), true);
  assert.equal(await part(page, 'retry').first().isVisible(), false);
});

test('on paper, which has no backgrounds, stars and marks are still there', async (context) => {
  const group = { id: 1, name: 'A' };
  const starred = Array.from({ length: 3 }, () =>
    shift('2026-11-16', { group, starred: true, noshow: true }),
  );
  const plain = starred.map((one) => ({ ...one, starred: false }));
  const counts: number[] = [];
  for (const shifts of [starred, plain]) {
    const page = await open(context, { attributes: { view: 'month' } }, shifts);
    await part(page, 'chip').first().waitFor();
    // What is below the month is drawn last.
    await part(page, 'empty-day').filter({ hasText: 'No shifts' }).waitFor();
    const [count = 0] = await printedTexts(page);
    counts.push(count);
    // Below the month, marks have their signs.
    await setAttributes(page, { date: '2026-11-16' });
    await part(page, 'shift').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    const signs = await page.evaluate(`[...document.querySelector('shift-calendar').shadowRoot
      .querySelectorAll('[part~="row"]:first-child [part~="mark"]')]
      .map((mark) => getComputedStyle(mark, '::before').content[1])`);
    assert.deepEqual(signs, shifts === starred ? ['★', '▲'] : ['▲']);
    await page.emulateMedia({ media: null });
  }
  const [withStars = 0, without = 0] = counts;
  assert.equal(withStars - without, 3);
});

/** Text that is just strong enough, on light and dark pages, and a dark page that leaves its background to the browser. */
const WEAK_PAGES = [
  'body { color: #767676; background: #fff }',
  'body { color: #898989; background: #222 }',
  ':root { color-scheme: dark } body { color: #fff; background: none }',
];

test('where the text of a page can be read, so can the calendar, also what is pointed at', async (context) => {
  const page = await open(context, { browser: { timezoneId: 'Asia/Tokyo', reducedMotion: 'reduce' } });
  for (const view of ['list', 'week', 'month']) {
    await showView(page, view);
    await part(page, 'shift').first().click();
    for (const css of often(WEAK_PAGES.slice(0, 1), WEAK_PAGES)) {
      await dress(page, css);
      assert.deepEqual(await violations(page, ['color-contrast']), [], `${view}: ${css}`);
    }
  }
  await dress(page, WEAK_PAGES[0] ?? '');
  for (const name of ['today', 'day-button', 'view-month']) {
    await part(page, name).first().hover();
    assert.deepEqual(await violations(page, ['color-contrast']), [], name);
  }
});

test('names of weekdays fit on a small phone, in languages that do not shorten them, too', async (context) => {
  const page = await open(context, {
    attributes: { view: 'month' },
    browser: { viewport: { width: 320, height: 640 } },
  });
  for (const locale of ['ar', 'he', 'pl', 'pt', 'en']) {
    await setAttributes(page, { locale });
    await page.locator(`shift-calendar [lang="${locale}"] [part~="shift"]`).first().waitFor();
    const clipped = await page.evaluate(`[...document.querySelector('shift-calendar').shadowRoot
      .querySelectorAll('[part~="weekday-name"]')]
      .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)`);
    assert.deepEqual(clipped, [], locale);
  }
});

test('what is a ring is as high as it is wide, and bars end straight', async (context) => {
  const page = await open(context, {
    attributes: { view: 'month' },
    browser: { viewport: { width: 390, height: 800 } },
  });
  await part(page, 'count').first().waitFor();
  for (const name of ['count', 'cell-today"] [part~="day-number']) {
    const box = await part(page, name).first().boundingBox();
    assert.ok(box && Math.abs(box.width - box.height) < 0.5, `${name} is ${box?.width} by ${box?.height}`);
  }
  assert.equal(await styleOf(page, 'shift', 'borderLeftWidth'), '0px');
});

test('two times with AM and PM leave a phone its width', async (context) => {
  const page = await open(context, {
    attributes: { locale: 'en-US' },
    browser: { viewport: { width: 390, height: 800 } },
  });
  const shown = await part(page, 'shift').first().boundingBox();
  const text = await part(page, 'text').first().boundingBox();
  assert.ok(shown && text && text.width > shown.width * 0.8, `${text?.width} of ${shown?.width}`);
});

test('a cell of a month tells the shifts of its day before those that end in the night, and something of each name', async (context) => {
  const night = { start_time: '16:30', end_time: '00:30', end_date: '2026-11-16' };
  const page = await open(
    context,
    { attributes: { view: 'month' }, browser: { viewport: { width: 760, height: 900 } } },
    [
      ...Array.from({ length: 3 }, () => shift('2026-11-15', night)),
      shift('2026-11-16', { group: { id: 1, name: 'Donaudampfschifffahrt' }, starred: true }),
    ],
  );
  const cell = page.locator('shift-calendar td', { has: page.getByText('16', { exact: true }) });
  await cell.locator('[part~="chip"]').first().waitFor();
  assert.match(plain(await cell.locator('[part~="chip"]').first().innerText()), /^09:00 Donau/);
  const hidden = await page.evaluate(`[...document.querySelector('shift-calendar').shadowRoot
    .querySelectorAll('[part~="chip-name"]')].filter((name) => name.clientWidth < 20).length`);
  assert.equal(hidden, 0);
});

test('from right to left, a long Latin name loses its end and not its beginning', async (context) => {
  const long = shift('2026-11-15', { group: { id: 1, name: 'Donaudampfschifffahrtsgesellschaft' } });
  const page = await open(context, { attributes: { view: 'month', locale: 'ar' } }, [long]);
  await part(page, 'chip').first().waitFor();
  const isCut = (name: string) =>
    page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document
      .querySelector('shift-calendar').shadowRoot.querySelector('[part~="${name}"]'))`);
  assert.equal(await isCut('chip'), false);
  assert.equal(await isCut('chip-name'), true);
  assert.equal(await styleOf(page, 'chip-name', 'direction'), 'ltr');
});

test('where nothing is known of its width, as when Firefox prints, a month tells its shifts', async (context) => {
  const page = await open(context, { attributes: { view: 'month' } });
  await part(page, 'chip').first().waitFor();
  await dress(page, 'shift-calendar { container-type: normal }');
  assert.equal(await part(page, 'chip').first().isVisible(), true);
  assert.equal(await part(page, 'count').first().isVisible(), false);
});

test('the list of a day goes by the name of the day', async (context) => {
  const page = await open(context, { attributes: { view: 'week', date: '2026-11-16' } });
  await part(page, 'shift').first().waitFor();
  await page.getByRole('list', { name: loosely('Monday 16 November', { exact: true }) }).waitFor();
  const described = await page.evaluate(`((root) => root.getElementById(
    root.querySelector('[part~="empty-day"]').getAttribute('aria-describedby')).textContent)(document
    .querySelector('shift-calendar').shadowRoot)`);
  assert.match(String(described), loosely('Tuesday 17 November'));
  await setAttributes(page, { view: 'list', date: '2026-11-15' });
  await page.getByRole('list', { name: loosely('Sunday 15 November Today') }).waitFor();
});
