/** Keeps focus where it is while a pane is filled, and takes it to a day that is on its way. */

import type { Day } from '@shiftfeed/common/days';
import { dayOfStop, type Pane, type Scene, stopOf, stopsIn } from './pane.ts';
import { inSlices } from './slices.ts';
import { nearestStop, settleStops } from './stops.ts';

export interface Focus {
  /** Where focus goes when the day is there, if it is on its way. */
  wantedDay(): Day | undefined;
  want(day: Day, group: number): void;
  wantNothing(): void;
  /** Fills a pane with a scene. */
  fill(pane: Pane, scene: Scene, signal: AbortSignal): Promise<void>;
  /** Gives focus to what is wanted, if it is there. */
  settle(pane: Pane, scene: Scene | undefined): void;
}

export function keepFocus(shadow: ShadowRoot): Focus {
  let wanted: { readonly day: Day; readonly group: number } | undefined;
  let isFilling = false;

  /** Focus was on something that is no longer there: it goes to what took its place. */
  function refocus({ groups }: Pane, lost: HTMLElement, name: string | undefined): void {
    const { activeElement } = shadow;
    if (activeElement !== null && activeElement !== lost) return;
    const same = groups.flatMap(stopsIn).find((stop) => stop.dataset.stop === name);
    const group = groups[0];
    (same ?? (group && nearestStop(group, dayOfStop(lost))))?.focus({ preventScroll: true });
  }

  /** While the pane is being filled, only the day itself gets focus, unless nothing has it: then keys would be lost. */
  function settle(pane: Pane, scene: Scene | undefined): void {
    if (wanted === undefined) return;
    const group = pane.groups[wanted.group];
    const stop = group && nearestStop(group, wanted.day);
    if (stop === undefined) return;
    const isThere = dayOfStop(stop) === wanted.day;
    if (isThere || !isFilling || shadow.activeElement === null) stop.focus();
    if (isThere || (!isFilling && scene?.isLoaded)) wanted = undefined;
  }

  return {
    wantedDay: () => wanted?.day,
    want(day, group) {
      wanted = { day, group };
    },
    wantNothing() {
      wanted = undefined;
    },
    async fill(pane, scene, signal) {
      let focused: HTMLElement | undefined;
      let name: string | undefined;
      const follow = () => {
        focused = stopOf(shadow.activeElement);
        name = focused?.dataset.stop;
      };
      follow();
      // Focus may move meanwhile, to a day that is still being drawn and then replaced.
      shadow.addEventListener('focusin', follow, { signal });
      const work = inSlices(pane.update(scene), signal);
      const place = () => {
        for (const group of pane.groups) settleStops(group, scene.date);
        const isLost = focused !== undefined && (!focused.isConnected || focused.dataset.stop !== name);
        if (wanted === undefined && isLost) refocus(pane, focused as HTMLElement, name);
        settle(pane, scene);
      };
      isFilling = true;
      place();
      await work;
      if (signal.aborted) return;
      isFilling = false;
      place();
    },
    settle,
  };
}
