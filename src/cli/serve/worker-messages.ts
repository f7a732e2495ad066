/** What the primary process and its workers tell each other. */

import type { MetricObject } from 'prom-client';

export type PrimaryMessage =
  /** Comes with a connection; or with none, to ask whether the worker still answers. */
  | { readonly kind: 'offer'; readonly number: number }
  | { readonly kind: 'ask-metrics'; readonly question: number };

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** Why it cannot start, which the primary prints. */
  | { readonly kind: 'failure'; readonly sentence: string }
  /** Told before anything of the connection is read. */
  | { readonly kind: 'taken'; readonly number: number }
  /** Told by a worker that is about to end: it has not read anything. */
  | { readonly kind: 'declined'; readonly number: number }
  | { readonly kind: 'metrics'; readonly question: number; readonly metrics: readonly MetricObject[] };

/** In a worker. If the primary is gone, so is the worker in a moment. */
export function tellPrimary(message: WorkerMessage, onTold: () => void = () => undefined): void {
  process.send?.(message, undefined, {}, onTold);
}
