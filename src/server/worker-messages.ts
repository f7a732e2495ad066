/** The messages between the primary process and its workers. */

import type { MetricObject } from 'prom-client';

export type PrimaryMessage =
  /** Carries a connection, or nothing when the primary only asks whether the worker responds. */
  | { readonly kind: 'offer'; readonly number: number }
  | { readonly kind: 'ask-metrics'; readonly question: number };

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** Why the worker cannot start. The primary prints it. */
  | { readonly kind: 'failure'; readonly sentence: string }
  /** Sent before the worker reads from the connection. */
  | { readonly kind: 'taken'; readonly number: number }
  /** Sent by a worker that is stopping. It has read nothing from the connection. */
  | { readonly kind: 'declined'; readonly number: number }
  | { readonly kind: 'metrics'; readonly question: number; readonly metrics: readonly MetricObject[] };

/** In a worker. Errors are ignored: without its primary, a worker ends anyway. */
export function tellPrimary(message: WorkerMessage, onSent: () => void = () => undefined): void {
  process.send?.(message, undefined, {}, onSent);
}
