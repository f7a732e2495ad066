/**
 * The secret and the numbers of personal links as they were last read. They are read again within `max_age`, while
 * visitors wait, so that the old link of somebody who was given another one stops working by then.
 */

import { within } from '../within.ts';
import type { Links } from './link-source.ts';

export interface LinksKeeper {
  /** Undefined if they could not be read for a day. */
  take(): Promise<Links | undefined>;
}

export interface LinksKeeperOptions {
  readonly read: () => Promise<Links>;
  readonly maxAgeSeconds: number;
  readonly clock: () => number;
  /** Called each time that they could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/** Reading two small files is cheap, so a new link works after this time at the latest. */
const MAX_AGE_SECONDS = 60;
/** As long as the last good copy of a feed is shown. */
const MAX_FAILING_MS = 24 * 3_600_000;
/** After this time, visitors get what was read before. */
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
      // A slow reading may be older than one that was started after it.
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
      // If the clock was set back, do not wait until it has caught up.
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

/** The listener belongs to the owner. If it fails, the visit must not fail. */
function tell(onFailure: LinksKeeperOptions['onFailure'], error: unknown): void {
  try {
    onFailure(error);
  } catch {
    // There is nobody else to tell.
  }
}
