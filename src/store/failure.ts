/**
 * A failure of a database that is not a programming error. Its message is one sentence that an operator can act on. It
 * holds no data of any account.
 */

export type StoreFailureKind =
  /** The URL is not a valid database URL. */
  | 'bad-url'
  /** The database does not exist, or is not a Shiftfeed database. */
  | 'unusable'
  /** The database lets nobody in with this URL: waiting would not help. */
  | 'locked-out'
  /** A newer Shiftfeed changed the schema. This one can still read it, but must not write. */
  | 'newer'
  /** A newer Shiftfeed changed the schema, and this one cannot even read it. */
  | 'too-new'
  /** The database cannot be reached or is too slow: a retry may succeed soon. */
  | 'unavailable'
  /** Another process holds the database for longer than we wait. */
  | 'busy'
  /** The database refused a row. */
  | 'refused';

/** Whether a retry may succeed soon. A missing or foreign database is not temporary. */
export function isTemporary(error: unknown): error is StoreFailure {
  return error instanceof StoreFailure && (error.kind === 'unavailable' || error.kind === 'busy');
}

/** Whether the database could not be asked, so that the last answer may stand for one. */
export function isAway(error: unknown): error is StoreFailure {
  return isTemporary(error) || (error instanceof StoreFailure && error.kind === 'locked-out');
}

export class StoreFailure extends Error {
  readonly kind: StoreFailureKind;

  constructor(kind: StoreFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreFailure';
    this.kind = kind;
  }
}
