/** The agenda, and how any run of days is updated and shifts unfold: lists and weeks consist of such days. */

import {
  daysOfList,
  drawDay,
  drawDetails,
  drawEmptyDay,
  drawRows,
  drawShift,
  stopName,
} from '@shiftfeed/common/calendar/day';
import type { Placed } from '@shiftfeed/common/calendar/range';
import type { CalendarShift } from '@shiftfeed/common/calendar/shift';
import type { Day } from '@shiftfeed/common/days';
import { element, make } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn, type View } from './pane.ts';

/**
 * What a section was made from: as long as this stays the same, the section stays, with its focus and scroll position.
 */
const prints = new WeakMap<Element, string>();

/**
 * Makes the children of an element the sections of these days, in steps. Sections that need no change stay in place.
 */
export function* updateSections(parent: HTMLElement, days: readonly Day[], scene: Scene): Generator<void> {
  const wanted = new Map(days.map((day) => [String(day), printOf(day, scene)]));
  const present = new Map<string, HTMLElement>();
  for (const section of [...parent.children] as HTMLElement[]) {
    const day = section.dataset.section ?? '';
    if (wanted.has(day)) present.set(day, section);
    else section.remove();
  }
  let next = parent.firstElementChild;
  for (const [day, print] of wanted) {
    const old = present.get(day);
    if (old !== undefined && prints.get(old) === print) {
      next = old.nextElementSibling;
      continue;
    }
    const section = make(drawDay(Number(day) as Day, scene));
    // A new day grows where it is. One that replaces another is filled first, so that nothing flickers.
    if (old === undefined) parent.insertBefore(section, next);
    yield* fillSection(section, Number(day) as Day, scene);
    // Only a whole section is marked: one whose drawing was given up is made anew.
    prints.set(section, print);
    if (old !== undefined) old.replaceWith(section);
    next = section.nextElementSibling;
  }
}

function printOf(day: Day, { days, today, isLoaded, timeZone, hasColours, maps }: Scene): string {
  const placed = days.get(day) ?? [];
  const isKnown = placed.length > 0 || isLoaded;
  return JSON.stringify([day === today, today - day > 0, isKnown, timeZone, hasColours, maps, placed]);
}

function* fillSection(section: HTMLElement, day: Day, scene: Scene): Generator<void> {
  const placed = scene.days.get(day) ?? [];
  // The browser lays out days when they come near the screen; until then it needs to know how tall they will be.
  section.style.setProperty('--_rows', String(Math.max(1, placed.length)));
  if (placed.length === 0) {
    section.append(make(drawEmptyDay(day, scene)));
    return;
  }
  const rows = make(drawRows(day));
  section.append(rows);
  for (const one of placed) {
    const row = make(drawShift(one, scene));
    const button = row.firstElementChild as HTMLElement;
    if (scene.unfolded.has(stopName(day, one.shift))) toggleDetails(button, one.shift, scene);
    rows.append(row);
    yield;
  }
}

/**
 * The shift that a button is for. It is found by its name, because grids come as another script, which shares no
 * variables with this one.
 */
export function placedOf({ dataset }: HTMLElement, { days }: Scene): Placed | undefined {
  const placed = days.get(Number(dataset.day) as Day);
  return placed?.find(({ shift, day }) => dataset.stop === stopName(day, shift));
}

/** Returns whether the details are seen now. */
export function toggleDetails(button: HTMLElement, shift: CalendarShift, scene: Scene): boolean {
  const isUnfolded = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isUnfolded));
  if (isUnfolded) button.nextElementSibling?.remove();
  else button.after(make(drawDetails(shift, scene)));
  return !isUnfolded;
}

const MANY_SHIFTS = 1000;

/** The agenda: the days that have shifts, and today, one below the other. */
export function openList(): View {
  const list = element('div', { part: 'list' });
  const pane: Pane = {
    element: list,
    groups: [list],
    update(scene) {
      const { days, today, range } = scene;
      // Days that are laid out when they come near the screen are a guess until then, which a short list can do without.
      list.toggleAttribute('data-long', countOf(days) > MANY_SHIFTS);
      return updateSections(list, daysOfList(days, today, range), scene);
    },
    move(key, stop, day, { today }) {
      const stops = stopsIn(list);
      const at = stops.indexOf(stop);
      const before = stops.findLast((other) => dayOfStop(other) < day);
      const targets: Readonly<Record<string, HTMLElement | Day | undefined>> = {
        ArrowDown: stops[at + 1],
        ArrowUp: stops[at - 1],
        Home: stops[0],
        End: stops.at(-1),
        PageDown: stops.find((other) => dayOfStop(other) > day),
        PageUp: before && stops.find((other) => dayOfStop(other) === dayOfStop(before)),
        t: today,
      };
      return targets[key];
    },
  };
  return { pane };
}

function countOf(days: Scene['days']): number {
  return [...days.values()].reduce((sum, { length }) => sum + length, 0);
}
