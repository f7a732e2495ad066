/**
 * Reads a document in a separate thread, so that a large file is parsed and checked while earlier parts are staged. The
 * bytes come from this thread, because whoever opened the file can also tell why it cannot be read.
 */

import { MessageChannel, Worker } from 'node:worker_threads';
import type { DocumentPart } from '../document.ts';
import { inFull } from '../sheet/cell.ts';
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

export interface ThreadOptions {
  /** Ends the thread at once, whatever it does. The reading then fails with the reason of the signal. */
  readonly stop?: AbortSignal | undefined;
  readonly script?: URL;
  readonly maxMemoryMb?: number;
  /** How long the thread may work on a part. The time in which it waits does not count. */
  readonly maxPartMs?: number;
}

/**
 * The limits are for files that nobody thought of. Reading a workbook of a million rows with as many names takes 350 MB,
 * and 3 seconds for its first rows.
 */
export async function* readInThread(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetOptions | undefined,
  { stop, script = READING_THREAD, maxMemoryMb = 1_000, maxPartMs = 120_000 }: ThreadOptions = {},
): AsyncGenerator<DocumentPart> {
  stop?.throwIfAborted();
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
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: maxMemoryMb },
  });
  let failure: unknown;
  const end = (why: unknown) => {
    failure ??= why;
    worker.terminate();
  };
  worker.on('error', (error: Error) => {
    failure ??= new ThreadEnded(whyEnded(error, maxMemoryMb), { cause: error });
  });
  const onStop = () => end(stop?.reason);
  stop?.addEventListener('abort', onStop);
  const work = watchWork(worker, maxPartMs, () => end(new ThreadEnded(tooLong(maxPartMs))));
  sendAll(chunks.port1, copiesOf(bytes), MAX_CHUNKS_UNDER_WAY, (chunk) => [chunk.buffer]).catch((error) => {
    failure ??= error;
    parts.port1.close();
  });
  try {
    for await (const part of receiveAll<PackedPart>(parts.port1)) {
      yield unpackPart(part);
      work.begin();
    }
  } catch (error) {
    if (!(error instanceof FlowBroken)) throw error;
    // The reason is known only after the thread has ended.
    await worker.terminate();
    throw failure ?? new ThreadEnded('the thread that reads it ended');
  } finally {
    work.end();
    stop?.removeEventListener('abort', onStop);
    chunks.port1.close();
    await worker.terminate();
  }
}

const LOOK_INTERVAL_MS = 1_000;

/** Calls `tell` if the thread works for longer than this on what began last. */
function watchWork(worker: Worker, maxMs: number, tell: () => void) {
  let beganAtMs = 0;
  const worked = () => worker.performance.eventLoopUtilization().active;
  const timer = setInterval(
    () => {
      if (worked() - beganAtMs > maxMs) tell();
    },
    Math.min(LOOK_INTERVAL_MS, maxMs),
  );
  return {
    begin() {
      beganAtMs = worked();
    },
    end: () => clearInterval(timer),
  };
}

function whyEnded(error: Error, maxMemoryMb: number): string {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory
    ? `it takes more than ${inFull(maxMemoryMb)} MB of memory: ${SMALLER}`
    : `the thread that reads it ended: ${error.message}`;
}

function tooLong(maxMs: number): string {
  return `it takes longer than ${inFull(maxMs / 1_000)} seconds to read on: ${SMALLER}`;
}

const SMALLER = 'save the rows and columns of the plan in a file of their own, and import that';

/** Their memory may be shared with others, so only copies can be handed over. */
async function* copiesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
