/** The other side of readers.ts: a process for one task. It ends with the desk, and after its task. */

import { getPriority, setPriority } from 'node:os';
import { InvalidValue } from '../import/fields.ts';
import { ReadingFailed } from '../import/read.ts';
import { timeOf } from '../import/refusal.ts';
import { undoImport } from '../import/undo.ts';
import { type Failed, readUpload } from '../import/upload.ts';
import { endWithParent } from '../install/files.ts';
import { StoreFailure } from '../store/failure.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { writeChanges } from './preview.ts';
import {
  DISK_FULL,
  type ReaderMessage,
  type ReaderResult,
  type ReaderTask,
  type Undone,
  type UndoTask,
  type UploadTask,
} from './readers.ts';
import { whyForbidden, whyNotTakenBack } from './roles.ts';

/** Others are served first. */
const LOWER_PRIORITY = 10;

endWithParent();
// It is the desk that ends it. A terminal sends its signals to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', async (task: ReaderTask) => {
  if (getPriority() < LOWER_PRIORITY) setPriority(LOWER_PRIORITY);
  await tell({ result: await perform(task) });
  process.exit();
});

/** Resolves when the message is on its way. */
function tell(message: ReaderMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(message, undefined, {}, () => resolve());
  return promise;
}

/** Every failure is a sentence. */
async function perform(task: ReaderTask): Promise<ReaderResult> {
  try {
    const store = await openStore(task.database, { missing: task.kind === 'read' ? 'pretend' : 'create' });
    try {
      return task.kind === 'undo' ? await undo(task, store) : await read(task, store);
    } finally {
      await store.close();
    }
  } catch (error) {
    const isKnown = [ReadingFailed, StoreFailure, InvalidValue].some((known) => error instanceof known);
    if (isKnown) return failed((error as Error).message);
    const sentence = SENTENCES[(error as NodeJS.ErrnoException).code ?? ''];
    if (sentence === undefined) await tell({ problem: describe(error as NodeJS.ErrnoException) });
    return failed(sentence ?? 'An internal error occurred: the log of the desk has it.');
  }
}

/** By the code of an error of the file system. */
const SENTENCES: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'This file is not here any more: choose it again.',
  ENOSPC: DISK_FULL,
};

/** Without its message, which may quote the file. */
function describe({ name, code = '', stack = '' }: NodeJS.ErrnoException): string {
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line));
  return [name, code, ...frames.slice(0, 5).map((line) => line.trim())].filter(Boolean).join(' ');
}

function failed(message: string): Failed {
  return { kind: 'failed', message };
}

const onEntry = (entryId: number) => tell({ entryId });

function read(task: UploadTask, store: Store): Promise<ReaderResult> {
  return readUpload(task, store, {
    onEntry,
    refuses: (planned) => whyForbidden(planned, task.role),
    writeChanges: () => writeChanges(task.folder),
  });
}

async function undo({ account, role, who, entry }: UndoTask, store: Store): Promise<Undone | Failed> {
  const summary = await undoImport(store, account, who, {
    entryId: entry,
    isLocal: true,
    onEntry,
    refuses: (last, settings) => whyNotTakenBack(last, settings, { role, name: who }),
  });
  if (summary === undefined) return failed('There is no import that could be taken back.');
  const { undone, counts } = summary;
  const file = undone.file === '' ? '' : ` of ${undone.file}`;
  const sentences = [
    `The import${file} at ${timeOf(undone)} is taken back.`,
    counts.account === 'changed' && 'The account has its settings of before.',
    undone.counts.account === 'added' && 'The account itself stays, empty.',
  ];
  return { kind: 'undone', sentences: sentences.filter((sentence) => sentence !== false) };
}
