/**
 * What a reader does: reads an upload, imports it, or takes an import back, which may take as long. What comes of it is JSON
 * for the page. Shifts have the shape of the API, so that the calendar can show them.
 */

import { InvalidValue } from '../import/fields.ts';
import { ReadingFailed } from '../import/read.ts';
import { timeOf } from '../import/refusal.ts';
import { undoImport } from '../import/undo.ts';
import { type Failed, readUpload, type Upload, type UploadResult } from '../import/upload.ts';
import type { DeskRole } from '../store/admin/tokens.ts';
import { StoreFailure } from '../store/failure.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { DISK_FULL } from './folder.ts';
import { writeChanges } from './preview.ts';
import { whyForbidden, whyNotTakenBack } from './roles.ts';

export type { Answer } from '../import/questions.ts';

/** What the desk asks of a reader. */
export type ReaderTask = UploadTask | UndoTask;

export interface UploadTask extends Upload {
  /** A URL. It goes to the process by a message, never by arguments or environment. */
  readonly database: string;
  readonly role: DeskRole;
  /** The private folder, where its preview goes. */
  readonly folder: string;
}

/** What it gets: JSON, which goes to the page as it is. */
export type ReaderResult = UploadResult | Undone;

/** Takes the last import into the account back, if it is this entry of the history. */
export interface UndoTask {
  readonly kind: 'undo';
  readonly database: string;
  readonly account: string;
  readonly role: DeskRole;
  readonly who: string;
  readonly entry: number;
}

export interface Undone {
  readonly kind: 'undone';
  readonly sentences: readonly string[];
}

export type ReaderMessage =
  | { readonly entryId: number }
  | { readonly result: ReaderResult }
  /** For the log. */
  | { readonly problem: string };

/** Tells what the desk has to know before the task has ended. */
export type Tell = (message: Exclude<ReaderMessage, { result: ReaderResult }>) => Promise<void>;

/** Every failure is a sentence. */
export async function perform(task: ReaderTask, tell: Tell): Promise<ReaderResult> {
  try {
    const store = await openStore(task.database, { missing: task.kind === 'read' ? 'pretend' : 'create' });
    try {
      return task.kind === 'undo' ? await undo(task, store, tell) : await read(task, store, tell);
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

function read(task: UploadTask, store: Store, tell: Tell): Promise<ReaderResult> {
  return readUpload(task, store, {
    onEntry: (entryId) => tell({ entryId }),
    refuses: (planned) => whyForbidden(planned, task.role),
    writeChanges: () => writeChanges(task.folder),
  });
}

async function undo(
  { account, role, who, entry }: UndoTask,
  store: Store,
  tell: Tell,
): Promise<Undone | Failed> {
  const summary = await undoImport(store, account, who, {
    entryId: entry,
    isLocal: true,
    onEntry: (entryId) => tell({ entryId }),
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
