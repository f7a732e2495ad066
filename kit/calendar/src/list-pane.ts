/** The agenda: the days that have shifts, and today, one below the other. */

import type { Day } from '@shiftfeed/common/days';
import { updateSections } from './day-section.ts';
import { element } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn } from './pane.ts';

export function makeListPane(): Pane {
  const list = element('div', { part: 'list' });
  return {
    element: list,
    groups: [list],
    update: (scene) => updateSections(list, daysOfList(scene), scene),
    move(key, stop, day, { today }) {
      const stops = stopsIn(list);
      const at = stops.indexOf(stop);
      switch (key) {
        case 'ArrowDown':
          return stops[at + 1];
        case 'ArrowUp':
          return stops[at - 1];
        case 'Home':
          return stops[0];
        case 'End':
          return stops.at(-1);
        case 'PageDown':
          return stops.find((other) => dayOfStop(other) > day);
        case 'PageUp':
          return firstOfDay(
            stops,
            stops.findLast((other) => dayOfStop(other) < day),
          );
        case 't':
          return today;
        default:
          return undefined;
      }
    },
  };
}

function daysOfList({ days, today, range }: Scene): Day[] {
  const shown = [...days.keys()];
  // Today is shown even without shifts, unless there are no shifts at all.
  if (shown.length === 0 || today < range.from || today > range.to || days.has(today)) return shown;
  return [...shown, today].sort((a, b) => a - b);
}

function firstOfDay(stops: readonly HTMLElement[], one: HTMLElement | undefined): HTMLElement | undefined {
  return one && stops.find((other) => dayOfStop(other) === dayOfStop(one));
}
