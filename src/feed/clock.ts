/** Milliseconds since 1970. Always passed in, so that tests decide what time it is. */
export type Clock = () => number;

/** Runs functions later. A simulation passes its own, to decide the order. */
export interface Timers {
  /** Runs at the end of this turn of the event loop. */
  soon(run: () => void): void;
  /** Runs after a delay, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void;
}

export const EVENT_LOOP: Timers = {
  soon(run) {
    setImmediate(run);
  },
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs);
    return () => clearTimeout(timeout);
  },
};
