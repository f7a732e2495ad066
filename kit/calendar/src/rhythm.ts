/** When a calendar asks again by itself. */

import type { Supply } from './supply.ts';

/** What a calendar does when it is time. */
export interface Renewal {
  /** Shows what is held as it is now. */
  show(): void;
  refresh(): Promise<void>;
}

/** Goes on until the function that it gives is called. */
export type Rhythm = (supply: Supply, renewal: Renewal) => () => void;

/** A tab that is seen again is brought up to date when its shifts are older than this. */
const FRESH_MS = 60_000;
/** A tab that stays in sight is brought up to date this often. */
const REFRESH_MS = 10 * 60_000;

/** For somebody who reads, and may come back to the tab. */
export const readersRhythm: Rhythm = (supply, { refresh }) =>
  untilEnded(REFRESH_MS, () => {
    const isOld = Date.now() - (supply.holding()?.loadedMs ?? 0) >= FRESH_MS;
    if (!document.hidden && !supply.isLoading() && isOld) void refresh();
  });

/** Calls a function when the tab is seen, when the network is back, and every so often. */
export function untilEnded(everyMs: number, call: (event?: Event) => void): () => void {
  const timer = setInterval(call, everyMs);
  document.addEventListener('visibilitychange', call);
  window.addEventListener('online', call);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', call);
    window.removeEventListener('online', call);
  };
}
