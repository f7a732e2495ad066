/** A real browser, for what only a browser can tell. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Cleanup } from './database.ts';

export const NO_BROWSER =
  'NO BROWSER WAS FOUND, so this was not tested: install Chromium ("apt-get install chromium"), or name one in the ' +
  'environment variable CHROMIUM.';

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

/** The path of a Chromium, if there is one: that of `CHROMIUM`, of the npm package, or of the machine. */
export async function findChromium(): Promise<string | undefined> {
  const { CHROMIUM: chosen, PATH = '' } = process.env;
  if (chosen !== undefined) return chosen;
  // The package has a binary for this platform alone.
  if (process.platform === 'linux' && process.arch === 'x64') return chromiumOfPackage();
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable);
}

/** Starts it with a profile of its own, and without a window. */
export async function startBrowser(context: Cleanup, executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  context.after(() => browser.close());
  return browser;
}

/**
 * Has the package unpack its Chromium once, before test files would do it at the same time and meet half of it. It does
 * so in a process of its own, because the package also sets where programs look for libraries.
 */
export async function unpackChromium(): Promise<void> {
  const script = `const { findChromium } = await import(${JSON.stringify(import.meta.url)}); await findChromium();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('Chromium could not be unpacked.');
}

async function chromiumOfPackage(): Promise<string> {
  // Only there does the package unpack the libraries that Chromium needs and that a bare machine lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
