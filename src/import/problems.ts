/** What is wrong with a document, by place. Nothing of it was imported. */

export interface ImportProblem {
  /** Such as `shifts[13].end_time`; empty for the document as a whole. */
  readonly place: string;
  readonly message: string;
}

export class ImportProblems extends Error {
  readonly problems: readonly ImportProblem[];

  constructor(problems: readonly ImportProblem[]) {
    super(`The document has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}.`);
    this.name = 'ImportProblems';
    this.problems = problems;
  }
}
