/** The file, or the rest of it, cannot be read. */

import type { ImportProblem } from '../problems.ts';

export class SheetRefused extends Error {
  readonly problems: readonly ImportProblem[];

  constructor(...problems: readonly ImportProblem[]) {
    super(problems[0]?.message);
    this.problems = problems;
  }
}

export function refusal(message: string): SheetRefused {
  return new SheetRefused({ place: '', message });
}
