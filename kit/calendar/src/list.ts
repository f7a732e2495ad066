/** The agenda: the days that have shifts, and today, one below the other. */

import type { Day } from '@shiftfeed/common/days';
import { updateSections } from './day-section.ts';
import { element } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn, type View } from './pane.ts';

export function openList(): View {
  const list = element('div', { part: 'list' });
  const pane: Pane = {
    element: list,
    groups: [list],
    update: (scene) => updateSections(list, daysOfList(scene), scene),
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

function daysOfList({ days, today, range }: Scene): Day[] {
  const shown = [...days.keys()];
  // Today is shown even without shifts, unless there are no shifts at all.
  if (shown.length === 0 || today < range.from || today > range.to || days.has(today)) return shown;
  return [...shown, today].sort((a, b) => a - b);
}
