#!/usr/bin/env node

/** Starts Shiftfeed on a Node that can run it: on this one, or on the one that the install brings along. */

import { handOver, isNewEnough } from './runtime.js';
import { endWithStarter } from './starter.js';

endWithStarter();
if (isNewEnough()) {
  const { keepCompiledCode } = await import('./compile-cache.js');
  keepCompiledCode();
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  // By the path by which it was called, which lines to be pasted repeat.
  handOver(process.argv.slice(1));
}
