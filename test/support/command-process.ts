/** Run as a process: runs the commands that it gets as messages, and replies with what came of each. */

import type { RunOptions } from './cli-in-process.ts';
import { shiftfeed } from './cli-in-process.ts';

process.on('message', async ({ args, options }: { args: readonly string[]; options: RunOptions }) => {
  process.send?.(await shiftfeed(args, options));
});
