/**
 * Keeps a file away from the process that imports it, so that one that was made to take all of its memory or time costs a
 * sentence, and `--watch` stops when it is told to. The desk has a process for each upload instead.
 */

import { addAbortListener } from 'node:events';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { lookAhead } from '@shiftfeed/common/look-ahead';
import { inFull } from '@shiftfeed/common/quote';
import type { DocumentPart } from '../../import/document.ts';
import type { SheetTask } from '../../import/options.ts';
import { ReaderEnded, readParts, SMALLER } from '../../import/read.ts';
import { startThread } from '../../install/files.ts';
import type { ReadingTask } from './reading-thread.ts';
import { FlowBroken, receiveAll, sendAll } from './streams.ts';

/** Such texts are read within a second, whatever is in them. A workbook is never small: it is compressed. */
const SMALL_DOCUMENT_BYTES = 4_000_000;
const SMALL_SHEET_BYTES = 100_000;

/** Without `sheet` options, the document is JSON. */
export async function* readIsolated(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetTask | undefined,
  stop?: AbortSignal,
  smallBytes = sheet === undefined ? SMALL_DOCUMENT_BYTES : SMALL_SHEET_BYTES,
): AsyncGenerator<DocumentPart> {
  let length = 0;
  // The size of standard input is unknown, so the beginning is read to see whether there is more.
  const { first, isAll, all } = await lookAhead(bytes, (chunk) => {
    length += chunk.length;
    return length >= smallBytes;
  });
  const isArchive = Buffer.concat(first.slice(0, 2)).toString('latin1', 0, 2) === 'PK';
  if (isAll && !isArchive) yield* readParts(all, sheet);
  else yield* readInThread(all, sheet, { stop });
}

/** Enough that the reading thread never waits for this one, which is blocked while it stages a part. */
const MAX_CHUNKS_UNDER_WAY = 8;
/** Parsed records are short-lived: a larger young generation only delays their collection. */
const YOUNG_GENERATION_MB = 6;

const READING_THREAD = new URL('./reading-thread.ts', import.meta.url);
/** A thread that has read more is not kept: it may hold much memory. */
const MAX_BYTES_OF_SPARE = 1_000_000;

interface Thread {
  readonly worker: Worker;
  /** Why it ended of itself. */
  failure?: ReaderEnded;
}

/** Has read a file to its end, and waits for the next: what would solve the problems of a sheet is tried several times. */
let spare: Thread | undefined;

export interface ThreadOptions {
  /** Ends the thread at once, whatever it does. The reading then fails with the reason of the signal. */
  readonly stop?: AbortSignal | undefined;
  readonly script?: URL;
  readonly maxMemoryMb?: number | undefined;
  /** How long the thread may work on a part. The time in which it waits does not count. */
  readonly maxPartMs?: number;
}

/**
 * Reads a document in a separate thread, which can be ended whatever it does. The bytes come from this thread, because
 * whoever opened the file can also tell why it cannot be read.
 *
 * The limits are for files that nobody thought of. Reading a workbook of a million rows with as many names takes 350 MB,
 * and 3 seconds for its first rows.
 */
export async function* readInThread(
  bytes: AsyncIterable<Uint8Array>,
  sheet: SheetTask | undefined,
  { stop, script = READING_THREAD, maxMemoryMb = 1_000, maxPartMs = 120_000 }: ThreadOptions = {},
): AsyncGenerator<DocumentPart> {
  stop?.throwIfAborted();
  const thread = takeThread(script, maxMemoryMb);
  const { worker } = thread;
  const chunks = new MessageChannel();
  const parts = new MessageChannel();
  const task: ReadingTask = { chunks: chunks.port2, parts: parts.port2, sheet };
  worker.postMessage(task, [chunks.port2, parts.port2]);
  let failure: unknown;
  const end = (why: unknown) => {
    failure ??= why;
    worker.terminate();
  };
  using _stopping = stop && addAbortListener(stop, () => end(stop.reason));
  const workedMs = () => worker.performance.eventLoopUtilization().active;
  let beganAtMs = workedMs();
  using _looking = setInterval(
    () => {
      if (workedMs() - beganAtMs > maxPartMs) end(new ReaderEnded(tooLong(maxPartMs)));
    },
    Math.min(LOOK_INTERVAL_MS, maxPartMs),
  );
  let length = 0;
  /** Their memory may be shared with others, so only copies can be handed over. */
  async function* copies(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const chunk of bytes) {
      length += chunk.length;
      yield new Uint8Array(chunk);
    }
  }
  sendAll(chunks.port1, copies(), MAX_CHUNKS_UNDER_WAY, (chunk) => [chunk.buffer]).catch((error) => {
    failure ??= error;
    parts.port1.close();
  });
  let isRead = false;
  try {
    for await (const part of receiveAll<DocumentPart>(parts.port1)) {
      yield part;
      beganAtMs = workedMs();
    }
    isRead = failure === undefined;
  } catch (error) {
    if (!(error instanceof FlowBroken)) throw error;
    // The reason is known only after the thread has ended.
    await worker.terminate();
    throw failure ?? thread.failure ?? new ReaderEnded('the thread that reads it ended');
  } finally {
    chunks.port1.close();
    if (isRead && script === READING_THREAD && length <= MAX_BYTES_OF_SPARE) keep(thread);
    else await worker.terminate();
  }
}

function takeThread(script: URL, maxMemoryMb: number): Thread {
  if (script === READING_THREAD && spare !== undefined) {
    const kept = spare;
    spare = undefined;
    kept.worker.ref();
    // One that has ended has no number.
    if (kept.failure === undefined && kept.worker.threadId !== -1) return kept;
  }
  const worker = startThread(script, {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: maxMemoryMb },
  });
  const thread: Thread = { worker };
  worker.on('error', (error: Error) => {
    thread.failure = new ReaderEnded(whyEnded(error, maxMemoryMb), { cause: error });
  });
  return thread;
}

/** Does not hold up the end of the process. */
function keep(thread: Thread): void {
  spare?.worker.terminate();
  thread.worker.unref();
  spare = thread;
}

const LOOK_INTERVAL_MS = 1_000;

function whyEnded(error: Error, maxMemoryMb: number): string {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory
    ? `it takes more than ${inFull(maxMemoryMb)} MB of memory: ${SMALLER}`
    : `the thread that reads it ended: ${error.message}`;
}

function tooLong(maxMs: number): string {
  return `it takes longer than ${inFull(maxMs / 1_000)} seconds to read on: ${SMALLER}`;
}
