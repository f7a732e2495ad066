/** The agenda: the days that have shifts, and today, one below the other. */

import { daysOfList } from '@shiftfeed/common/calendar/day';
import type { Day } from '@shiftfeed/common/days';
import { updateSections } from './day-section.ts';
import { element } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn, type View } from './pane.ts';

const MANY_SHIFTS = 1000;

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
