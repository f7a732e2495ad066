/** What the visitor does: clicks and keys on buttons, days and shifts. */

import { CHOSEN_VIEWS, turnPage } from '@shiftfeed/common/calendar/range';
import type { Day } from '@shiftfeed/common/days';
import { placedOf, toggleDetails } from './day-section.ts';
import type { Filter } from './filter.ts';
import type { Focus } from './focus.ts';
import { enterStop } from './focus.ts';
import { dayOfStop, type Pane, type Scene, stopOf } from './pane.ts';
import type { Position } from './position.ts';
import type { Shell } from './shell.ts';

/** The calendar, as far as it can be used. */
export interface Usable {
  readonly host: HTMLElement;
  readonly shell: Shell;
  readonly position: Position;
  readonly focus: Focus;
  readonly unfolded: Set<string>;
  readonly filter: Filter;
  pane(): Pane | undefined;
  scene(): Scene;
  goTo(day: Day): void;
  grow(isAtEnd: boolean): void;
  show(): void;
  sayCopied(isCopied: boolean): void;
  retry(): void;
}

export function listen(calendar: Usable): void {
  const { shell, position, focus } = calendar;
  const { root, body } = shell;
  const onClick: Readonly<Record<string, (button: HTMLElement) => void>> = {
    previous: (button) => goPages(calendar, button, -1),
    next: (button) => goPages(calendar, button, 1),
    today() {
      if (position.view() === 'list') focus.want(position.today(), 0);
      calendar.goTo(position.today());
    },
    ...Object.fromEntries(CHOSEN_VIEWS.map((name) => [`view-${name}`, () => position.goToView(name)])),
    earlier: () => calendar.grow(false),
    later: () => calendar.grow(true),
    retry: () => calendar.retry(),
    copy: () => void copyAddress(calendar),
    'legend-group': (button) => chooseGroup(calendar, Number(button.dataset.group)),
  };
  root.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('button[part~="button"]');
    for (const name of button?.part ?? []) onClick[name]?.(button as HTMLElement);
  });
  shell.find('search').addEventListener('input', ({ target }) => {
    calendar.filter.text = (target as HTMLInputElement).value;
    calendar.show();
  });
  shell.find('subscribe').addEventListener('toggle', () => calendar.sayCopied(false));
  body.addEventListener('click', (event) => choose(calendar, event));
  body.addEventListener('keydown', (event) => pressKey(calendar, event));
  body.addEventListener('focusin', ({ target }) => {
    const group = calendar.pane()?.groups.find((group) => group.contains(target as Node));
    const stop = stopOf(target);
    if (group !== undefined && stop !== undefined) enterStop(group, stop);
  });
}

/** Chooses a group of the legend, or lets it go. */
function chooseGroup({ filter, scene, show }: Usable, id: number): void {
  const shifts = [...scene().allDays.values()].flat().map(({ shift }) => shift);
  const group = shifts.find((shift) => shift.group?.id === id)?.group;
  if (!filter.groups.delete(id) && group) filter.groups.set(id, group);
  show();
}

/** Where a page may not copy, because it was not loaded by https, the address is selected. */
async function copyAddress({ shell, sayCopied }: Usable): Promise<void> {
  const address = shell.find('subscribe-address');
  try {
    await navigator.clipboard.writeText(address.textContent ?? '');
    sayCopied(true);
  } catch {
    getSelection()?.selectAllChildren(address);
  }
}

function goPages({ position, goTo }: Usable, button: HTMLElement, pages: number): void {
  const view = position.view();
  if (view !== 'list' && view !== 'now' && button.ariaDisabled !== 'true')
    goTo(turnPage(view, position.date(), pages));
}

/** A click, or Enter, on a shift or on a day. */
function choose({ host, focus, unfolded, scene, goTo }: Usable, event: MouseEvent): void {
  const stop = stopOf(event.target);
  const seen = scene();
  if (stop === undefined) return;
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
  if (stop === undefined || !isPlain) return;
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
