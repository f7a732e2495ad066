/** The bytes of a document → its parts. Large documents are read in a thread. */

import type { DocumentPart } from './document.ts';
import { readHere } from './read-here.ts';
import type { SheetOptions } from './sheet/options.ts';

/** From this size on, a thread saves more than the 50 ms or so that it takes to start. */
const LARGE_DOCUMENT_BYTES = 4_000_000;

/** Without `sheet` options, the document is JSON. */
export async function* readParts(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
  largeBytes = LARGE_DOCUMENT_BYTES,
): AsyncGenerator<DocumentPart> {
  const { isLarger, all } = await lookAhead(bytes, largeBytes);
  if (!isLarger) return yield* readHere(all, sheet);
  const { readInThread } = await import('./thread/read.ts');
  yield* readInThread(all, sheet);
}

/** The size of standard input is unknown, so the beginning is read to see whether there is more. */
async function lookAhead(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): Promise<{ readonly isLarger: boolean; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const beginning: Uint8Array[] = [];
  let isLarger = false;
  for (let length = 0; !isLarger; isLarger = length >= size) {
    const { done, value } = await iterator.next();
    if (done) break;
    beginning.push(value);
    length += value.length;
  }
  async function* all() {
    yield* beginning;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { isLarger, all: all() };
}
