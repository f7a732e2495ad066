/**
 * Takes the pictures of the README from the real thing: `npm run pictures`. They show the demo account on the day on which they are taken.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { findChromium, NO_BROWSER, startBrowser } from '../../test/support/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMES = ['light', 'dark'] as const;
/** Wider than a README is shown, so that the pictures are sharp, and yet small. */
const WIDTH = 1200;

const endings: (() => unknown)[] = [];
try {
  await takePictures();
} finally {
  for (const end of endings.reverse()) await end();
}

async function takePictures(): Promise<void> {
  const chromium = await findChromium();
  if (chromium === undefined) throw new Error(NO_BROWSER);
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  endings.push(() => rm(folder, { recursive: true }));
  const database = `sqlite:${join(folder, 'demo.db')}`;
  const serve = ['bin/shiftfeed.js', 'serve', '--demo', '--port', '0', '--database', database];
  const explorer = await urlPrintedBy(serve, /^Explore it: (\S+)/);
  const cafe = await urlPrintedBy(['examples/website/start.ts'], /(http:\S+)/);

  const browser = await startBrowser({ after: (end) => endings.push(end) }, chromium);
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({
      colorScheme,
      locale: 'en-GB',
      timezoneId: 'Europe/Amsterdam',
    });
    const page = await context.newPage();
    await pictureExplorer(page, explorer, `explorer-${colorScheme}.png`);
    await pictureCalendar(page, cafe, `calendar-${colorScheme}.png`);
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
