/** Every wait of the client ends: by a result, by its deadline, or by the caller's signal. */

/** Runs something that takes a signal. If it takes too long, it fails with the error from `late`. */
export async function withDeadline<T>(
  run: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  late: () => Error,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let stop: (reason: unknown) => void = () => undefined;
  // A custom fetch may ignore its signal, so the deadline does not depend on it.
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const onAbort = () => stop(signal?.reason);
  const timer = setTimeout(() => stop(late()), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Cancels what was not read to its end.
    controller.abort();
  }
}

export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
