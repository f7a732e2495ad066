/** What is done with streams, whatever they carry: looking at the beginning, and passing them to another thread. */

import { on } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort, Transferable } from 'node:worker_threads';

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

/** The end of the values has no value. */
type Message<T> = { readonly value: T } | 'end';

/**
 * Passes values to another thread. Only a few are in transit at a time, so a slow receiver slows down the sender, and
 * memory stays bounded. Returns when all values were sent, or when the other side has closed the port.
 */
export async function sendAll<T>(
  port: MessagePort,
  values: AsyncIterable<T>,
  maxUnderWay: number,
  handedOver: (value: T) => Transferable[] = () => [],
): Promise<void> {
  const answers = on(port, 'message', { close: ['close'] });
  let underWay = 0;
  for await (const value of values) {
    port.postMessage({ value } satisfies Message<T>, handedOver(value));
    underWay++;
    if (underWay < maxUnderWay) continue;
    // The receiver acknowledges each value.
    const { done } = await answers.next();
    if (done) return;
    underWay--;
  }
  port.postMessage('end' satisfies Message<T>);
}

/** Throws FlowBroken when the port closes before the end. A receiver that stops early closes the port. */
export async function* receiveAll<T>(port: MessagePort): AsyncGenerator<T> {
  try {
    for await (const [message] of on(port, 'message', { close: ['close'] }) as AsyncIterable<[Message<T>]>) {
      if (message === 'end') return;
      yield message.value;
      port.postMessage('taken');
      // If many values are waiting here, other work of this thread gets its turn between them.
      await nextTurn();
    }
    throw new FlowBroken();
  } finally {
    port.close();
  }
}

export class FlowBroken extends Error {}
