/** The visitor's time zone, and how it compares with that of the shifts. */

import { DAY_MS } from '@shiftfeed/common/days';
import { offsetMs } from '@shiftfeed/common/zone';

export function visitorZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether clocks in both zones show the same time all year. */
export function isSameTime(one: string, other: string, nowMs: number): boolean {
  if (one === other) return true;
  const months = Array.from({ length: 13 }, (_, i) => nowMs + i * 30 * DAY_MS);
  return months.every((ms) => offsetMs(one, ms) === offsetMs(other, ms));
}
