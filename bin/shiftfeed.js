#!/usr/bin/env node
/** Starts Shiftfeed on a Node that can run it: on this one, or on the one that the install brings along. */

import { fileURLToPath } from 'node:url';
import { endWithNpx } from './npx.js';
import { handOver, isNewEnough } from './runtime.js';

endWithNpx();
if (isNewEnough()) {
  const { keepCompiledCode } = await import('./compile-cache.js');
  keepCompiledCode();
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  handOver([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}
