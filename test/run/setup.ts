/**
 * Runs once around all test files: gives them a folder for their files, unless TEST_FOLDER names one, a PostgreSQL
 * server, unless TEST_POSTGRES_URL names one, a database on it to copy others from, an unpacked Chromium, and a folder
 * with compiled code, which halves the time that each process takes to start.
 */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser, NoBrowser } from '../support/browser.ts';
import { startServer } from '../support/cli.ts';
import { newDatabaseUrl, newTemplate } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { makeTestFolder, testFolder } from '../support/test-folder.ts';

const cleanups: (() => Promise<void>)[] = [];

export async function setUp(): Promise<void> {
  const prepared: Promise<void>[] = [prepareBrowser()];
  if (process.env.TEST_FOLDER === undefined) {
    const folder = await makeTestFolder();
    process.env.TEST_FOLDER = folder;
    // However the tests end: what stays in memory is lost to others.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
  // The home of the user, where npm keeps its own, may be missing or read-only.
  process.env.npm_config_cache = join(testFolder(), 'npm');
  if (!process.env.NODE_COMPILE_CACHE) {
    const folder = await mkdtemp(join(testFolder(), 'compiled-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    process.env.NODE_COMPILE_CACHE = folder;
    prepared.push(compileServer());
  }
  if (process.env.TEST_POSTGRES_URL === undefined) {
    const server = await startPostgres();
    cleanups.push(server.remove);
    process.env.TEST_POSTGRES_URL = server.url;
  }
  await Promise.all(prepared);
  // A test runs the tests of another folder, which share what is there already.
  process.env.TEST_POSTGRES_TEMPLATE ??= await newTemplate({
    after: (work) => cleanups.unshift(async () => work()),
  });
}

/** One browser for all tests. A test that runs the tests of another folder shares it, too. */
async function prepareBrowser(): Promise<void> {
  if (process.env.TEST_BROWSER !== undefined) return;
  try {
    const server = await launchBrowser();
    cleanups.push(() => server.close());
    process.env.TEST_BROWSER = server.wsEndpoint();
  } catch (error) {
    if (!(error instanceof NoBrowser)) throw error;
    process.env.TEST_NO_BROWSER = error.message;
  }
}

/**
 * Starts a server and lets it end in order, because only then does Node keep what it compiled. Tests kill most of
 * theirs, each of which would compile everything again.
 */
async function compileServer(): Promise<void> {
  const cleanup = { after: (work: () => void | Promise<void>) => cleanups.push(async () => work()) };
  const { child } = await startServer(cleanup, [], { databaseUrl: await newDatabaseUrl(cleanup) });
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

export async function tearDown(): Promise<void> {
  for (const cleanUp of cleanups) await cleanUp();
}
