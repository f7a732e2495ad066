/** What loader.ts and its threads send to each other. */

import type { StoreFailureKind } from '../../store/failure.ts';
import type { ReaderOptions } from '../../store/open.ts';
import type { LoadedPages, PagesToLoad } from './load-pages.ts';

export interface LoaderTask {
  readonly id: number;
  readonly request: PagesToLoad;
}

export interface LoaderReply {
  readonly id: number;
  readonly result?: LoadedPages | undefined;
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

/** The id of the reply that a thread sends by itself once it has started. */
export const STARTED = 0;

/** What a thread opens. */
export interface ThreadDatabase {
  readonly databaseUrl: string;
  readonly options: ReaderOptions;
}
