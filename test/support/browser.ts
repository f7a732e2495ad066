/** A real browser, for what only a browser can tell. */

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestFn, test } from 'node:test';
import type { Browser, BrowserServer, Page } from 'playwright-core';
import type { Cleanup } from './database.ts';
import { unpackBrowser } from './packaged-browser.ts';
import { LIMIT_MS } from './until.ts';

/** A Chromium, and what its environment must have. */
export interface InstalledBrowser {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** It only ever sees the service of a test: no sandbox, which containers often forbid, and no talk to anybody else. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Loaded when it is needed: it takes longer to load than many a test to run. */
const driver = async () => (await import('playwright-core')).chromium;

/** Why a test in a browser cannot run. */
export class NoBrowser extends Error {}

const INSTALL_ONE =
  'Install Chromium ("apt-get install chromium"), or name one in the environment variable CHROMIUM.';

/**
 * Starts the Chromium that `CHROMIUM` names, or else the first one that works: that of the npm package, then that of the
 * machine. It has opened a page with text before anybody relies on it, which a browser without fonts does not survive.
 */
export async function launchBrowser(): Promise<BrowserServer> {
  const complaints: string[] = [];
  for (const { name, find } of process.env.CHROMIUM ? [CHOSEN] : [PACKAGED, OF_THE_MACHINE]) {
    try {
      const installed = await find();
      if (installed !== undefined) return await launch(installed);
    } catch (error) {
      complaints.push(`${name}: ${String(error).split('\n', 1)[0]}`);
    }
  }
  throw new NoBrowser(
    complaints.length > 0
      ? `no browser works (${complaints.join('; ')}). ${INSTALL_ONE}`
      : `no browser was found. ${INSTALL_ONE}`,
  );
}

interface Candidate {
  readonly name: string;
  readonly find: () => Promise<InstalledBrowser | undefined>;
}

const CHOSEN: Candidate = {
  name: 'the one that CHROMIUM names',
  find: async () => ({ path: process.env.CHROMIUM ?? '', env: {} }),
};

/** The package has a binary for this platform alone. */
const PACKAGED: Candidate = {
  name: 'that of the npm package',
  find: async () => (process.platform === 'linux' && process.arch === 'x64' ? unpackBrowser() : undefined),
};

const OF_THE_MACHINE: Candidate = {
  name: 'that of this machine',
  async find() {
    const path = (process.env.PATH ?? '')
      .split(delimiter)
      .flatMap((folder) => NAMES.map((name) => join(folder, name)))
      .find(isExecutable);
    return path === undefined ? undefined : { path, env: {} };
  },
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function launch({ path, env }: InstalledBrowser): Promise<BrowserServer> {
  const server = await (await driver()).launchServer({
    executablePath: path,
    args: FLAGS,
    env: { ...(process.env as Record<string, string>), ...env },
    timeout: LIMIT_MS,
  });
  try {
    await showText(server);
    return server;
  } catch (error) {
    await server.kill();
    throw error;
  }
}

async function showText(server: BrowserServer): Promise<void> {
  const browser = await (await driver()).connect(server.wsEndpoint());
  const page = await browser.newPage();
  await page.setContent('<p style="float: left">Who works <b>when</b></p>');
  const { width = 0 } = (await page.locator('p').boundingBox()) ?? {};
  if (width === 0) throw new Error('text has no width in it');
  await browser.close();
}

/** Whether the setup of the tests started one. */
export function hasBrowser(): boolean {
  return process.env.TEST_BROWSER !== undefined;
}

/** A test that needs a browser. Without one it is skipped, which the end of the output tells. */
export function browserTest(name: string, run: TestFn): void {
  if (hasBrowser()) test(name, run);
  else test(name, { skip: process.env.TEST_NO_BROWSER ?? 'run tests with "npm run test:only FILE".' });
}

/** What comes of a page from now on. */
export interface Watched {
  /** What its console shows: errors, warnings, and what the security policy forbade. */
  readonly complaints: readonly string[];
  /** Of all its requests. */
  readonly addresses: readonly string[];
}

export function watchPage(page: Page): Watched {
  const complaints: string[] = [];
  const addresses: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => addresses.push(request.url()));
  return { complaints, addresses };
}

/** The browser that all tests share. What is opened through this connection ends with it. */
export async function connectBrowser(
  context: Cleanup,
  endpoint = process.env.TEST_BROWSER ?? '',
): Promise<Browser> {
  const browser = await (await driver()).connect(endpoint, { timeout: LIMIT_MS });
  // Only a page that hangs takes so long.
  browser.on('context', (tab) => tab.setDefaultTimeout(LIMIT_MS));
  context.after(() => browser.close());
  return browser;
}
