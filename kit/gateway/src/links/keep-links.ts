/**
 * Secret and numbers as they were last read. They are read again within `max_age`, while visitors wait, so that whoever
 * was given another link has lost the old one by then.
 */

import { within } from '../within.ts';
import type { Links } from './link-source.ts';

export interface LinksKeeper {
  /** Undefined while they cannot be read and were not for a day. */
  take(): Promise<Links | undefined>;
}

export interface LinksKeeperOptions {
  readonly read: () => Promise<Links>;
  readonly maxAgeSeconds: number;
  readonly clock: () => number;
  /** Called each time that they could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/** To read two small files costs little, so people need not wait for their new link longer than this. */
const MAX_AGE_SECONDS = 60;
/** As long as the last good copy of a feed. */
const MAX_FAILING_MS = 24 * 3_600_000;
/** Whoever waits for longer gets what there is. */
const READ_LIMIT_MS = 5_000;

export function keepLinks({ read, maxAgeSeconds, clock, onFailure }: LinksKeeperOptions): LinksKeeper {
  const pauseMs = Math.min(maxAgeSeconds, MAX_AGE_SECONDS) * 1000;
  let links: Links | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let attemptedMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  async function renew(nowMs: number): Promise<void> {
    attemptedMs = nowMs;
    try {
      const found = await read();
      // One that took so long that another was begun may be older than that.
      if (attemptedMs !== nowMs) return;
      links = found;
      readMs = nowMs;
    } catch (error) {
      tell(onFailure, error);
    }
  }

  return {
    async take() {
      const nowMs = clock();
      // A clock that was set back must not stop everything until it has caught up.
      if (nowMs - attemptedMs >= pauseMs || nowMs < attemptedMs) {
        const renewal = renew(nowMs).finally(() => {
          if (underWay === renewal) underWay = undefined;
        });
        underWay = renewal;
      }
      const waitMs = attemptedMs + READ_LIMIT_MS - nowMs;
      if (underWay !== undefined && waitMs > 0) await within(underWay, waitMs);
      return nowMs - readMs > MAX_FAILING_MS ? undefined : links;
    },
  };
}

/** What listens is the owner's. That it fails must not fail a visit. */
function tell(onFailure: LinksKeeperOptions['onFailure'], error: unknown): void {
  try {
    onFailure(error);
  } catch {
    // There is nobody else to tell.
  }
}
