/** The other side of loader.ts: runs in a thread, with a connection of its own. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { makeScratch } from '../../listing/build-month.ts';
import { bufferOf } from '../../listing/month.ts';
import { StoreFailure } from '../../store/failure.ts';
import { openReader } from '../../store/open.ts';
import { loadMonth } from './load-month.ts';
import { loadPages } from './load-pages.ts';
import { loadWholePage } from './load-whole-page.ts';
import { type LoaderReply, type LoaderTask, STARTED, type ThreadDatabase } from './loader-protocol.ts';

const scratch = makeScratch();
let opening: ReturnType<typeof openReader> | undefined;

/** Opened when it is first needed, and again after a failure. */
function store(): ReturnType<typeof openReader> {
  const { databaseUrl, options } = workerData as ThreadDatabase;
  opening ??= openReader(databaseUrl, options).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** Beside requests that are answered from memory, a load gets about a tenth of a core that both need. */
const NICENESS = 10;

/** Linux has priorities for threads; elsewhere threads are equal. */
function lowerPriority(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), NICENESS);
  } catch {}
}

lowerPriority();
// The first load then finds it open. If this fails, the next load tries again and reports the reason.
store()
  .catch(() => undefined)
  .then(() => parentPort?.postMessage({ id: STARTED } satisfies LoaderReply));

parentPort?.on('message', async (task: LoaderTask) => {
  try {
    const { result, buffers } = await run(task);
    parentPort?.postMessage({ id: task.id, result } satisfies LoaderReply, buffers);
  } catch (error) {
    const kind = error instanceof StoreFailure ? error.kind : undefined;
    const failure = { kind, message: error instanceof Error ? error.message : String(error) };
    parentPort?.postMessage({ id: task.id, failure } satisfies LoaderReply);
  }
});

/** The result, and the buffers in it, which are handed over and not copied. */
async function run(task: LoaderTask): Promise<{ result: LoaderReply['result']; buffers: ArrayBuffer[] }> {
  switch (task.kind) {
    case 'pages': {
      const result = await loadPages(await store(), task.request, scratch);
      return { result, buffers: result?.blocks.map(bufferOf) ?? [] };
    }
    case 'month': {
      const result = await loadMonth(await store(), task.request, scratch);
      return { result, buffers: result?.block ? [bufferOf(result.block)] : [] };
    }
    case 'wholePage': {
      const result = await loadWholePage(await store(), task.request, scratch);
      return { result, buffers: result ? [result.bytes.buffer] : [] };
    }
  }
}
