import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTest as test } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { violations } from './axe.ts';
import { assertCount, assertTexts, part, setAttributes, styleOf, texts } from './parts.ts';
import { printedTexts } from './printed.ts';
import { type CalendarOptions, type Site, shift, startCalendars } from './site.ts';

// The compiler need not follow: it would look for a browser here.
const BOARD: string = '../../../kit/calendar/src/board.ts';
const { pauseAfter }: { pauseAfter(failures: number, jitter: number): number } = await import(BOARD);

const WALL = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };
const HARBOUR = { name: 'Harbour', address: 'Quay 12' };

/** It is 13:00 on Sunday, 15 November 2026, in Amsterdam. */
const SUNDAY = [
  shift('2026-11-14', { id: 1, end_time: '20:00', end_date: '2026-11-15', person: { name: 'Noor' } }),
  shift('2026-11-15', { id: 2, person: { name: 'Ali' }, location: HARBOUR, noshow: true }),
  shift('2026-11-15', { id: 3, person: null, open: true }),
  shift('2026-11-15', { id: 4, person: { name: 'Gone' }, cancelled: true }),
  shift('2026-11-15', { id: 5, person: { name: '<b>Sam</b>' }, start_time: '17:00', end_time: '23:00' }),
  shift('2026-11-16', { id: 6, person: { name: 'Tomorrow' } }),
];

const { site, open: openCalendar } = await startCalendars();

async function open(context: TestContext, options: CalendarOptions = {}, shifts = SUNDAY): Promise<Page> {
  const attributes = { view: 'now', lang: 'en-GB', ...options.attributes };
  return (await openCalendar(context, { ...options, attributes }, shifts)).page;
}

const lines = (page: Page, kind: string) =>
  page.locator(`shift-calendar [part~="board-${kind}"] li:not([hidden])`);

test('from right to left, details that take two lines stay at their bar, and bars have the colours of groups', async (context) => {
  const long = { name: 'Harbour and lighthouse at the end of the long quay', address: '' };
  const bar = { id: 2, name: 'Bar' };
  const page = await open(
    context,
    { attributes: { locale: 'ar', legend: '' }, browser: { viewport: PHONE } },
    [
      shift('2026-11-15', { person: { name: 'Noor' }, location: long }),
      shift('2026-11-15', { person: { name: 'Ali' }, group: bar }),
    ],
  );
  await lines(page, 'on').first().waitFor();
  assert.equal(await styleOf(page, 'board-detail', 'textAlign'), 'right');
  const colours = await Promise.all(
    ['group-1', 'group-2'].map((name) => styleOf(page, name, 'borderRightColor')),
  );
  assert.notEqual(colours[0], colours[1]);
});

test('it tells who is on and until when, who comes next, and what is open', async (context) => {
  const page = await open(context);
  await assertTexts(lines(page, 'on'), [
    'Noor until 20:00 Kitchen',
    'Ali until 17:00 Kitchen Harbour No-show',
  ]);
  await assertTexts(lines(page, 'next'), ['<b>Sam</b> 17:00 – 23:00 Kitchen']);
  await assertTexts(lines(page, 'open'), ['Kitchen until 17:00']);
  await assertTexts(part(page, 'board-clock'), ['13:00']);
  await assertTexts(part(page, 'board-date'), ['Sunday 15 November']);
  // There is nothing to press, and nothing that Tab stops at.
  assert.equal(await page.locator('shift-calendar').getByRole('button').count(), 0);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement === document.body'), true);
  // Headings, lists and the one element that speaks up.
  const group = page.getByRole('group', { name: 'On now' });
  assert.equal(await group.getByRole('listitem').count(), 2);
  assert.deepEqual(await page.getByRole('heading').allTextContents(), [
    'A café',
    'Kitchen',
    'On now',
    'Next',
    'Open shifts',
  ]);
  assert.equal(await part(page, 'spoken').textContent(), 'On now: Noor, Ali');
  assert.deepEqual(await violations(page), []);
});

test('views change to a board and back', async (context) => {
  const page = await open(context, { attributes: { view: 'week' }, timers: 'set' });
  await part(page, 'week').waitFor();
  await setAttributes(page, { view: 'now' });
  await lines(page, 'on').first().waitFor();
  assert.equal(await part(page, 'toolbar').isVisible(), false);
  // A week ends on its Sunday.
  await until('tomorrow was asked for', async () => site.queries.at(-1)?.get('date_to') === '2026-11-22');
  await page.evaluate(`document.querySelector('shift-calendar').view = 'list'`);
  await part(page, 'shift').first().waitFor();
  assert.equal(await part(page, 'toolbar').isVisible(), true);
  await assertCount(part(page, 'board'), 0);
  await page.getByRole('button', { name: 'Month' }).click();
  await part(page, 'chip').first().waitFor();
});

test('a function can be its source, in whose zone it is', async (context) => {
  const page = await open(context, { attributes: { src: '' } });
  await page.evaluate(`document.querySelector('shift-calendar').source = ({ from, to }) => ({
    title: from + ' ' + to,
    time_zone: 'Asia/Tokyo',
    shifts: [{ id: 1, date: '2026-11-15', start_time: '21:00', end_time: '22:00', end_date: '2026-11-15', person: { name: 'Yuki' } }],
  })`);
  await assertTexts(lines(page, 'on'), ['Yuki until 22:00']);
  await assertTexts(part(page, 'board-clock'), ['21:00']);
  await assertTexts(part(page, 'board-title'), ['2026-11-08 2026-11-22']);
  assert.equal(
    await page.evaluate(`document.querySelector('shift-calendar').updatedMs`),
    Date.parse('2026-11-15T12:00:00Z'),
  );
});

test('where it is another day for its source, it asks at once for the day that it then lacks', async (context) => {
  const page = await open(context, { attributes: { src: '' } });
  await page.evaluate(`document.querySelector('shift-calendar').source = ({ from, to }) => ({
    time_zone: 'Pacific/Kiritimati',
    shifts: [
      { id: 1, date: '2026-11-15', start_time: '20:00', end_time: '04:00', end_date: '2026-11-16', person: { name: 'Tiare' } },
      { id: 2, date: '2026-11-23', start_time: '01:00', end_time: '17:00', end_date: '2026-11-23', open: true },
    ].filter(({ date }) => date >= from && date <= to),
  })`);
  await assertCount(lines(page, 'open'), 1);
  await assertTexts(lines(page, 'on'), ['Tiare until 04:00']);
});

test('on a wall all of it fits, and what does not is counted', async (context) => {
  const people = (count: number, start_time: string, end_time: string) =>
    Array.from({ length: count }, (_, i) =>
      shift('2026-11-15', { start_time, end_time, person: { name: `Person ${i}` } }),
    );
  const page = await open(context, { browser: { viewport: WALL } }, people(3, '09:00', '17:00'));
  await lines(page, 'on').first().waitFor();
  const sizeOf = async () => Number.parseFloat(String(await styleOf(page, 'board-name', 'fontSize')));
  const large = await sizeOf();
  // Twice the usual size; how much larger depends on the lines of the font.
  assert.ok(large > 32, `${large} pixels`);
  for (const [on, next] of [
    [16, 5],
    [200, 90],
  ] as const) {
    site.feed = {
      ...site.feed,
      shifts: [...people(on, '09:00', '17:00'), ...people(next, '18:00', '19:00')],
    };
    await page.evaluate(`document.querySelector('shift-calendar').refresh()`);
    await until(
      'all is told',
      async () => (await told(page, 'on')) === on && (await told(page, 'next')) === next,
    );
    const missing = `document.querySelector('shift-calendar').shadowRoot.querySelector('[part~="board"]')`;
    assert.ok(Number(await page.evaluate(`${missing}.scrollHeight - ${missing}.clientHeight`)) <= 1);
    assert.ok((await sizeOf()) < large);
  }
  assert.ok((await sizeOf()) >= 16);
  assert.equal((await texts(part(page, 'board-more'))).length, 2);
  // Turned to portrait, all of it still fits.
  await page.setViewportSize({ width: 1080, height: 1920 });
  await until('it fits', async () => (await told(page, 'on')) === 200);
});

/** How many shifts are shown or counted. */
async function told(page: Page, kind: string): Promise<number> {
  const more = await page
    .locator(`shift-calendar [part~="board-${kind}"] [part~="board-more"]`)
    .textContent();
  return (await lines(page, kind).count()) + Number(/\d+/.exec(more ?? '')?.[0] ?? 0);
}

test('it is read from right to left, on a phone, on paper, and in the dark', async (context) => {
  const page = await open(context, {
    attributes: { lang: 'he' },
    browser: { viewport: PHONE, colorScheme: 'dark', reducedMotion: 'reduce' },
  });
  await lines(page, 'on').first().waitFor();
  await assertTexts(part(page, 'board-heading'), ['במשמרת עכשיו', 'הבאים', 'משמרות פנויות']);
  assert.equal(await styleOf(page, 'board', 'direction'), 'rtl');
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
  assert.deepEqual(await violations(page), []);
  const [printed = 0] = await printedTexts(page);
  assert.ok(printed > 10, `${printed} texts`);
  await setAttributes(page, { locale: 'pl', messages: '{"on_now": "Dyżur"}' });
  await until('it is in Polish', async () => (await texts(part(page, 'board-heading')))[0] === 'Dyżur');
});

test('it goes with the time, tells how old it is, and speaks up only when people change', async (context) => {
  const page = await open(context, { timers: 'set' });
  await lines(page, 'on').first().waitFor();
  await page.evaluate(`{
    window.spoken = [];
    const { shadowRoot } = document.querySelector('shift-calendar');
    new MutationObserver(() => spoken.push(shadowRoot.querySelector('[part~="spoken"]').textContent))
      .observe(shadowRoot.querySelector('[part~="spoken"]'), { childList: true, subtree: true, characterData: true });
  }`);
  const asked = site.queries.length;
  site.instead = (_, response) => void response.destroy();
  await page.clock.runFor('02:00:00');
  await until('it is two hours later', async () => (await texts(part(page, 'board-clock')))[0] === '15:00');
  await until('it is old', async () =>
    /Last updated: 13:0\d · (1 hour|2 hours) ago/.test((await part(page, 'board-state').textContent()) ?? ''),
  );
  // The longer it lasts, the less often it asks.
  assert.ok(site.queries.length - asked < 90, `${site.queries.length - asked} requests`);
  site.instead = undefined;
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  await until('it is not old', async () => {
    await page.clock.runFor('00:11');
    return !(await part(page, 'board-state').isVisible());
  });
  // A gateway that answers may have an old copy itself.
  site.instead = (_, response) => {
    response.setHeader('shiftfeed-age', '7200');
    response.end(JSON.stringify(site.feed));
  };
  await until('it is as old as the copy', async () => {
    await page.clock.runFor('00:30');
    const state = (await part(page, 'board-state').textContent()) ?? '';
    return /Last updated: 13:0\d · 2 hours ago/.test(state);
  });
  assert.equal(
    await page.evaluate(`Date.now() - document.querySelector('shift-calendar').updatedMs < 60_000`),
    true,
  );
  site.instead = undefined;
  // A tab that was hidden is right as soon as it is seen.
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true })`);
  await page.clock.runFor('03:00:00');
  assert.match(String(await texts(part(page, 'board-clock'))), /15:0\d/);
  await page.evaluate(`{
    delete document.hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await until('it is evening', async () => /18:0\d/.test(String(await texts(part(page, 'board-clock')))));
  await assertTexts(lines(page, 'on'), ['Noor until 20:00 Kitchen', '<b>Sam</b> until 23:00 Kitchen']);
  const spoken = (await page.evaluate('spoken')) as string[];
  assert.ok(spoken.length <= 8, spoken.join('\n'));
  assert.match(spoken.at(-1) ?? '', /^On now: Noor, <b>Sam<\/b>/);
});

test('a clock that is set back does not stop it from asking', async (context) => {
  const page = await open(context, { timers: 'set' });
  await lines(page, 'on').first().waitFor();
  const asked = site.queries.length;
  await page.clock.setSystemTime('2026-11-15T10:00:00Z');
  await page.clock.runFor('00:05');
  await assertTexts(part(page, 'board-clock'), ['11:00']);
  await until('it has asked', async () => site.queries.length > asked);
});

test('before the first answer it says so, and after it that nothing came', async (context) => {
  const instead: Site['instead'] = (_, response) => void response.writeHead(503).end();
  const page = await open(context, { timers: 'set', gateway: { instead } });
  await page.getByText('The shifts could not be loaded.').waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  site.instead = undefined;
  await page.clock.runFor('00:25');
  await part(page, 'board-clock').waitFor();
});

test('boards that lost the same gateway come back one by one, and seldom while it is away', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((jitter) => pauseAfter(0, jitter)),
    [60_000, 67_500, 75_000],
  );
  assert.deepEqual(
    [1, 2, 3, 4, 5, 100].map((failures) => pauseAfter(failures, 0) / 1000),
    [20, 40, 80, 160, 300, 300],
  );
  assert.equal(pauseAfter(100, 1), 150_000);
});
