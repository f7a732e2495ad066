/** The other side of `readInThread`: runs in a thread, and reads one document after the other. */

import { type MessagePort, parentPort } from 'node:worker_threads';
import type { SheetTask } from '../../import/options.ts';
import { readParts } from '../../import/read.ts';
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

parentPort?.on('message', ({ chunks, parts, sheet }: ReadingTask) =>
  sendAll(parts, readParts(receiveAll(chunks), sheet), MAX_PARTS_UNDER_WAY),
);
