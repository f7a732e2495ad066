/**
 * A day with its shifts, and how a run of days is updated. Lists and weeks consist of such sections. A shift is a button
 * with details that unfold, the same in all views.
 */

import { type Day, formatDate, parseDate } from '@shiftfeed/common/days';
import { spanOf } from '@shiftfeed/common/zone';
import type { CalendarShift } from './answer.ts';
import { element } from './dom.ts';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import { daysOf, type Placed } from './range.ts';

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
    const stop = { 'data-stop': `${day}/`, 'data-day': String(day), tabindex: '-1' };
    section.append(element('p', { part: 'empty-day', 'aria-describedby': headingId(day), ...stop }, text));
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

function shiftRow(placed: Placed, scene: Scene): HTMLLIElement {
  const { shift, day } = placed;
  const { language } = scene;
  const key = stopName(day, shift);
  const marks = marksOf(shift);
  const [title = language.say('shift'), ...more] = namesOf(shift);
  const note = noteOf(placed, language);
  const button = element(
    'button',
    {
      part: ['shift', ...marks.map((mark) => `shift-${mark}`), groupPart(shift)].join(' '),
      type: 'button',
      tabindex: '-1',
      'aria-expanded': 'false',
      'data-stop': key,
      'data-day': String(day),
    },
    element('span', { part: 'time' }, timeOf(placed, language)),
    ' ',
    element(
      'span',
      { part: 'text' },
      element('bdi', { part: 'name' }, title),
      ...more.flatMap((name) => [' ', element('bdi', { part: 'detail' }, name)]),
      note !== undefined && ' ',
      note !== undefined && element('span', { part: 'detail' }, note),
    ),
    marks.length > 0 && ' ',
    marks.length > 0 &&
      element(
        'span',
        { part: 'marks' },
        ...marks.flatMap((mark) => [element('span', { part: `mark mark-${mark}` }, language.say(mark)), ' ']),
      ),
  );
  const row = element('li', { part: 'row' }, button);
  if (scene.unfolded.has(key)) toggleDetails(button, shift, scene);
  return row;
}

/**
 * The shift that a button is for. It is found by its name, because grids come as another script, which shares no
 * variables with this one.
 */
export function placedOf({ dataset }: HTMLElement, { days }: Scene): Placed | undefined {
  const placed = days.get(Number(dataset.day) as Day);
  return placed?.find(({ shift, day }) => dataset.stop === stopName(day, shift));
}

function stopName(day: Day, { id }: CalendarShift): string {
  return `${day}/${id}`;
}

/** Returns whether the details are seen now. */
export function toggleDetails(button: HTMLElement, shift: CalendarShift, scene: Scene): boolean {
  const isUnfolded = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isUnfolded));
  if (isUnfolded) button.nextElementSibling?.remove();
  else button.after(detailsOf(shift, scene));
  return !isUnfolded;
}

type Mark = 'open' | 'cancelled' | 'starred' | 'noshow';

/** What sets a shift apart. */
export function marksOf(shift: CalendarShift): Mark[] {
  const marks: [Mark, boolean][] = [
    ['cancelled', shift.cancelled === true],
    ['open', shift.open ?? shift.person === null],
    ['starred', shift.starred === true],
    ['noshow', shift.noshow === true],
  ];
  return marks.filter(([, isSo]) => isSo).map(([mark]) => mark);
}

/** The names that a shift goes by, the most telling one first. */
export function namesOf({ group, location, person }: CalendarShift): string[] {
  return [group?.name, location?.name, person?.name].filter(
    (name) => name !== undefined && name !== '',
  ) as string[];
}

/** The part by which a page gives a group its colour. */
export function groupPart({ group }: CalendarShift): string {
  return group === undefined || group === null ? '' : `group-${group.id}`;
}

/** The time of a shift on one of its days. */
export function timeOf({ shift, continues, goesOn }: Placed, language: Language): string {
  const start = language.time(shift.start_time);
  const end = language.time(shift.end_time);
  if (!continues) return `${start} – ${end}`;
  return goesOn ? language.say('all_day') : language.say('until', { time: end });
}

function noteOf({ shift, continues, goesOn }: Placed, language: Language): string | undefined {
  const { first, last } = daysOf(shift);
  if (continues) {
    const time = `${language.date(first, 'shortDate')}, ${language.time(shift.start_time)}`;
    return language.say('since', { time });
  }
  return goesOn ? language.say('until_day', { day: language.date(last, 'shortDate') }) : undefined;
}

function detailsOf(shift: CalendarShift, scene: Scene): HTMLElement {
  const { language, timeZone, isForeignZone } = scene;
  const first = parseDate(shift.date) as Day;
  const end = parseDate(shift.end_date) as Day;
  const { startMs, endMs } = spanOf(shift, timeZone);
  const until = end === first ? '' : `${language.date(end, 'fullDate')}, `;
  const when =
    `${language.date(first, 'fullDate')}, ${language.time(shift.start_time)} – ` +
    `${until}${language.time(shift.end_time)}`;
  // In the nights when clocks change, this is not the difference of the two times.
  const duration = language.hours(Math.round((endMs - startMs) / 36_000) / 100);
  const lines = [
    `${when} (${duration})`,
    isForeignZone && language.say('your_time', { time: language.instants(startMs, endMs) }),
    shift.location?.address,
    shift.remarks,
  ];
  return element(
    'div',
    { part: 'details' },
    ...lines.filter(Boolean).map((line) => element('p', { dir: 'auto' }, line)),
  );
}
