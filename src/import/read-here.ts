/** Reads a document in this thread. */

import { readSheet } from '@shiftfeed/sheets';
import { TABLES } from '../store/records.ts';
import type { DocumentPart } from './document.ts';
import { RECORD_FIELDS } from './fields.ts';
import type { SheetTask } from './options.ts';

/** Code that reads a format is loaded when it is needed: other commands start faster without it. */
export async function* readHere(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetTask | undefined,
): AsyncGenerator<DocumentPart> {
  if (sheet === undefined) {
    const { readDocument } = await import('./json/read.ts');
    yield* readDocument(bytes);
  } else {
    yield { account: sheet.account };
    for await (const part of readSheet(bytes, sheet, RECORD_FIELDS))
      yield 'problem' in part ? { problem: part.problem, hides: part.hidesRows ? TABLES : [] } : part;
  }
}
