/** What a view is, and the scene that it shows. The element requests and holds shifts; panes only show them. */

import type { Language } from '@shiftfeed/common/calendar/language';
import { placeShifts } from '@shiftfeed/common/calendar/range';
import type { Day } from '@shiftfeed/common/days';
import { isSameTime } from '@shiftfeed/common/zone';
import { type Filter, filterDays } from './filter.ts';
import { type Position, visitorZone } from './position.ts';
import type { Rhythm, Supply } from './supply.ts';

export type Scene = Readonly<ReturnType<typeof sceneNow>>;

/** Everything that is visible at this moment, of what is held. */
export function sceneNow(
  position: Position,
  supply: Supply,
  language: Language,
  unfolded: ReadonlySet<string>,
  filter: Filter,
  look: Look,
) {
  const range = position.range();
  const timeZone = position.timeZone();
  const nowMs = Date.now();
  const holding = supply.holding;
  const allDays = placeShifts(holding?.shifts ?? [], range);
  return {
    ...look,
    language,
    /** That of the shifts. */
    timeZone,
    nowMs,
    /** Clocks there show another time than those of the visitor. */
    isForeignZone: !isSameTime(timeZone, visitorZone(), nowMs),
    today: position.today(),
    /** The day that was chosen, or today. */
    date: position.date(),
    /** The days that are seen. */
    range,
    /** All that is held; the days that are seen are part of it. */
    holding,
    filter,
    /** What is held of the days that are seen, and what the visitor looks for among it. */
    allDays,
    days: filterDays(allDays, filter),
    /** False while shifts of some of these days are still being loaded. */
    isLoaded: supply.isHeld(range),
    /** Stops whose details are unfolded. */
    unfolded,
  };
}

/** What the page chose. */
export interface Look {
  readonly isPage: boolean;
  readonly hasColours: boolean;
  readonly maps: string | undefined;
}

export interface View {
  readonly pane: Pane;
  /** Beside the styles of the calendar. */
  readonly styles?: string;
  /** If it is another one than that of readers. */
  readonly rhythm?: Rhythm;
}

/**
 * A pane consists of stops, between which the arrow keys move. Each has its name in `data-stop` and its date in
 * `data-day`.
 */
export interface Pane {
  readonly element: HTMLElement;
  /** What stops are in. One stop of each group can be reached by the Tab key. */
  readonly groups: readonly HTMLElement[];
  /** Shows a scene in small steps, so that thousands of shifts never keep the browser from scrolling. */
  update(scene: Scene): Iterator<void>;
  /**
   * Where a key leads from a stop of a day: to another one, to a day that may lie outside of what is seen, or nowhere.
   * The day is another than that of the stop while focus is on its way there.
   */
  move(key: string, stop: HTMLElement, day: Day, scene: Scene): HTMLElement | Day | undefined;
}

export function stopsIn(element: HTMLElement): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>('[data-stop]')];
}

export function dayOfStop(stop: HTMLElement): Day {
  return Number(stop.dataset.day) as Day;
}

/** The stop that an element is, or is in. */
export function stopOf(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>('[data-stop]')) || undefined;
}
