/**
 * Run as a process: takes files from the list that it shares with others, and runs one after another. Node's own runner
 * cannot do that: it starts a process for each file, which takes a second of the processor before its first test, or it
 * loads all files before the first test, and so keeps the servers of all of them until the last.
 */

import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { childrenOf, cpuSeconds, killTree } from '../support/processes.ts';
import { claim, LIMIT_MS, note, told } from './results.ts';

// Whatever its tests leave behind, such as servers of a file none of whose tests has the name that is looked for.
process.on('exit', () => childrenOf(process.pid).forEach(killTree));
// A test may wait for something that does not keep the process alive.
const alive = setInterval(() => undefined, LIMIT_MS);
for (const file of process.argv.slice(2)) {
  if (!claim(file)) continue;
  const [startMs, startCpu] = [performance.now(), cpuSeconds()];
  const isTold = once(told, file);
  // What a file sets up for all of its tests ends with the suite that stands for it.
  await describe(file, { timeout: LIMIT_MS }, async () => {
    await import(pathToFileURL(resolve(file)).href);
    // Otherwise the other processes, and threads of this one, would compile the same modules again.
    flushCompileCache();
  });
  // So that one that ends the process takes nothing of this one along. A file without a test of that name is not told.
  await Promise.race([isTold, delay(100)]);
  note('times', {
    file,
    seconds: (performance.now() - startMs) / 1_000,
    cpuSeconds: cpuSeconds() - startCpu,
  });
}
clearInterval(alive);
// All is told by then. What is left keeps nobody waiting.
setTimeout(() => process.exit(), 2_000).unref();
