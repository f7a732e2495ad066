/**
 * The panes that are grids, loaded when one of them is first asked for. A week is seven days side by side, or one below the
 * other where there is little room. A month is a table of days, with the shifts of the chosen day below it.
 */

import { timeOf } from '@shiftfeed/common/calendar/day';
import type { Placed } from '@shiftfeed/common/calendar/range';
import { groupParts, marksOf, namesOf } from '@shiftfeed/common/calendar/shift';
import { addDays, addMonths, type Day, firstOfMonth } from '@shiftfeed/common/days';
import { updateSections } from './day-section.ts';
import { element } from './dom.ts';
import { dayOfStop, type Pane, type Scene, stopsIn, type View } from './pane.ts';
import { GRID_STYLES } from './styles.ts';

export function openGrid(name: 'week' | 'month'): View {
  return { pane: name === 'week' ? makeWeekPane() : makeMonthPane(), styles: GRID_STYLES };
}

function makeWeekPane(): Pane {
  const week = element('div', { part: 'week' });
  return {
    element: week,
    groups: [week],
    update: (scene) => updateSections(week, daysSeen(scene), scene),
    move(key, stop, day, { range, today }) {
      const ofDay = (other: Day) => stopsIn(week).filter((candidate) => dayOfStop(candidate) === other);
      const column = ofDay(day);
      const at = column.indexOf(stop);
      const beside = (other: Day) => {
        const stops = ofDay(other);
        return stops[Math.min(at, stops.length - 1)] ?? other;
      };
      const targets: Readonly<Record<string, HTMLElement | Day | undefined>> = {
        ArrowDown: column[at + 1],
        ArrowUp: column[at - 1],
        ArrowRight: beside(addDays(day, 1)),
        ArrowLeft: beside(addDays(day, -1)),
        Home: beside(range.from),
        End: beside(range.to),
        PageDown: addDays(day, 7),
        PageUp: addDays(day, -7),
        t: today,
      };
      return targets[key];
    },
  };
}

function daysSeen({ range }: Scene): Day[] {
  return Array.from({ length: range.to - range.from + 1 }, (_, i) => addDays(range.from, i));
}

/** How many shifts of a day a cell tells of. The others are counted. */
const MAX_CHIPS = 3;

function makeMonthPane(): Pane {
  const weekdays = element('tr');
  const weeks = element('tbody');
  const table = element('table', { part: 'month-grid', role: 'grid' }, element('thead', {}, weekdays), weeks);
  const chosen = element('div', { part: 'chosen-day' });
  const printed = new WeakMap<Element, string>();

  function* update(scene: Scene): Generator<void> {
    const { language, date } = scene;
    table.setAttribute('aria-label', language.date(date, 'month'));
    weekdays.replaceChildren(...weekdayCells(scene));
    const days = daysSeen(scene);
    const rows = days.length / 7;
    while (weeks.rows.length > rows) weeks.deleteRow(-1);
    while (weeks.rows.length < rows) weeks.append(makeRow());
    const cells = [...weeks.querySelectorAll('td')];
    // Days come before what is in them, so that keys lead to the right ones from the start. Buttons stay, and focus with them.
    for (const [i, cell] of cells.entries()) nameDay(cell, days[i] as Day, scene);
    for (const [i, cell] of cells.entries()) {
      const day = days[i] as Day;
      const print = printOfCell(day, scene);
      if (printed.get(cell) === print) continue;
      printed.set(cell, print);
      fillDay(cell.firstElementChild as HTMLButtonElement, day, scene);
      yield;
    }
    yield* updateSections(chosen, [date], scene);
  }

  return {
    element: element('div', { part: 'month' }, table, chosen),
    groups: [table, chosen],
    update,
    move: moveInMonth(table, chosen),
  };
}

function moveInMonth(table: HTMLElement, chosen: HTMLElement): Pane['move'] {
  return (key, stop, day, scene) => {
    const cellOf = (other: Day) => stopsIn(table).find((cell) => dayOfStop(cell) === other) ?? other;
    if (chosen.contains(stop)) {
      const rows = stopsIn(chosen);
      if (key === 'ArrowDown') return rows[rows.indexOf(stop) + 1];
      if (key === 'ArrowUp') return rows[rows.indexOf(stop) - 1] ?? cellOf(day);
      if (key === 'Escape') return cellOf(day);
    }
    const column = (day - scene.range.from) % 7;
    const targets: Readonly<Record<string, HTMLElement | Day>> = {
      ArrowRight: cellOf(addDays(day, 1)),
      ArrowLeft: cellOf(addDays(day, -1)),
      ArrowDown: cellOf(addDays(day, 7)),
      ArrowUp: cellOf(addDays(day, -7)),
      Home: cellOf(addDays(day, -column)),
      End: cellOf(addDays(day, 6 - column)),
      PageDown: addMonths(day, 1),
      PageUp: addMonths(day, -1),
      t: scene.today,
    };
    return targets[key];
  };
}

/** Longer names do not fit where a month is as wide as a phone. */
const MAX_SHORT_WEEKDAY = 4;

function weekdayCells(scene: Scene): HTMLElement[] {
  const { language } = scene;
  const days = daysSeen(scene).slice(0, 7);
  const isLong = days.some((day) => language.date(day, 'shortWeekday').length > MAX_SHORT_WEEKDAY);
  return days.map((day) => {
    const short = language.date(day, 'shortWeekday');
    return element(
      'th',
      { part: 'weekday-name', scope: 'col', abbr: language.date(day, 'weekday') },
      isLong ? element('span', { 'data-form': 'short' }, short) : short,
      isLong && element('span', { 'data-form': 'narrow' }, language.date(day, 'narrowWeekday')),
    );
  });
}

function makeRow(): HTMLTableRowElement {
  const cells = Array.from({ length: 7 }, () =>
    element(
      'td',
      { role: 'gridcell' },
      element('button', { part: 'day-button', type: 'button', tabindex: '-1' }),
    ),
  );
  return element('tr', {}, ...cells);
}

function nameDay(cell: HTMLTableCellElement, day: Day, scene: Scene): void {
  cell.ariaSelected = String(day === scene.date);
  cell.setAttribute('part', cellParts(day, scene));
  const button = cell.firstElementChild as HTMLButtonElement;
  if (button.dataset.day === String(day)) return;
  button.dataset.stop = button.dataset.day = String(day);
  // Another day is in the tab order only if it has focus.
  if (!button.matches(':focus')) button.tabIndex = -1;
}

function isInMonth(day: Day, { date }: Scene): boolean {
  return firstOfMonth(day) === firstOfMonth(date);
}

function printOfCell(day: Day, scene: Scene): string {
  const { today, isLoaded, days, hasColours } = scene;
  return JSON.stringify([day, day === today, isInMonth(day, scene), isLoaded, hasColours, days.get(day)]);
}

function cellParts(day: Day, scene: Scene): string {
  return ['cell', day === scene.today && 'cell-today', !isInMonth(day, scene) && 'cell-outside']
    .filter(Boolean)
    .join(' ');
}

/** Read aloud, it is the date and how many shifts there are. They are read when the day is chosen. */
function fillDay(button: HTMLButtonElement, day: Day, scene: Scene): void {
  const { language, today, days, isLoaded } = scene;
  // What ends in the night is told last: the shifts of the day itself matter more.
  const placed = [...(days.get(day) ?? [])].sort((a, b) => Number(a.continues) - Number(b.continues));
  const isToday = day === today;
  const count = placed.length === 0 ? language.say('empty_day') : language.countShifts(placed.length);
  const spoken = [language.date(day, 'longDate'), isToday && language.say('today'), isLoaded && count];
  const chips = placed.slice(0, placed.length > MAX_CHIPS ? MAX_CHIPS - 1 : MAX_CHIPS);
  const rest = placed.length - chips.length;
  button.ariaCurrent = isToday ? 'date' : null;
  button.replaceChildren(
    element('span', { part: 'spoken' }, spoken.filter(Boolean).join(', ')),
    element(
      'span',
      { part: 'seen', 'aria-hidden': 'true' },
      element('span', { part: 'day-number' }, language.date(day, 'dayOfMonth')),
      ...chips.map((one) => chip(one, scene)),
      rest > 0 && element('span', { part: 'more' }, language.say('more', { count: rest })),
      placed.length > 0 && element('span', { part: 'count' }, language.number(placed.length)),
    ),
  );
}

function chip(placed: Placed, { language, hasColours }: Scene): HTMLElement {
  const { shift, continues } = placed;
  const [name = language.say('shift')] = namesOf(shift);
  const marks = marksOf(shift).map((mark) => `chip-${mark}`);
  const time = continues ? timeOf(placed, language) : language.time(shift.start_time);
  return element(
    'span',
    { part: ['chip', ...marks, groupParts(shift.group, hasColours)].join(' ') },
    element('span', { part: 'chip-time' }, time),
    ' ',
    element('bdi', { part: 'chip-name' }, name),
  );
}
