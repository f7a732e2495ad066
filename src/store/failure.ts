/**
 * A failure of a database that is not a programming error. Its message is one sentence that an operator can act on. It
 * holds no data of any account.
 */

export type StoreFailureKind =
  /** The URL is none that a database could have. */
  | 'bad-url'
  /** What the URL names is not there, or not ours. */
  | 'unusable'
  /** The database is away or too slow: the same may succeed soon. */
  | 'unavailable'
  /** Another process holds the database for longer than we wait. */
  | 'busy'
  /** The database refused a row. */
  | 'refused';

/** Whether a failure may be over soon. A database that is missing or not ours is no such failure. */
export function isTemporary(error: unknown): boolean {
  return error instanceof StoreFailure && (error.kind === 'unavailable' || error.kind === 'busy');
}

export class StoreFailure extends Error {
  readonly kind: StoreFailureKind;

  constructor(kind: StoreFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreFailure';
    this.kind = kind;
  }
}
