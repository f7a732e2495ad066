/**
 * What a reading of an upload gives, as JSON for the page.
 *
 * Beyond what the parts of the desk agreed on: `ShownShift` has the shape of a shift of the API (`group: { id, name }`,
 * `location: { name, address } | null`, `person: { name } | null`), so that the calendar can show it.
 */

import type { Table, Tally } from '../store/records.ts';

/** An option as in a recipe, without dashes, and its value as it is typed on the command line. */
export type Answer = readonly [option: string, value: string];

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

export interface Choice {
  readonly option: string;
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly id: string;
  readonly place: string;
  readonly message: string;
  /** Of the field. */
  readonly label: string;
  readonly choices: readonly Choice[];
  /** The value is the template with the placeholder replaced by what was typed. */
  readonly input?: {
    readonly option: string;
    readonly template: string;
    readonly placeholder: string;
    readonly kind: 'text' | 'times' | 'year' | 'date' | 'zone';
    readonly suggestions?: readonly string[];
  };
  /** What was answered before. */
  readonly answer?: { readonly option: string; readonly value: string };
}

export interface Problem {
  readonly place: string;
  readonly message: string;
  /** Sheets and lines count from 1, columns from 0. */
  readonly cell?: { readonly sheet: number; readonly line: number; readonly column?: number };
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

export interface SheetExcerpt {
  readonly number: number;
  readonly name: string;
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
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
  readonly days: readonly { readonly day: string | null; readonly first: number; readonly count: number }[];
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
