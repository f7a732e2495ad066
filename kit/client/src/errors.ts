/** Errors, in one class for each thing that a caller can do about them. None of them ever contains the token. */

/** Any answer but a listing. The message is the server's own sentence. */
export class ShiftfeedError extends Error {
  override name = 'ShiftfeedError';
  /** The HTTP status. undefined when no answer came. */
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}

/** 401, 403 and 404: the token is not live, or there is no such account. Asking again does not help. */
export class ShiftfeedAccessError extends ShiftfeedError {
  override name = 'ShiftfeedAccessError';
}

/** 429, 5xx, no answer, or none in time: it may work later. */
export class ShiftfeedUnavailableError extends ShiftfeedError {
  override name = 'ShiftfeedUnavailableError';
  /** How long the server asks to wait, if it says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status?: number, retryAfterSeconds?: number) {
    super(message, status);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An answer that cannot be used: it is not a listing, too large, or a redirect. */
export class ShiftfeedAnswerError extends ShiftfeedError {
  override name = 'ShiftfeedAnswerError';
}

/** The shifts changed while many pages were read: together they may lack a shift, or have one twice. */
export class ShiftfeedChangedError extends ShiftfeedError {
  override name = 'ShiftfeedChangedError';
}

/** `flaw` is the end of a sentence. It never quotes an answer: answers contain private data. */
export function unusable(status: number, flaw: string): ShiftfeedAnswerError {
  return new ShiftfeedAnswerError(`The answer cannot be used: ${flaw}.`, status);
}

const NO_ACCESS = [401, 403, 404];

/** The error that a status stands for. */
export function errorOfStatus(
  status: number,
  sentence: string,
  retryAfterSeconds: number | undefined,
): ShiftfeedError {
  if (NO_ACCESS.includes(status)) return new ShiftfeedAccessError(sentence, status);
  if (status === 429 || status >= 500)
    return new ShiftfeedUnavailableError(sentence, status, retryAfterSeconds);
  return new ShiftfeedError(sentence, status);
}
