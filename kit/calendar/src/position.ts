/** Where the visitor is: which view, which day, and which days are seen. View and day are attributes of the element. */

import { type Day, formatDate, type IsoWeekday, parseDate } from '@shiftfeed/common/days';
import { dayIn } from '@shiftfeed/common/zone';
import type { Holding } from './holding.ts';
import type { DayRange } from './placement.ts';
import {
  CHOSEN_VIEWS,
  type ChosenView,
  rangeOfBoard,
  rangeOfGrid,
  startOfList,
  type ViewName,
} from './range.ts';
import { visitorZone } from './visitor-zone.ts';

export interface Position {
  view(): ViewName;
  /** The day that was chosen, or today. */
  date(): Day;
  /** Today where the shifts are. */
  today(): Day;
  /** That of the shifts, or else the visitor's. */
  timeZone(): string;
  /** The days that are seen. */
  range(): DayRange;
  /** The days to ask for. A board asks for more than it shows. */
  rangeToAsk(): DayRange;
  /** Lets the list show these days, or those that it begins with. */
  reach(days: DayRange | undefined): void;
  /** Goes to a day, and with it to the week or month that it is in. False if the source has nothing there. */
  goTo(day: Day): boolean;
  goToView(view: ChosenView): void;
}

export function makePosition(
  host: HTMLElement,
  holding: () => Holding | undefined,
  firstWeekday: () => IsoWeekday,
): Position {
  /** The days of the list, once it has grown. */
  let listRange: DayRange | undefined;
  const view = () =>
    ([...CHOSEN_VIEWS, 'now'] as const).find((name) => name === host.getAttribute('view')) ?? 'list';
  const timeZone = () => holding()?.timeZone ?? visitorZone();
  const today = () => dayIn(timeZone(), Date.now());
  const date = () => parseDate(host.getAttribute('date') ?? '') ?? today();

  /** Takes the visitor elsewhere, and tells the page if that is another view or another day. */
  function navigate(go: () => void): void {
    const place = () => ({ view: view(), date: formatDate(date()) });
    const before = JSON.stringify(place());
    go();
    const detail = place();
    if (JSON.stringify(detail) === before) return;
    host.dispatchEvent(new CustomEvent('shift-calendar-navigate', { detail, bubbles: true, composed: true }));
  }

  function isWithinBounds(day: Day): boolean {
    const name = view();
    if (name === 'list' || name === 'now') return true;
    const { from, to } = rangeOfGrid(name, day, firstWeekday());
    const { first = from, last = to } = holding()?.bounds ?? {};
    return to >= first && from <= last;
  }

  function range(): DayRange {
    const name = view();
    if (name === 'list') return listRange ?? startOfList(date());
    if (name === 'now') return { from: today(), to: today() };
    return rangeOfGrid(name, date(), firstWeekday());
  }

  return {
    view,
    date,
    today,
    timeZone,
    range,
    rangeToAsk: () => (view() === 'now' ? rangeOfBoard(today()) : range()),
    reach(days) {
      listRange = days;
    },
    goTo(day) {
      const isToday = day === today();
      if (!isToday && !isWithinBounds(day)) return false;
      navigate(() => (isToday ? host.removeAttribute('date') : host.setAttribute('date', formatDate(day))));
      return true;
    },
    goToView: (name) => navigate(() => host.setAttribute('view', name)),
  };
}
