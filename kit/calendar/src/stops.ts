/** Of each group of stops, one is in the tab order: the one that had focus last. */

import type { Day } from '@shiftfeed/common/days';
import { dayOfStop, stopsIn } from './pane.ts';

/** Called when a stop has got focus. */
export function enterStop(group: HTMLElement, stop: HTMLElement): void {
  if (stop.tabIndex === 0) return;
  for (const other of group.querySelectorAll<HTMLElement>('[data-stop][tabindex="0"]')) other.tabIndex = -1;
  stop.tabIndex = 0;
}

/** Sees to it that a group can be entered, at a day if it has one. */
export function settleStops(group: HTMLElement, day: Day): void {
  if (group.querySelector('[data-stop][tabindex="0"]') !== null) return;
  const stop = nearestStop(group, day);
  if (stop !== undefined) stop.tabIndex = 0;
}

/** The first stop of a day, or else of the next one that has any. */
export function nearestStop(group: HTMLElement, day: Day): HTMLElement | undefined {
  const stops = stopsIn(group);
  return stops.find((stop) => dayOfStop(stop) >= day) ?? stops.at(-1);
}
