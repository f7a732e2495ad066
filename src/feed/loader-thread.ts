/** The other side of loader.ts: runs in a thread, with a connection of its own. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { bufferOf } from '../listing/month.ts';
import { StoreFailure } from '../store/failure.ts';
import { openReader } from '../store/open.ts';
import { load } from './load.ts';
import { loadPage } from './load-page.ts';
import { type LoaderReply, type LoaderTask, STARTED } from './loader-protocol.ts';

let opening: ReturnType<typeof openReader> | undefined;

/** Opened when it is first needed, and again after a failure. */
function store(): ReturnType<typeof openReader> {
  opening ??= openReader(workerData as string).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** Next to requests that can be answered from memory, a load gets about a tenth of a core that both need. */
const NICENESS = 10;

/** Linux has priorities for threads; elsewhere threads are equal. */
function giveWay(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), NICENESS);
  } catch {}
}

giveWay();
// The first load then finds it open. If this fails, the next load tries again, and tells why.
store()
  .catch(() => undefined)
  .then(() => reply({ id: STARTED }));

parentPort?.on('message', async ({ id, request }: LoaderTask) => {
  try {
    if ('page' in request) {
      const loaded = await loadPage(await store(), request.page);
      reply({ id, loaded }, loaded && [loaded.bytes.buffer]);
    } else {
      const loaded = await load(await store(), request);
      reply({ id, loaded }, loaded?.blocks.map(bufferOf));
    }
  } catch (error) {
    const kind = error instanceof StoreFailure ? error.kind : undefined;
    reply({ id, failure: { kind, message: error instanceof Error ? error.message : String(error) } });
  }
});

function reply(message: LoaderReply, buffers: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, buffers);
}
