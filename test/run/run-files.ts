/**
 * Run as a process: runs the test files that it is handed, one after another. A process of its own for each file would
 * take a second of the processor before its first test.
 */

import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cpuSeconds } from './cpu-time.ts';
import type { News, Order } from './messages.ts';

/** Only a test that hangs takes so long, even where others keep the machine busy. */
const LIMIT_MS = 10 * 60_000;

// Whoever listens keeps the process alive, also while a test waits for something that does not.
process.on('message', () => undefined);

let cpuBefore = cpuSeconds();
for (;;) {
  const { file } = await nextOrder();
  if (file === undefined) break;
  cpuBefore = cpuSeconds();
  // What a file sets up for all of its tests ends with the suite that stands for it.
  await describe(file, { timeout: LIMIT_MS }, async () => {
    await import(pathToFileURL(resolve(file)).href);
    // Otherwise the other processes, and threads of this one, would compile the same modules again.
    flushCompileCache();
  });
}
// Messages still go out, but nobody waits for any.
process.channel?.unref();

async function nextOrder(): Promise<Order> {
  const news: News = { kind: 'idle', cpuSeconds: cpuSeconds() - cpuBefore };
  process.send?.(news);
  const { promise, resolve: receive } = Promise.withResolvers<Order>();
  process.once('message', receive);
  return promise;
}
