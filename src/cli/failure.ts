/** Why a command could not do what it was told, as a sentence for whoever typed it. */
export class Failure extends Error {
  /** 1, or 2 when what was typed can never work. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}
