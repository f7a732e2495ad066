/**
 * Reads a document as a stream of checked parts. Some hundred kilobytes are in memory at a time, however large the
 * document is and in whichever order its keys come.
 */

import type { JsonPart } from '../document.ts';
import { Utf8Reader } from '../utf8.ts';
import { PartGathering } from './parts.ts';
import { BrokenText, JsonSplitter } from './splitter.ts';

/** If a document stops being UTF-8 or JSON, its parts end there. */
export async function* readDocument(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonPart> {
  const parts = new PartGathering();
  const splitter = new JsonSplitter(parts);
  const reader = new Utf8Reader();
  try {
    for await (const chunk of bytes) {
      const { text, isUtf8 } = reader.read(chunk);
      splitter.write(text);
      if (!isUtf8) splitter.fail(NOT_UTF_8);
      yield* parts.takeFull();
    }
    if (!reader.endsWell()) splitter.fail(NOT_UTF_8);
    splitter.end();
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    yield* parts.breakOff(error.message);
    return;
  }
  yield* parts.end();
}

const NOT_UTF_8 = 'is not UTF-8';
