/** What is wrong with a sheet, and what would mend it: values, which are made into sentences at the end. */

import type { ProblemPlace } from './place.ts';

export interface Reason {
  readonly message: string;
  /** The same for a page, if it names options, which a page does not have. */
  readonly onPage?: string | undefined;
  /** The end of the message on a command line: which option to give. A page has a field in place of it. */
  readonly advice?: string | undefined;
  readonly fix?: Fix | undefined;
  /** The text in question. */
  readonly about?: string | undefined;
  /** Options that may be meant as well. A page offers them; a command line does not propose them. */
  readonly offers?: readonly (readonly [key: string, value: string])[] | undefined;
}

/**
 * An option that would solve a problem. With several values, only a human can tell which is right; one of another option
 * is a pair.
 */
export type Fix = readonly [
  option: string,
  value: string,
  ...others: readonly (string | readonly [option: string, value: string])[],
];

export interface SheetProblem extends Reason {
  /** Empty for the file as a whole. */
  readonly place: ProblemPlace | '';
  /** An option that was meant for another file: it names what this one does not have. */
  readonly stale?: readonly [key: string, value: string] | undefined;
}

/** What is wrong with a row, and with which of its columns. */
export interface Flaw extends Reason {
  readonly path: readonly string[];
}

/** A sentence that names options, by their keys. */
export function naming(
  sentence: (option: (key: string) => string) => string,
): Pick<Reason, 'message' | 'onPage'> {
  return { message: sentence((key) => `--${key}`), onPage: sentence((key) => key) };
}

/** How to import a sheet whose ids were changed by a spreadsheet. */
export function orWithoutIds(why: string): Pick<Reason, 'message' | 'onPage'> {
  return naming(
    (option) =>
      `${why} with ${option('ignore-columns')} id, rows are found by date, start, group and location`,
  );
}
