/** What loader.ts and its threads tell each other. */

import type { StoreFailureKind } from '../store/failure.ts';
import type { Loaded, LoadRequest } from './load.ts';

export interface LoaderTask {
  readonly id: number;
  readonly request: LoadRequest;
}

export interface LoaderReply {
  readonly id: number;
  readonly loaded?: Loaded | undefined;
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

/** The id of the reply that a thread sends by itself once it has started. */
export const STARTED = 0;
