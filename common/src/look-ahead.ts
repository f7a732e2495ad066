/** Looking at the beginning of a stream, whatever it carries. */

export interface Beginning<T> {
  readonly first: readonly T[];
  /** Whether nothing follows, because the stream ended or failed. */
  readonly isAll: boolean;
  /** Why reading failed within the beginning. */
  readonly failure: { readonly error: unknown } | undefined;
  /** The stream from its beginning, as if nobody had looked. If it failed, it fails at the same place. */
  readonly all: AsyncGenerator<T>;
}

/** Reads a stream until `isEnough` is true of what was read last, and makes it readable from its beginning again. */
export async function lookAhead<T>(
  source: AsyncIterable<T>,
  isEnough: (last: T) => boolean,
): Promise<Beginning<T>> {
  const iterator = source[Symbol.asyncIterator]();
  const first: T[] = [];
  let isAll = false;
  let failure: Beginning<T>['failure'];
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      isAll = done === true;
      if (done) break;
      first.push(value);
      if (isEnough(value)) break;
    }
  } catch (error) {
    isAll = true;
    failure = { error };
  }
  async function* all(): AsyncGenerator<T> {
    try {
      yield* first;
      if (failure !== undefined) throw failure.error;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { first, isAll, failure, all: all() };
}
