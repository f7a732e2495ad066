/** The other side of loader.ts: runs in a thread, with a connection of its own. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { makeScratch } from '../../listing/build-month.ts';
import { bufferOf } from '../../listing/month.ts';
import { StoreFailure, type StoreFailureKind } from '../../store/failure.ts';
import { NO_CONNECTIONS, type PoolCounts } from '../../store/feed-store.ts';
import { openReader, type ReaderOptions } from '../../store/open.ts';
import { type LoadedPages, loadPages, type PagesToLoad } from './load-pages.ts';

/** What a thread opens. */
export interface ThreadDatabase {
  readonly databaseUrl: string;
  readonly options: ReaderOptions;
}

export type LoaderTask =
  | { readonly id: number; readonly request: PagesToLoad }
  /** Asks for the counts of the pool. */
  | 'count-pool';

export interface LoaderReply {
  /** Left out of counts, and of the reply that a thread sends by itself once it has started. */
  readonly id?: number;
  readonly pool?: PoolCounts;
  readonly result?: LoadedPages | undefined;
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

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

/** Where a load and requests from memory compete for a core, the load gets about a tenth of it. */
const NICENESS = 10;

/** Linux has priorities for threads; elsewhere threads are equal. */
function lowerPriority(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), NICENESS);
  } catch {}
}

lowerPriority();
// Opened early, so that the first load need not wait. If this fails, the next load tries again and reports the reason.
store()
  .catch(() => undefined)
  .then(async (opened) => {
    parentPort?.postMessage({} satisfies LoaderReply);
    // Only a question connects to PostgreSQL. No account has an empty name.
    await opened?.read('', async () => undefined);
  })
  .catch(() => undefined);

parentPort?.on('message', async (task: LoaderTask) => {
  if (task === 'count-pool') {
    const opened = await opening?.catch(() => undefined);
    return parentPort?.postMessage({ pool: opened?.poolCounts?.() ?? NO_CONNECTIONS } satisfies LoaderReply);
  }
  const { id, request } = task;
  try {
    const result = await loadPages(await store(), request, scratch);
    // Transferred, not copied.
    const buffers = result?.blocks.map(bufferOf) ?? [];
    parentPort?.postMessage({ id, result } satisfies LoaderReply, buffers);
  } catch (error) {
    const kind = error instanceof StoreFailure ? error.kind : undefined;
    const failure = { kind, message: error instanceof Error ? error.message : String(error) };
    parentPort?.postMessage({ id, failure } satisfies LoaderReply);
  }
});
