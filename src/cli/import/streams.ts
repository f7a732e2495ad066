/** Passes streams to another thread, whatever they carry. */

import { on } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort, Transferable } from 'node:worker_threads';

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
