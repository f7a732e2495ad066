/**
 * A day with its shifts, in lists and weeks. A shift unfolds its details: in a browser a button does, and without scripts
 * the element that is made for it.
 */

import { type Day, formatDate, parseDate } from '../days.ts';
import { spanOf } from '../zone.ts';
import { type Drawing, draw } from './drawing.ts';
import type { Language } from './language.ts';
import { daysOf, type Placed } from './range.ts';
import { type CalendarShift, groupParts, marksOf, namesOf } from './shift.ts';

/** What is seen, as far as days depend on it. */
/** The map to which addresses lead, unless a page chose another: an address is appended to it. */
export const MAP = 'https://www.openstreetmap.org/search?query=';

export interface Sight {
  readonly language: Language;
  /** That of the shifts. */
  readonly timeZone: string;
  /** Clocks there show another time than those of the visitor. */
  readonly isForeignZone: boolean;
  readonly today: Day;
  readonly days: ReadonlyMap<Day, readonly Placed[]>;
  /** False while shifts of some of these days are still being loaded. */
  readonly isLoaded: boolean;
  /** The page is about nothing else: its heading is the title of the calendar. */
  readonly isPage: boolean;
  /** Groups have colours. */
  readonly hasColours: boolean;
  /** The address of a map, to which an address is appended. */
  readonly maps: string | undefined;
}

export function drawDay(day: Day, { language, today, isPage }: Sight, ...children: Drawing[]): Drawing {
  const isToday = day === today;
  const isThisYear = formatDate(day).slice(0, 4) === formatDate(today).slice(0, 4);
  const heading = draw(
    isPage ? 'h2' : 'h3',
    { part: 'day-heading', id: headingId(day), 'aria-current': isToday && 'date' },
    draw('span', { part: 'weekday' }, language.date(day, 'weekday')),
    ' ',
    draw('span', { part: 'date' }, language.date(day, isThisYear ? 'dayAndMonth' : 'date')),
    isToday && ' ',
    isToday && draw('span', { part: 'today-mark' }, language.say('today')),
  );
  const part = ['day', isToday && 'day-today', day < today && 'day-past'].filter(Boolean).join(' ');
  return draw('div', { part, 'data-section': String(day) }, heading, ...children);
}

/** The days that a list shows: those that have shifts, and today, unless there are no shifts at all. */
export function daysOfList(
  days: Sight['days'],
  today: Day,
  range: { readonly from: Day; readonly to: Day },
): Day[] {
  const shown = [...days.keys()];
  if (shown.length === 0 || today < range.from || today > range.to || days.has(today)) return shown;
  return [...shown, today].sort((a, b) => a - b);
}

export function drawEmptyDay(day: Day, { language, isLoaded }: Sight): Drawing {
  const stop = { 'data-stop': `${day}/`, 'data-day': String(day), tabindex: '-1' };
  const attributes = { part: 'empty-day', 'aria-describedby': headingId(day), ...stop };
  return draw('p', attributes, isLoaded ? language.say('empty_day') : '…');
}

/** Shifts are put into it. */
export function drawRows(day: Day, ...children: Drawing[]): Drawing {
  return draw('ul', { part: 'rows', role: 'list', 'aria-labelledby': headingId(day) }, ...children);
}

/** Lists are described by this heading, so that people who walk by keys hear which day it is. */
function headingId(day: Day): string {
  return `day-${day}`;
}

/** A shift that a script unfolds. */
export function drawShift(placed: Placed, sight: Sight): Drawing {
  const { attributes, children } = drawFace(placed, sight);
  const button = { ...attributes, type: 'button', tabindex: '-1', 'aria-expanded': 'false' };
  return draw('li', { part: 'row' }, draw('button', button, ...children));
}

/** A shift that unfolds without a script. */
export function drawPlainShift(placed: Placed, sight: Sight): Drawing {
  const { attributes, children } = drawFace(placed, sight);
  const details = draw(
    'details',
    {},
    draw('summary', attributes, ...children),
    drawDetails(placed.shift, sight),
  );
  return draw('li', { part: 'row' }, details);
}

/** What is seen of a shift before it is unfolded. */
function drawFace(placed: Placed, { language, hasColours }: Sight): Drawing {
  const { shift, day } = placed;
  const marks = marksOf(shift);
  const [title = language.say('shift'), ...more] = namesOf(shift);
  const note = noteOf(placed, language);
  return draw(
    '',
    {
      part: ['shift', ...marks.map((mark) => `shift-${mark}`), groupParts(shift.group, hasColours)].join(' '),
      'data-stop': stopName(day, shift),
      'data-day': String(day),
    },
    draw('span', { part: 'time' }, timeOf(placed, language)),
    ' ',
    draw(
      'span',
      { part: 'text' },
      draw('bdi', { part: 'name' }, title),
      ...more.flatMap((name) => [' ', draw('bdi', { part: 'detail' }, name)]),
      note !== undefined && ' ',
      note !== undefined && draw('span', { part: 'detail' }, note),
    ),
    marks.length > 0 && ' ',
    marks.length > 0 &&
      draw(
        'span',
        { part: 'marks' },
        ...marks.flatMap((mark) => [draw('span', { part: `mark mark-${mark}` }, language.say(mark)), ' ']),
      ),
  );
}

export function stopName(day: Day, { id }: CalendarShift): string {
  return `${day}/${id}`;
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

export function drawDetails(shift: CalendarShift, sight: Sight): Drawing {
  const { language, timeZone, isForeignZone } = sight;
  const first = parseDate(shift.date) as Day;
  const end = parseDate(shift.end_date) as Day;
  const { startMs, endMs } = spanOf(shift, timeZone);
  const until = end === first ? '' : `${language.date(end, 'fullDate')}, `;
  const when =
    `${language.date(first, 'fullDate')}, ${language.time(shift.start_time)} – ` +
    `${until}${language.time(shift.end_time)}`;
  // In the nights when clocks change, this is not the difference of the two times.
  const duration = language.hours(Math.round((endMs - startMs) / 36_000) / 100);
  const published = parseDate(shift.publish_date ?? '');
  const lines = [
    `${when} (${duration})`,
    isForeignZone && language.say('your_time', { time: language.instants(startMs, endMs) }),
    drawAddress(shift, sight),
    shift.remarks,
    published !== undefined && language.say('published', { date: language.date(published, 'date') }),
  ];
  const isThere = (line: (typeof lines)[number]) => line !== undefined && line !== false && line !== '';
  return draw(
    'div',
    { part: 'details' },
    ...lines.filter(isThere).map((line) => draw('p', { dir: 'auto' }, line)),
  );
}

/** Of a character that was cut in two, which an address of the web cannot hold. */
const LONE_HALF = /\p{Surrogate}/gu;

/** It leads to a map, if there is one. Nothing is loaded from there before somebody goes there. */
function drawAddress({ location }: CalendarShift, { maps }: Sight): Drawing | string | undefined {
  const address = location?.address;
  if (maps === undefined || address === undefined || address === '') return address;
  const href = maps + encodeURIComponent(address.replaceAll(LONE_HALF, '\ufffd'));
  return draw('a', { part: 'map', href, target: '_blank', rel: 'noopener noreferrer' }, address);
}
