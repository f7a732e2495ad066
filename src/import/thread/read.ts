/**
 * Reads a document in a separate thread, so that a large file is parsed and checked while earlier parts are staged. The
 * bytes come from this thread, because whoever opened the file can also tell why it cannot be read.
 */

import { MessageChannel, Worker } from 'node:worker_threads';
import type { DocumentPart } from '../document.ts';
import type { SheetOptions } from '../sheet/options.ts';
import { FlowBroken, receiveAll, sendAll } from './flow.ts';
import { type PackedPart, unpackPart } from './packed-part.ts';
import type { ReadingTask } from './reading-thread.ts';
import { ThreadEnded } from './thread-ended.ts';

/** Enough that the reading thread never waits for this one, which is blocked while it stages a part. */
const MAX_CHUNKS_UNDER_WAY = 8;
/** Parsed records are short-lived: a larger young generation only delays their collection. */
const YOUNG_GENERATION_MB = 6;

const READING_THREAD = new URL('./reading-thread.ts', import.meta.url);

export async function* readInThread(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
  script = READING_THREAD,
): AsyncGenerator<DocumentPart> {
  const chunks = new MessageChannel();
  const parts = new MessageChannel();
  const task: ReadingTask = {
    chunks: chunks.port2,
    parts: parts.port2,
    sheet,
  };
  const worker = new Worker(script, {
    workerData: task,
    transferList: [chunks.port2, parts.port2],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  let failure: unknown;
  worker.on('error', (error: Error) => {
    failure ??= new ThreadEnded(`the thread that reads it ended: ${error.message}`, { cause: error });
  });
  sendAll(chunks.port1, copiesOf(bytes), MAX_CHUNKS_UNDER_WAY, (chunk) => [chunk.buffer]).catch((error) => {
    failure ??= error;
    parts.port1.close();
  });
  try {
    for await (const part of receiveAll<PackedPart>(parts.port1)) yield unpackPart(part);
  } catch (error) {
    if (!(error instanceof FlowBroken)) throw error;
    // The reason is known only after the thread has ended.
    await worker.terminate();
    throw failure ?? new ThreadEnded('the thread that reads it ended');
  } finally {
    chunks.port1.close();
    await worker.terminate();
  }
}

/** Their memory may be shared with others, so only copies can be handed over. */
async function* copiesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
