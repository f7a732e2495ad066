/** A shift as a button in a list, with details that unfold. The same in all views. */

import { type Day, parseDate } from '@shiftfeed/common/days';
import { spanOf } from '@shiftfeed/common/zone';
import type { CalendarShift } from './answer.ts';
import { element } from './dom.ts';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import { daysOf, type Placed } from './placement.ts';

export function shiftRow(placed: Placed, scene: Scene): HTMLLIElement {
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

export type Mark = 'open' | 'cancelled' | 'starred' | 'noshow';

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
