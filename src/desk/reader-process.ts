/** The other side of readers.ts: a process for one task. It ends with the desk, and after its task. */

import { setPriority } from 'node:os';
import { perform } from './reader.ts';
import { MAX_MEMORY_MB, type ReaderMessage, type ReaderTask, type UndoTask } from './results.ts';

/** Others are served first. */
const LOWER_PRIORITY = 10;

function tell(message: ReaderMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });
}

process.once('disconnect', () => process.exit());
process.once('message', async (task: ReaderTask | UndoTask) => {
  setPriority(LOWER_PRIORITY);
  const result = await perform(task, {
    nowMs: Date.now,
    maxMemoryMb: MAX_MEMORY_MB,
    onEntry: (entryId) => tell({ entryId }),
  });
  await tell({ result });
  process.exit();
});
