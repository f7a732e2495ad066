/** The calendar of the kit, which is given the shifts of the desk. */

import { ask, type Shift } from './ask.ts';
import { attempt, button } from './controls.ts';
import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

/** Loaded when it is wanted, from beside this script. */
const COMPONENT = './shift-calendar.js';
const DAY_MS = 86_400_000;
const { calendar: texts } = TEXTS;

export type Asked = { from: string; to: string; signal: AbortSignal };

export function makeCalendar(title: string, path: string, timeZone: string) {
  const view = matchMedia('(max-width: 40rem)').matches ? 'list' : 'month';
  const element = make('shift-calendar' as 'div', { view, locale: 'en-GB' });
  const heading = make('h3', { tabindex: '-1' }, title);
  const cut = make('p', { class: 'hint', role: 'status' });
  const source = async (asked: Asked) => {
    cut.textContent = '';
    const shifts = await readDays(asked);
    return { time_zone: timeZone, shifts: shifts.map(marked) };
  };

  /** Of days with more shifts than one answer holds, each half is asked for. */
  async function readDays({ from, to, signal }: Asked): Promise<Shift[]> {
    const days = `from=${from}&to=${to}`;
    const { shifts, more }: { shifts: Shift[]; more: boolean } = await ask('GET', `${path}?${days}`, {
      signal,
    });
    if (!more) return shifts;
    const [first, last] = [Date.parse(from) / DAY_MS, Date.parse(to) / DAY_MS];
    if (first === last) cut.textContent = texts.cut;
    if (first === last) return shifts;
    const middle = Math.floor((first + last) / 2);
    return [
      ...(await readDays({ from, to: dateOf(middle), signal })),
      ...(await readDays({ from: dateOf(middle + 1), to, signal })),
    ];
  }

  return {
    region: make('section', { class: 'beside', 'aria-label': title }, heading, cut, element),
    /** Where there is one column, it is a long way down. */
    link: button(title, () => heading.focus(), { class: 'link to-calendar' }),
    /** Asks for all shifts again, and begins at this day. */
    show(date: string) {
      attempt(async () => {
        await import(COMPONENT);
        element.setAttribute('date', date);
        Object.assign(element, { source });
      });
    },
  };
}

function dateOf(day: number) {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Words, because colours are not seen by all. */
export function marksOf({
  published,
  publish_date,
  active,
}: Shift): [kind: 'unpublished' | 'inactive', text: string][] {
  const marks: [kind: 'unpublished' | 'inactive', text: string][] = [];
  if (published === false) marks.push(['unpublished', texts.unpublishedBefore(publish_date)]);
  if (active === false) marks.push(['inactive', texts.inactiveGroup]);
  return marks;
}

/** A calendar has little room: whoever works comes first, and remarks are shown on demand. */
function marked({ person, ...shift }: Shift) {
  const words = marksOf({ person, ...shift }).map(([kind]) => texts[kind]);
  const names = [...(person === null ? [] : [person.name]), shift.group.name, ...words];
  return { ...shift, open: person === null, group: { ...shift.group, name: names.join(' · ') } };
}
