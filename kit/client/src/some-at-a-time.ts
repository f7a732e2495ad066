/** Runs something for each item, so many at a time. After a failure none begins, and it ends when those under way have. */
export async function someAtATime<T>(
  items: readonly T[],
  atATime: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = inTurn(items);
  const work = async () => {
    // All share the queue. Leaving the loop by an error ends it for all.
    for (const item of queue) await run(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atATime }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function* inTurn<T>(items: readonly T[]): Generator<T, void> {
  yield* items;
}
