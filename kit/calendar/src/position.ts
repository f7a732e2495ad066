/** Where the visitor is: which view, which day, and which days are seen. View and day are attributes of the element. */

import {
  CHOSEN_VIEWS,
  type ChosenView,
  type DayRange,
  MAX_LIST_DAYS,
  rangeOfBoard,
  rangeOfGrid,
  startOfList,
  type ViewName,
} from '@shiftfeed/common/calendar/range';
import { type Day, formatDate, type IsoWeekday, parseDate } from '@shiftfeed/common/days';
import { dayIn } from '@shiftfeed/common/zone';
import { type Holding, withinBounds } from './holding.ts';

export type Position = ReturnType<typeof makePosition>;

export function makePosition(
  host: HTMLElement,
  holding: () => Holding | undefined,
  firstWeekday: () => IsoWeekday,
) {
  /** The days of the list, once it has grown. */
  let listRange: DayRange | undefined;
  /** Whether it begins with the day that was chosen, or with today, whichever day that is by now. */
  let isFromDate = true;
  const view = (): ViewName =>
    ([...CHOSEN_VIEWS, 'now'] as const).find((name) => name === host.getAttribute('view')) ?? 'list';
  /** That of the shifts, or else the visitor's. */
  const timeZone = () => holding()?.timeZone ?? visitorZone();
  /** Today where the shifts are. */
  const today = () => dayIn(timeZone(), Date.now());
  /** The day that was chosen, or today. */
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

  /** The days that are seen. */
  function range(day = date()): DayRange {
    const name = view();
    if (name === 'list') return rangeOfList(day);
    if (name === 'now') return { from: today(), to: today() };
    return rangeOfGrid(name, day, firstWeekday());
  }

  function rangeOfList(day: Day): DayRange {
    if (listRange === undefined) return startOfList(day);
    // Which day is today where the shifts are is only known with the shifts.
    if (!isFromDate || holding() === undefined) return listRange;
    const to = Math.min(listRange.to, day + MAX_LIST_DAYS);
    return { from: day, to: Math.max(to, startOfList(day).to) as Day };
  }

  return {
    view,
    date,
    today,
    timeZone,
    range,
    /** A board asks for more days than it shows. */
    rangeToAsk: () => (view() === 'now' ? rangeOfBoard(today()) : range()),
    /** Lets the list show these days, or those that it begins with. */
    reach(days: DayRange | undefined): void {
      listRange = days;
      isFromDate = holding() === undefined || days?.from === date();
    },
    /** Goes to a day, and with it to the week or month that it is in. False if the source has nothing there. */
    goTo(day: Day): boolean {
      const isToday = day === today();
      const isGrid = view() === 'week' || view() === 'month';
      const { from, to } = withinBounds(range(day), holding()?.bounds ?? {});
      if (!isToday && isGrid && from > to) return false;
      if (isToday) isFromDate = true;
      navigate(() => (isToday ? host.removeAttribute('date') : host.setAttribute('date', formatDate(day))));
      return true;
    },
    goToView: (name: ChosenView) => navigate(() => host.setAttribute('view', name)),
  };
}

export function visitorZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
