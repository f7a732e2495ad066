/** What loader.ts and its threads tell each other. */

import type { StoreFailureKind } from '../store/failure.ts';
import type { Loaded, LoadRequest } from './load.ts';
import type { LoadedPage, PageRequest } from './load-page.ts';

export interface LoaderTask {
  readonly id: number;
  /** What to load: months, or a page that is made of them. */
  readonly request: LoadRequest | { readonly page: PageRequest };
}

export interface LoaderReply {
  readonly id: number;
  readonly loaded?: Loaded | LoadedPage | undefined;
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

/** The id of the reply that a thread sends by itself once it has started. */
export const STARTED = 0;
