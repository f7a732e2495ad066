/** What is wrong with a document, by place. Nothing of it was imported. */

export interface ImportProblem {
  /** Such as `shifts[13].end_time`; empty for the document as a whole. */
  readonly place: string;
  readonly message: string;
}

/** The first ones are kept to be shown. Of the others, which may be millions, only the number is. */
export const MAX_KEPT_PROBLEMS = 20;

export class ProblemList {
  readonly #first: ImportProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(problem: ImportProblem): void {
    this.#count++;
    if (this.#first.length < MAX_KEPT_PROBLEMS) this.#first.push(problem);
  }

  /** For problems that were counted elsewhere, of which only the first are known. */
  addAll(first: readonly ImportProblem[], count: number): void {
    for (const problem of first) this.add(problem);
    this.#count += count - first.length;
  }

  /** Throws ImportProblems when there are any. */
  check(): void {
    if (this.#count > 0) throw new ImportProblems(this.#first, this.#count);
  }
}

export class ImportProblems extends Error {
  /** The first ones. */
  readonly problems: readonly ImportProblem[];
  /** How many there are in all. */
  readonly count: number;

  constructor(problems: readonly ImportProblem[], count = problems.length) {
    super(`The document has ${count === 1 ? 'a problem' : `${count} problems`}.`);
    this.name = 'ImportProblems';
    this.problems = problems;
    this.count = count;
  }
}
