/** What the desk asks of a reader, and what it gets: JSON, which goes to the page as it is. */

import type { ProblemCell, SheetExcerpt } from '../import/excerpt.ts';
import type { Answer, Choice, Question } from '../import/questions.ts';
import type { Table, Tally } from '../store/records.ts';
import type { DayOfChanges } from './changes.ts';

/** Of a reader, and of the thread in which it reads large files. */
export const MAX_MEMORY_MB = 512;

export interface ReaderTask {
  readonly kind: 'read' | 'import';
  /** A URL. It goes to the child by a message, never by arguments or environment. */
  readonly database: string;
  /** The slug. */
  readonly account: string;
  readonly role: 'planner' | 'owner';
  /** For the history. */
  readonly who: string;
  /** The path of the private upload. */
  readonly file: string;
  /** The user's name of the file, for messages and history. */
  readonly name: string;
  /** The private folder for the file of changes. */
  readonly folder: string;
  /** From the recipe and the page: options of the sheet, `replace`, `from`, `to`, `allow-removals`, `allow-empty`. */
  readonly answers: readonly Answer[];
  /** Only of an import: the digest of the preview. */
  readonly expected?: string | undefined;
}

export type ReaderResult = Questions | Mistakes | Preview | Imported | Failed;

export interface Questions {
  readonly kind: 'questions';
  readonly questions: readonly Question[];
  readonly mistakes?: readonly Problem[];
}

export interface Problem {
  readonly place: string;
  readonly message: string;
  readonly cell?: ProblemCell | undefined;
}

export interface Mistakes {
  readonly kind: 'mistakes';
  readonly headline: string;
  readonly problems: readonly Problem[];
  /** How many there are beyond these. */
  readonly more: number;
  /** Rows around the problems, and the headings. */
  readonly sheets: readonly SheetExcerpt[];
}

export type Counts = Readonly<Record<Table, Tally>>;

export interface Preview {
  readonly kind: 'preview';
  readonly digest: string;
  readonly format: 'json' | 'sheet';
  /** How it was read. */
  readonly how: readonly string[];
  /** What was answered, each with the label of its field and in people's words. */
  readonly answers: readonly (Choice & { readonly text: string })[];
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly counts: Counts;
  /** Days are empty where the range is open. */
  readonly replace: { readonly on: boolean; readonly from: string; readonly to: string };
  readonly warnings: readonly string[];
  readonly unlisted: readonly string[];
  readonly undoRefusal?: string | undefined;
  /** How many there are in all. */
  readonly changes: number;
  /** null: groups, locations and people. */
  readonly days: readonly DayOfChanges[];
  /** The account had changed, so nothing was imported, and this is the preview of now. */
  readonly isChangedSince?: true;
}

export interface Imported {
  readonly kind: 'imported';
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly counts: Counts;
  readonly canUndo: boolean;
}

export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
}

/** Takes the last import into the account back, if it is this entry of the history. */
export interface UndoTask {
  readonly kind: 'undo';
  readonly database: string;
  readonly account: string;
  readonly who: string;
  readonly entry: number;
}

export interface Undone {
  readonly kind: 'undone';
  readonly sentences: readonly string[];
}

export type ReaderMessage = { readonly entryId: number } | { readonly result: ReaderResult | Undone };
