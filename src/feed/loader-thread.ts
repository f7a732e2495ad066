/** The other side of loader.ts: runs in a thread, with a connection of its own. */

import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../listing/month.ts';
import { StoreFailure, type StoreFailureKind } from '../store/failure.ts';
import { openReader } from '../store/open.ts';
import { type Loaded, type LoadRequest, loadMonths } from './load.ts';

export interface LoaderTask {
  readonly id: number;
  readonly request: LoadRequest;
}

export interface LoaderReply {
  readonly id: number;
  readonly loaded?: Loaded | undefined;
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

let opening: ReturnType<typeof openReader> | undefined;

/** Opened when it is first needed, and again after a failure. */
function store(): ReturnType<typeof openReader> {
  opening ??= openReader(workerData as string).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

parentPort?.on('message', async ({ id, request }: LoaderTask) => {
  try {
    const loaded = await loadMonths(await store(), request);
    reply({ id, loaded }, loaded?.blocks.flatMap(buffersOf));
  } catch (error) {
    const kind = error instanceof StoreFailure ? error.kind : undefined;
    reply({ id, failure: { kind, message: error instanceof Error ? error.message : String(error) } });
  }
});

function reply(message: LoaderReply, buffers: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, buffers);
}
