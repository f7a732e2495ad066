/** Milliseconds since 1970. Always passed in, so that tests decide what time it is. */
export type Clock = () => number;

/** What runs later. A simulation passes in its own, to decide in which order that is. */
export interface Timers {
  /** Runs at the end of this turn of the event loop. */
  soon(run: () => void): void;
  /** Runs after some time, unless the function that is returned is called before. */
  after(delayMs: number, run: () => void): () => void;
}
