/** How long a board waits before it asks again. */

import { MINUTE_MS } from '@shiftfeed/common/days';

/** Asking is cheap: the gateway answers from memory, and the browser from its cache while that is fresh. */
const RENEW_MS = MINUTE_MS;
const FIRST_RETRY_MS = 20_000;
const LAST_RETRY_MS = 5 * MINUTE_MS;

/** `jitter` is from 0 to 1: boards that lost the same gateway at the same moment do not come back at the same moment. */
export function pauseAfter(failures: number, jitter: number): number {
  if (failures === 0) return RENEW_MS * (1 + jitter / 4);
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)) * (1 - jitter / 2);
}
