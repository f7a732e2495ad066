/** Seven days side by side, or one below the other where there is little room. */

import { addDays, type Day } from '@shiftfeed/common/days';
import { updateSections } from './day-section.ts';
import { element } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn } from './pane.ts';

export function makeWeekPane(): Pane {
  const week = element('div', { part: 'week' });
  return {
    element: week,
    groups: [week],
    update: (scene) => updateSections(week, daysOfWeek(scene), scene),
    move(key, stop, day, { range, today }) {
      const ofDay = (other: Day) => stopsIn(week).filter((candidate) => dayOfStop(candidate) === other);
      const column = ofDay(day);
      const at = column.indexOf(stop);
      const beside = (other: Day) => {
        const stops = ofDay(other);
        return stops[Math.min(at, stops.length - 1)] ?? other;
      };
      switch (key) {
        case 'ArrowDown':
          return column[at + 1];
        case 'ArrowUp':
          return column[at - 1];
        case 'ArrowRight':
          return beside(addDays(day, 1));
        case 'ArrowLeft':
          return beside(addDays(day, -1));
        case 'Home':
          return beside(range.from);
        case 'End':
          return beside(range.to);
        case 'PageDown':
          return addDays(day, 7);
        case 'PageUp':
          return addDays(day, -7);
        case 't':
          return today;
        default:
          return undefined;
      }
    },
  };
}

function daysOfWeek({ range }: Scene): Day[] {
  return Array.from({ length: 7 }, (_, i) => addDays(range.from, i));
}
