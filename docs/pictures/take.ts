/**
 * Takes the pictures of the README, of docs/website.md and of docs/importing.md from the real thing: `npm run pictures`.
 * They show the day on which they are taken.
 */

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { connectBrowser, launchBrowser } from '../../test/support/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMES = ['light', 'dark'] as const;
/** Wider than a README is shown, so that the pictures are sharp, and yet small. */
const WIDTH = 1200;

const GROUPS = {
  kitchen: { id: 1, name: 'Kitchen' },
  service: { id: 2, name: 'Service' },
  bar: { id: 3, name: 'Bar' },
};
/** Person, group, from when to when, and how many days from today. */
const BOARD: readonly [
  person: string | null,
  group: keyof typeof GROUPS,
  from: string,
  to: string,
  day?: number,
][] = [
  ['Noor', 'kitchen', '09:00', '17:00'],
  ['Inès', 'kitchen', '11:00', '19:30'],
  ['Mateusz', 'service', '08:30', '15:00'],
  ['Ali', 'bar', '12:00', '18:00'],
  ['Maria', 'service', '15:00', '22:30'],
  ['Tom', 'kitchen', '17:00', '23:00'],
  [null, 'bar', '18:00', '23:30'],
  [null, 'service', '11:00', '16:00', 1],
];

const endings: (() => unknown)[] = [];
try {
  await takePictures();
} finally {
  for (const end of endings.reverse()) await end();
}

async function takePictures(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  endings.push(() => rm(folder, { recursive: true }));
  const database = `sqlite:${join(folder, 'demo.db')}`;
  const serve = ['bin/shiftfeed.js', 'serve', '--demo', '--port', '0', '--database', database];
  const explorer = await urlPrintedBy(serve, /^Explore it: (\S+)/);
  const personal = await personalLink(folder, database, new URL(explorer).origin);
  const desk = ['bin/shiftfeed.js', 'desk', 'demo', '--port', '0', '--database', database];
  const deskLink = await urlPrintedBy(desk, /^Open it: (\S+)/);
  const plan = await planOf(database);
  const cafe = await urlPrintedBy(['examples/website/start.ts'], /(http:\S+)/);

  const server = await launchBrowser();
  endings.push(() => server.close());
  const browser = await connectBrowser({ after: (end) => endings.push(end) }, server.wsEndpoint());
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({
      colorScheme,
      locale: 'en-GB',
      timezoneId: 'Europe/Amsterdam',
    });
    const page = await context.newPage();
    await pictureExplorer(page, explorer, `explorer-${colorScheme}.png`);
    await pictureCalendar(page, cafe, `calendar-${colorScheme}.png`);
    await pictureDesk(page, deskLink, plan, `desk-${colorScheme}.png`);
    if (colorScheme === 'light') await picturePersonal(page, personal, `personal-${colorScheme}.png`);
    await pictureBoard(page, cafe, `board-${colorScheme}.png`);
    await context.close();
  }
}

async function pictureExplorer(page: Page, url: string, file: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: 740 });
  await page.goto(url);
  const filtered = page.waitForResponse(/group_ids=3,1/);
  await page.getByLabel('Kitchen').check();
  await page.getByLabel('Bar').check();
  await filtered;
  await page.locator('#result:not([aria-busy])').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: join(import.meta.dirname, file) });
}

async function pictureCalendar(page: Page, url: string, file: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: 960 });
  await page.goto(url);
  await page.locator('shift-calendar').getByText('Kitchen').first().waitFor();
  await page.screenshot({ path: join(import.meta.dirname, file) });
}

/** Ends with the preview, and imports nothing. */
async function pictureDesk(page: Page, link: string, plan: string, file: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: 1_000 });
  await page.goto(link);
  const workbook = { name: 'next-week.csv', mimeType: 'text/csv', buffer: Buffer.from(plan) };
  await page.getByLabel('Workbook, CSV or JSON file').setInputFiles(workbook);
  await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
  await page.locator('shift-calendar [part~="shift"]').first().waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: join(import.meta.dirname, file) });
}

/** What the demo account has next week, with some changes. */
async function planOf(database: string): Promise<string> {
  const args = ['bin/shiftfeed.js', 'export', 'demo', '--format', 'csv', '--database', database];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const [headings = '', ...rows] = stdout.trim().split(/\r?\n/);
  const monday = Temporal.Now.plainDateISO().add({ days: 8 - Temporal.Now.plainDateISO().dayOfWeek });
  const days = Array.from({ length: 7 }, (_, day) => String(monday.add({ days: day })));
  const week = rows.filter((row) => days.some((day) => row.split(',')[1] === day));
  const [first = '', second = '', third = ''] = week;
  return [
    headings,
    first.replace(/,\d\d:\d\d,/, ',07:30,'),
    second,
    third.replace(/,\d\d:\d\d,/, ',12:15,'),
    ...week.slice(3),
  ].join('\n');
}

async function picturePersonal(page: Page, url: string, file: string): Promise<void> {
  await page.setViewportSize({ width: 420, height: 640 });
  await page.goto(url);
  await page.locator('shift-calendar [part~="shift"]').first().waitFor();
  await page.screenshot({ path: join(import.meta.dirname, file) });
}

/** Starts a gateway for the demo account, and gives the address of the first person. */
async function personalLink(folder: string, database: string, service: string): Promise<string> {
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, ['bin/shiftfeed.js', ...args], { cwd: ROOT })).stdout;
  const file = (name: string) => join(folder, name);
  await run('gateway', 'links', '--new-secret', file('secret'));
  await writeFile(file('token'), await run('token', 'create', 'demo', '--database', database));
  const feeds = { team: { title: 'Harbour Café', group_ids: 'all', personal: true } };
  const config = { upstream: `${service}/demo`, token_file: 'token', links_secret_file: 'secret', feeds };
  await writeFile(file('website.json'), JSON.stringify(config));
  const gateway = ['bin/shiftfeed.js', 'gateway', file('website.json'), '--port', '0'];
  const url = await urlPrintedBy(gateway, /(http:\S+)/);
  const [first] = JSON.parse(
    await run('gateway', 'links', file('website.json'), '--json', '--base-url', url),
  );
  return first.url;
}

/** The demo has few shifts a day. This is a day on which there is something to see. */
async function pictureBoard(page: Page, url: string, file: string): Promise<void> {
  const zone = 'Europe/Amsterdam';
  const today = Temporal.Now.plainDateISO(zone);
  await page.setViewportSize({ width: WIDTH, height: 675 });
  await page.clock.setFixedTime(
    today.toZonedDateTime({ timeZone: zone, plainTime: '12:34' }).epochMilliseconds,
  );
  const shifts = BOARD.map(([person, group, start_time, end_time, day = 0], id) => {
    const date = String(today.add({ days: day }));
    return {
      id,
      date,
      start_time,
      end_time,
      end_date: date,
      group: GROUPS[group],
      person: person && { name: person },
    };
  });
  const json = { title: 'Café Zeezicht', time_zone: zone, shifts };
  await page.route('**/door/shifts*', (route) => route.fulfill({ json }));
  await page.goto(`${url}/rota/door/board`);
  await page.locator('shift-calendar [part~="board-line"]').first().waitFor();
  await page.screenshot({ path: join(import.meta.dirname, file) });
}

/** Runs a program until the pictures are taken, and gives the first match in what it prints. */
async function urlPrintedBy(args: readonly string[], pattern: RegExp): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endings.push(() => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = pattern.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error(`${args[0]} ended without a word.`);
}
