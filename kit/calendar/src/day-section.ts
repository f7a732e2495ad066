/** A day with its shifts, and how a run of days is updated. Lists and weeks consist of such sections. */

import { type Day, formatDate } from '@shiftfeed/common/days';
import { element } from './dom.ts';
import type { Scene } from './pane.ts';
import { shiftRow } from './shift-row.ts';

/**
 * What a section was made from: as long as this stays the same, the section stays, with its focus and scroll position.
 */
const prints = new WeakMap<Element, string>();

/**
 * Makes the children of an element the sections of these days, in steps. Sections that need no change stay in place.
 */
export function* updateSections(parent: HTMLElement, days: readonly Day[], scene: Scene): Generator<void> {
  const wanted = new Map(days.map((day) => [String(day), printOf(day, scene)]));
  const present = new Map<string, HTMLElement>();
  for (const section of [...parent.children] as HTMLElement[]) {
    const day = section.dataset.section ?? '';
    if (wanted.has(day)) present.set(day, section);
    else section.remove();
  }
  let next = parent.firstElementChild;
  for (const [day, print] of wanted) {
    const old = present.get(day);
    if (old !== undefined && prints.get(old) === print) {
      next = old.nextElementSibling;
      continue;
    }
    const section = makeSection(Number(day) as Day, scene);
    // A new day grows where it is. One that replaces another is filled first, so that nothing flickers.
    if (old === undefined) parent.insertBefore(section, next);
    yield* fillSection(section, Number(day) as Day, scene);
    // Only a whole section is marked: one whose drawing was given up is made anew.
    prints.set(section, print);
    if (old !== undefined) old.replaceWith(section);
    next = section.nextElementSibling;
  }
}

function printOf(day: Day, { days, today, isLoaded, timeZone }: Scene): string {
  const placed = days.get(day) ?? [];
  return JSON.stringify([day === today, today - day > 0, placed.length > 0 || isLoaded, timeZone, placed]);
}

function makeSection(day: Day, { language, today, days }: Scene): HTMLElement {
  const isToday = day === today;
  const isThisYear = formatDate(day).slice(0, 4) === formatDate(today).slice(0, 4);
  const section = element(
    'div',
    { part: ['day', isToday && 'day-today', day < today && 'day-past'].filter(Boolean).join(' ') },
    element(
      'h3',
      { part: 'day-heading', id: headingId(day), 'aria-current': isToday && 'date' },
      element('span', { part: 'weekday' }, language.date(day, 'weekday')),
      ' ',
      element('span', { part: 'date' }, language.date(day, isThisYear ? 'dayAndMonth' : 'date')),
      isToday && ' ',
      isToday && element('span', { part: 'today-mark' }, language.say('today')),
    ),
  );
  section.dataset.section = String(day);
  // The browser lays out days when they come near the screen; until then it needs to know how tall they will be.
  section.style.setProperty('--_rows', String(Math.max(1, days.get(day)?.length ?? 1)));
  return section;
}

function* fillSection(section: HTMLElement, day: Day, scene: Scene): Generator<void> {
  const placed = scene.days.get(day) ?? [];
  if (placed.length === 0) {
    const text = scene.isLoaded ? scene.language.say('empty_day') : '…';
    section.append(
      element(
        'p',
        {
          part: 'empty-day',
          tabindex: '-1',
          'aria-describedby': headingId(day),
          'data-stop': `${day}/`,
          'data-day': String(day),
        },
        text,
      ),
    );
    return;
  }
  const rows = element('ul', { part: 'rows', role: 'list', 'aria-labelledby': headingId(day) });
  section.append(rows);
  for (const one of placed) {
    rows.append(shiftRow(one, scene));
    yield;
  }
}

/** Lists are described by this heading, so that people who walk by keys hear which day it is. */
function headingId(day: Day): string {
  return `day-${day}`;
}
