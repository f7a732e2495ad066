/** Reads a document in this thread. */

import type { SheetOptions } from './csv/read.ts';
import type { DocumentPart } from './document.ts';

/** Code that reads a format is loaded when it is needed: other commands start faster without it. */
export async function* readHere(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
): AsyncGenerator<DocumentPart> {
  if (sheet === undefined) {
    const { readDocument } = await import('./json/read.ts');
    yield* readDocument(bytes);
  } else {
    const { readSheet } = await import('./csv/read.ts');
    yield* readSheet(bytes, sheet);
  }
}
