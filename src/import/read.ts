/** The bytes of a document → its parts. All but small texts are read in a thread. */

import type { DocumentPart } from './document.ts';
import { readHere } from './read-here.ts';
import type { SheetOptions } from './sheet/options.ts';

/**
 * A thread takes about 60 ms to start. It saves more than that from the first size on, and its work can be ended.
 * Smaller texts are read within a second, whatever is in them. A workbook is never small: it is compressed.
 */
const SMALL_DOCUMENT_BYTES = 4_000_000;
const SMALL_SHEET_BYTES = 100_000;

/** Without `sheet` options, the document is JSON. `stop` ends the work of a thread at once. */
export async function* readParts(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
  stop?: AbortSignal,
  smallBytes = sheet === undefined ? SMALL_DOCUMENT_BYTES : SMALL_SHEET_BYTES,
): AsyncGenerator<DocumentPart> {
  const { isLarger, isArchive, all } = await lookAhead(bytes, smallBytes);
  if (!isLarger && !isArchive) return yield* readHere(all, sheet);
  const { readInThread } = await import('./thread/read.ts');
  yield* readInThread(all, sheet, { stop });
}

/** The size of standard input is unknown, so the beginning is read to see whether there is more. */
async function lookAhead(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): Promise<{
  readonly isLarger: boolean;
  readonly isArchive: boolean;
  readonly all: AsyncIterable<Uint8Array>;
}> {
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
  const [first, second] = Buffer.concat(beginning.slice(0, 2));
  return { isLarger, isArchive: first === P && second === K, all: all() };
}

/** Archives begin with these letters. */
const [P, K] = Buffer.from('PK');
