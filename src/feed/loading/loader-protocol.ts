/** What loader.ts and its threads send to each other. */

import type { StoreFailureKind } from '../../store/failure.ts';
import type { ReaderOptions } from '../../store/open.ts';
import type { LoadedMonth, MonthToLoad } from './load-month.ts';
import type { LoadedPages, PagesToLoad } from './load-pages.ts';
import type { WholePage, WholePageToLoad } from './load-whole-page.ts';

/** Each kind of task: what is asked, and what it results in. */
export interface Tasks {
  pages: { request: PagesToLoad; result: LoadedPages | undefined };
  month: { request: MonthToLoad; result: LoadedMonth | undefined };
  wholePage: { request: WholePageToLoad; result: WholePage | undefined };
}

export type TaskKind = keyof Tasks;

export type LoaderTask = {
  [Kind in TaskKind]: { readonly id: number; readonly kind: Kind; readonly request: Tasks[Kind]['request'] };
}[TaskKind];

export interface LoaderReply {
  readonly id: number;
  readonly result?: Tasks[TaskKind]['result'];
  readonly failure?: { readonly kind: StoreFailureKind | undefined; readonly message: string };
}

/** The id of the reply that a thread sends by itself once it has started. */
export const STARTED = 0;

/** What a thread opens. */
export interface ThreadDatabase {
  readonly databaseUrl: string;
  readonly options: ReaderOptions;
}
