/**
 * Runs once around all test files: gives them a PostgreSQL server, unless TEST_POSTGRES_URL names one, a database on it
 * to copy others from, an unpacked Chromium, and a folder for compiled code, which halves the time that each process
 * takes to start.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackChromium } from './browser.ts';
import { newTemplate } from './database.ts';
import { startPostgres } from './postgres-server.ts';

const cleanups: (() => Promise<void>)[] = [];

export async function globalSetup(): Promise<void> {
  const unpacked = unpackChromium();
  if (!process.env.NODE_COMPILE_CACHE) {
    const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-compiled-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    process.env.NODE_COMPILE_CACHE = folder;
  }
  if (process.env.TEST_POSTGRES_URL === undefined) {
    const server = await startPostgres();
    cleanups.push(server.remove);
    process.env.TEST_POSTGRES_URL = server.url;
  }
  await unpacked;
  process.env.TEST_POSTGRES_TEMPLATE = await newTemplate({
    after: (work) => cleanups.unshift(async () => work()),
  });
}

export async function globalTeardown(): Promise<void> {
  for (const cleanUp of cleanups) await cleanUp();
}
