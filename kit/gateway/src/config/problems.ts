/** What is wrong with a configuration, by place. */

export interface ConfigProblem {
  /** Such as `feeds.kitchen.show[2]`; empty for the configuration as a whole. */
  readonly place: string;
  readonly message: string;
}

export class ConfigProblems extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ place, message }) => (place === '' ? message : `${place}: ${message}`));
    super(
      `The configuration has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}.\n  ${lines.join('\n  ')}`,
    );
    this.name = 'ConfigProblems';
    this.problems = problems;
  }
}
