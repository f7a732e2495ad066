/** How old the shifts of a board are, in words. */

import { type BoardWriter, writeUpdated } from '@shiftfeed/common/board';
import { DAY_MS, MINUTE_MS } from '@shiftfeed/common/days';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';

const HOUR_MS = 60 * MINUTE_MS;
/** Several answers in a row did not come: one that is late is no news. */
const OLD_MS = 3 * MINUTE_MS;

/** As of when old shifts are. It is the same for as long as they are not renewed. */
export function updatedAt(scene: Scene, asOfMs: number, writer: BoardWriter): string {
  return scene.nowMs - asOfMs < OLD_MS ? '' : writeUpdated(asOfMs, scene, writer);
}

/** "2 hours ago" */
export function agoOf(ageMs: number, { tag }: Language): string {
  const format = new Intl.RelativeTimeFormat(tag);
  if (ageMs < HOUR_MS) return format.format(-Math.floor(ageMs / MINUTE_MS), 'minute');
  if (ageMs < 2 * DAY_MS) return format.format(-Math.floor(ageMs / HOUR_MS), 'hour');
  return format.format(-Math.floor(ageMs / DAY_MS), 'day');
}
