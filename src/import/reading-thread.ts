/** The other side of `readInThread`: runs in a thread, and ends with the document. */

import { type MessagePort, workerData } from 'node:worker_threads';
import { packPart, type SentPart } from './document.ts';
import type { SheetTask } from './options.ts';
import { readHere } from './read-here.ts';
import { receiveAll, sendAll } from './streams.ts';

export interface ReadingTask {
  /** Where the bytes of the document come from. */
  readonly chunks: MessagePort;
  /** Where its parts go. */
  readonly parts: MessagePort;
  /** undefined: it is a JSON document. */
  readonly sheet: SheetTask | undefined;
}

/** Enough that the thread that stages them never waits. */
const MAX_PARTS_UNDER_WAY = 4;

async function* sentParts({ chunks, sheet }: ReadingTask): AsyncGenerator<SentPart> {
  for await (const part of readHere(receiveAll<Uint8Array>(chunks), sheet)) yield packPart(part);
}

const task = workerData as ReadingTask;
await sendAll(task.parts, sentParts(task), MAX_PARTS_UNDER_WAY);
