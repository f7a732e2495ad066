/** Keeps focus where it is while a pane is filled, and takes it to a day that is on its way. */

import type { Day } from '@shiftfeed/common/days';
import { dayOfStop, type Pane, type Scene, stopOf, stopsIn } from './pane.ts';

export type Focus = ReturnType<typeof keepFocus>;

export function keepFocus(shadow: ShadowRoot) {
  let wanted: { readonly day: Day; readonly group: number } | undefined;
  let isFilling = false;

  /**
   * Gives focus to what is wanted, if it is there. While the pane is being filled, only the day itself gets focus, unless nothing has it: then keys
   * would be lost.
   */
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
    /** Where focus goes when the day is there, if it is on its way. */
    wantedDay: (): Day | undefined => wanted?.day,
    want(day: Day, group: number): void {
      wanted = { day, group };
    },
    wantNothing(): void {
      wanted = undefined;
    },
    /** Fills a pane with a scene. */
    async fill(pane: Pane, scene: Scene, signal: AbortSignal): Promise<void> {
      let focused: HTMLElement | undefined;
      let name: string | undefined;
      /** Of the stop, if focus is on a link in them. */
      let details: Element | null | undefined;
      const follow = () => {
        const { activeElement } = shadow;
        details = activeElement?.closest('[part~="details"]');
        focused = stopOf(details?.previousElementSibling ?? activeElement);
        name = focused?.dataset.stop;
      };
      follow();
      // Focus may move meanwhile, to a day that is still being drawn and then replaced.
      shadow.addEventListener('focusin', follow, { signal });
      const work = inSlices(pane.update(scene), signal);
      const place = () => {
        for (const group of pane.groups) settleStops(group, scene.date);
        const isLost = focused !== undefined && (!focused.isConnected || focused.dataset.stop !== name);
        if (wanted === undefined && isLost) refocus(shadow, pane, focused as HTMLElement, name, details);
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

/** Focus was on something that is no longer there: it goes to what took its place. */
function refocus(
  shadow: ShadowRoot,
  { groups }: Pane,
  lost: HTMLElement,
  name: string | undefined,
  details: Element | null | undefined,
): void {
  const { activeElement } = shadow;
  if (activeElement !== null && activeElement !== lost) return;
  const same = groups.flatMap(stopsIn).find((stop) => stop.dataset.stop === name);
  const group = groups[0];
  const link = details && same?.nextElementSibling?.querySelector('a');
  (link || same || (group && nearestStop(group, dayOfStop(lost))))?.focus({ preventScroll: true });
}

/** Of each group of stops, one is in the tab order: the one that had focus last. Called when a stop has got focus. */
export function enterStop(group: HTMLElement, stop: HTMLElement): void {
  if (stop.tabIndex === 0) return;
  for (const other of group.querySelectorAll<HTMLElement>('[data-stop][tabindex="0"]')) other.tabIndex = -1;
  stop.tabIndex = 0;
}

/** Sees to it that a group can be entered, at a day if it has one. */
function settleStops(group: HTMLElement, day: Day): void {
  if (group.querySelector('[data-stop][tabindex="0"]') !== null) return;
  const stop = nearestStop(group, day);
  if (stop !== undefined) stop.tabIndex = 0;
}

/** The first stop of a day, or else of the next one that has any. */
function nearestStop(group: HTMLElement, day: Day): HTMLElement | undefined {
  const stops = stopsIn(group);
  return stops.find((stop) => dayOfStop(stop) >= day) ?? stops.at(-1);
}

const SLICE_MS = 8;

/**
 * Long work in short slices, between which the browser paints, scrolls and takes input. The first slice is done at once. Resolves when all is done, or when it
 * was given up.
 */
async function inSlices(steps: Iterator<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs) if (steps.next().done) return;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
  }
}
