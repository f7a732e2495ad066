/** Tries numbers one after the other, some of them at the same time, until the signal says stop. */
export async function atOnce(
  numbers: Iterable<number>,
  width: number,
  signal: AbortSignal,
  tryOne: (number: number) => Promise<void>,
): Promise<void> {
  const iterator = numbers[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done && !signal.aborted; next = iterator.next()) {
      await tryOne(next.value);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export function* numbersFrom(first: number, count: number): Generator<number> {
  for (let number = first; number < first + count; number++) yield number;
}
