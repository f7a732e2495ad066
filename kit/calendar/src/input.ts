/** What the visitor does: clicks and keys on buttons, days and shifts. */

import type { Day } from '@shiftfeed/common/days';
import { placedOf, toggleDetails } from './day-section.ts';
import type { Focus } from './focus.ts';
import { enterStop } from './focus.ts';
import { dayOfStop, type Pane, type Scene, stopOf } from './pane.ts';
import type { Position } from './position.ts';
import { CHOSEN_VIEWS, turnPage } from './range.ts';
import type { Shell } from './shell.ts';

/** The calendar, as far as it can be used. */
export interface Usable {
  readonly host: HTMLElement;
  readonly shell: Shell;
  readonly position: Position;
  readonly focus: Focus;
  readonly unfolded: Set<string>;
  pane(): Pane | undefined;
  scene(): Scene | undefined;
  goTo(day: Day): void;
  grow(isAtEnd: boolean): void;
  retry(): void;
}

export function listen(calendar: Usable): void {
  const { shell, position, focus } = calendar;
  const { body, previous, today, next, views, earlier, later, status, endStatus } = shell;
  previous.addEventListener('click', () => goPages(calendar, previous, -1));
  next.addEventListener('click', () => goPages(calendar, next, 1));
  today.addEventListener('click', () => {
    if (position.view() === 'list') focus.want(position.today(), 0);
    calendar.goTo(position.today());
  });
  for (const name of CHOSEN_VIEWS) views[name].addEventListener('click', () => position.goToView(name));
  earlier.addEventListener('click', () => calendar.grow(false));
  later.addEventListener('click', () => calendar.grow(true));
  for (const { retry } of [status, endStatus]) retry.addEventListener('click', () => calendar.retry());
  body.addEventListener('click', (event) => choose(calendar, event));
  body.addEventListener('keydown', (event) => pressKey(calendar, event));
  body.addEventListener('focusin', ({ target }) => {
    const group = calendar.pane()?.groups.find((group) => group.contains(target as Node));
    const stop = stopOf(target);
    if (group !== undefined && stop !== undefined) enterStop(group, stop);
  });
}

function goPages({ position, goTo }: Usable, button: HTMLButtonElement, pages: number): void {
  const view = position.view();
  if (view !== 'list' && view !== 'now' && button.ariaDisabled !== 'true')
    goTo(turnPage(view, position.date(), pages));
}

/** A click, or Enter, on a shift or on a day. */
function choose({ host, focus, unfolded, scene, goTo }: Usable, event: MouseEvent): void {
  const stop = stopOf(event.target);
  const seen = scene();
  if (stop === undefined || seen === undefined) return;
  const placed = placedOf(stop, seen);
  if (placed === undefined) {
    if (!stop.part.contains('day-button')) return;
    // A click by key has the count 0.
    if (event.detail === 0) focus.want(dayOfStop(stop), 1);
    goTo(dayOfStop(stop));
    return;
  }
  const init = { detail: placed.shift, bubbles: true, composed: true, cancelable: true };
  if (!host.dispatchEvent(new CustomEvent('shift-select', init))) return;
  const key = stop.dataset.stop ?? '';
  if (toggleDetails(stop, placed.shift, seen)) unfolded.add(key);
  else unfolded.delete(key);
}

function pressKey({ focus, pane, scene, goTo }: Usable, event: KeyboardEvent): void {
  const stop = stopOf(event.target);
  const seen = scene();
  const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
  if (stop === undefined || seen === undefined || !isPlain) return;
  const key = keyTowards(event.key, seen.language.direction);
  const target = pane()?.move(key, stop, focus.wantedDay() ?? dayOfStop(stop), seen);
  if (target === undefined) return;
  event.preventDefault();
  if (typeof target !== 'number') {
    focus.wantNothing();
    target.focus();
  } else {
    focus.want(target, 0);
    goTo(target);
  }
}

const MIRRORED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** Keys by where they lead: "right" is forward, also where forward is left. */
function keyTowards(key: string, direction: 'ltr' | 'rtl'): string {
  if (key === 'T') return 't';
  return direction === 'rtl' ? (MIRRORED[key] ?? key) : key;
}
