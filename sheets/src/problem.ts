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
