/** Brings what surrounds the pane up to date: title, dates and buttons. */

import { type Day, isoWeekOf } from '@shiftfeed/common/days';
import { setText } from './dom.ts';
import type { Holding } from './holding.ts';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import type { DayRange } from './placement.ts';
import { CHOSEN_VIEWS, type ViewName } from './range.ts';
import type { Shell } from './shell.ts';

export function showFrame(shell: Shell, view: ViewName, scene: Scene, holding: Holding | undefined): void {
  const { language, range, date, timeZone, isForeignZone } = scene;
  const { root, title, period, zone, previous, next, views, earlier, later, fallback } = shell;
  const { first = Number.NEGATIVE_INFINITY, last = Number.POSITIVE_INFINITY } = holding?.bounds ?? {};
  const name = holding?.title ?? '';
  const isList = view === 'list';
  const isGrid = view === 'week' || view === 'month';
  setText(title, name);
  root.setAttribute('aria-label', name === '' ? language.say('calendar') : name);
  setText(period, !isGrid ? '' : periodOf(view, range, date, language));
  setText(zone, isForeignZone ? language.say('zone', { zone: language.zone(timeZone) }) : '');
  for (const other of CHOSEN_VIEWS) views[other].setAttribute('aria-pressed', String(other === view));
  previous.hidden = !isGrid;
  next.hidden = !isGrid;
  if (isGrid) {
    previous.setAttribute('aria-label', language.say(`previous_${view}`));
    next.setAttribute('aria-label', language.say(`next_${view}`));
  }
  setDisabled(previous, range.from <= first);
  setDisabled(next, range.to >= last);
  earlier.hidden = !isList || holding === undefined || range.from <= first;
  later.hidden = !isList || holding === undefined || range.to >= last;
  fallback.hidden = holding !== undefined;
}

function periodOf(view: 'week' | 'month', { from, to }: DayRange, date: Day, language: Language): string {
  if (view === 'month') return language.date(date, 'month');
  const dates = language.dateRange(from, to);
  // ISO weeks begin on Mondays. Where weeks begin on another day, their numbers would be wrong.
  return language.firstWeekday === 1
    ? `${dates} · ${language.say('week_number', { number: isoWeekOf(from).week })}`
    : dates;
}

/** A button that has focus keeps it, so it must not be disabled altogether. */
function setDisabled(button: HTMLButtonElement, isDisabled: boolean): void {
  button.ariaDisabled = String(isDisabled);
}
