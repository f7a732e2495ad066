/** A real browser, for what only a browser can tell. */

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestFn, test } from 'node:test';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import type { Cleanup } from './database.ts';
import { LIMIT_MS } from './until.ts';

export const NO_BROWSER =
  'no browser was found. Install Chromium ("apt-get install chromium"), or name one in the environment variable CHROMIUM.';

/** A Chromium that was found, and what its environment must have. */
interface Installed {
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

/** The one of `CHROMIUM`, of the npm package, or of the machine. */
export async function findChromium(): Promise<Installed | undefined> {
  const { CHROMIUM: chosen, PATH = '' } = process.env;
  if (chosen) return { path: chosen, env: {} };
  // The package has a binary for this platform alone.
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium();
  const path = PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable);
  return path === undefined ? undefined : { path, env: {} };
}

/** Whether there is one, which the setup of the tests looks for once and for all. */
export function hasBrowser(): boolean {
  return process.env.TEST_CHROMIUM !== undefined;
}

/** A test that needs a browser. Without one it is skipped, which the end of the output tells. */
export function browserTest(name: string, run: TestFn): void {
  if (hasBrowser()) test(name, run);
  else test(name, { skip: NO_BROWSER });
}

/** Starts it with a profile of its own, and without a window. */
export async function startBrowser(context: Cleanup, installed?: Installed): Promise<Browser> {
  const { path, env } = installed ?? (JSON.parse(process.env.TEST_CHROMIUM ?? '{}') as Installed);
  const browser = await chromium.launch({
    executablePath: path,
    args: FLAGS,
    env: { ...(process.env as Record<string, string>), ...env },
    timeout: LIMIT_MS,
  });
  // Only a page that hangs takes so long.
  browser.on('context', (tab) => tab.setDefaultTimeout(LIMIT_MS));
  context.after(() => browser.close());
  return browser;
}

/**
 * Has the package unpack its Chromium, with the libraries that it needs and that a bare machine lacks. That happens in
 * a process of its own, because the package changes the environment of whoever loads it.
 */
async function unpackChromium(): Promise<Installed> {
  // What another user unpacked cannot be started.
  const folder = join(tmpdir(), `shiftfeed-browser-${process.getuid?.()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const script = `
    const before = { ...process.env };
    const { default: packaged } = await import('@sparticuz/chromium');
    const path = await packaged.executablePath();
    const env = Object.fromEntries(Object.entries(process.env).filter(([name, value]) => before[name] !== value));
    console.log(JSON.stringify({ path, env }));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    // Only in this environment does it unpack the libraries, too.
    {
      env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
      cwd: import.meta.dirname,
    },
  );
  return JSON.parse(stdout);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
