/**
 * Run as a process: replaces all shifts of the account again and again, each time in one transaction. Every generation
 * says its number in the remarks of its shifts and has a number of shifts of its own, so that a reader can tell whether
 * all that it sees belongs together. Ends by itself after three minutes.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { generation } from './generation.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const store = await openStore(databaseUrl, { missing: 'fail' });
const endMs = performance.now() + 180_000;
for (let number = 1; performance.now() < endMs; number++) {
  await importDocument(store, generation(number), { replace: true, dryRun: false });
  // One line a generation: when it is read, the generation is committed.
  process.stdout.write(`${number}\n`);
  // Readers need the processor as well.
  await delay(10);
}
await store.close();
