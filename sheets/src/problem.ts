/** What is wrong with a sheet, and what would mend it: values, which are made into sentences at the end. */

import type { Reason } from '@shiftfeed/common/reason';
import type { ProblemPlace } from './place.ts';

export type { Reason };

export interface SheetProblem extends Reason {
  /** Empty for the file as a whole. */
  readonly place: ProblemPlace | '';
  /** An option that was meant for another file: it names what this one does not have. */
  readonly stale?: readonly [key: string, value: string] | undefined;
}

/** What is wrong with a row, and with which of its columns. */
export interface Flaw extends Reason {
  readonly path: readonly string[];
  /** It is only wrong if the account has no person of this name. */
  readonly unlessPerson?: string | undefined;
}

/** A sentence about columns, which options call by their names, and a page in words. */
export function naming(
  sentence: (nameOf: (column: string) => string) => string,
): Pick<Reason, 'message' | 'onPage'> {
  return { message: sentence((column) => column), onPage: sentence(inWords) };
}

/** Such as `start time`. */
export function inWords(column: string): string {
  return column.replace('_', ' ');
}

/** How to import a sheet whose ids were changed by a spreadsheet. */
export function orWithoutIds(why: string): Pick<Reason, 'message' | 'onPage'> {
  const found = 'rows are found by date, start, group and location';
  return {
    message: `${why} with --ignore-columns id, ${found}`,
    onPage: `${why} without the column of ids, ${found}`,
  };
}
