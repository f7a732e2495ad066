/** An error of a command. Its message is a sentence for the user. */
export class Failure extends Error {
  /** 1, or 2 for wrong usage. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

export function wrongUse(sentence: string): Failure {
  return new Failure(sentence, { exitCode: 2 });
}
