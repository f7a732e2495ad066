/** What the desk asks of a reader, and what it gets: JSON, which goes to the page as it is. */

import type { Upload, UploadResult } from '../import/upload.ts';

export type { Failed, Imported, Preview } from '../import/upload.ts';

/** Of a reader, and of the thread in which it reads large files. */
export const MAX_MEMORY_MB = 512;

export const DISK_FULL = 'The disk of the desk is full: ask whoever runs it to make room.';

export type Role = 'planner' | 'owner';

export type ReaderTask = UploadTask | UndoTask;

export interface UploadTask extends Upload {
  /** A URL. It goes to the process by a message, never by arguments or environment. */
  readonly database: string;
  readonly role: Role;
  /** The private folder for the file of changes. */
  readonly folder: string;
}

export type ReaderResult = UploadResult | Undone;

/** Takes the last import into the account back, if it is this entry of the history. */
export interface UndoTask {
  readonly kind: 'undo';
  readonly database: string;
  readonly account: string;
  readonly role: Role;
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
