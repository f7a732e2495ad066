/** Reads a document in this thread. */

import type { DocumentPart } from './document.ts';
import type { SheetOptions } from './sheet/options.ts';

/** Code that reads a format is loaded when it is needed: other commands start faster without it. */
export async function* readHere(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
): AsyncGenerator<DocumentPart> {
  if (sheet === undefined) {
    const { readDocument } = await import('./json/read.ts');
    yield* readDocument(bytes);
  } else {
    const { readSheet } = await import('./sheet/read.ts');
    yield* readSheet(bytes, sheet);
  }
}
