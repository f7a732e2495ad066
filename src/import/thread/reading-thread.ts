/** The other side of read.ts: runs in a thread, and ends with the document. */

import { type MessagePort, workerData } from 'node:worker_threads';
import { parseDateFormat } from '../csv/date-format.ts';
import type { SheetOptions } from '../csv/read.ts';
import { readHere } from '../read-here.ts';
import { receiveAll, sendAll } from './flow.ts';
import { type PackedPart, packPart } from './packed-part.ts';

export interface ReadingTask {
  /** Where the bytes of the document come from. */
  readonly chunks: MessagePort;
  /** Where its parts go. */
  readonly parts: MessagePort;
  /** undefined: it is a JSON document. */
  readonly sheet:
    | (Omit<SheetOptions, 'dateFormat'> & {
        /** Its name, because functions cannot be sent. */
        readonly dateFormat: string | undefined;
      })
    | undefined;
}

/** Enough that the thread that stages them never waits. */
const MAX_PARTS_UNDER_WAY = 4;

async function* packedParts({ chunks, sheet }: ReadingTask): AsyncGenerator<PackedPart> {
  const options = sheet && {
    ...sheet,
    dateFormat: sheet.dateFormat === undefined ? undefined : parseDateFormat(sheet.dateFormat),
  };
  for await (const part of readHere(receiveAll<Uint8Array>(chunks), options)) yield packPart(part);
}

const task = workerData as ReadingTask;
await sendAll(task.parts, packedParts(task), MAX_PARTS_UNDER_WAY);
