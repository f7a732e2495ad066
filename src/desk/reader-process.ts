/** The other side of readers.ts: a process for one task. It ends with the desk, and after its task. */

import { getPriority, setPriority } from 'node:os';
import { endWithParent } from '../install/files.ts';
import { perform, type ReaderMessage, type ReaderTask } from './task.ts';

/** Others are served first. */
const LOWER_PRIORITY = 10;

endWithParent();
// It is the desk that ends it. A terminal sends its signals to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', async (task: ReaderTask) => {
  if (getPriority() < LOWER_PRIORITY) setPriority(LOWER_PRIORITY);
  await tell({ result: await perform(task, tell) });
  process.exit();
});

/** Resolves when the message is on its way. */
function tell(message: ReaderMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(message, undefined, {}, () => resolve());
  return promise;
}
