/** What is there: a calendar and a table, with what is not published or not active marked in words. */

import { ask, type Session, type Shift } from './ask.ts';
import { attempt, button, field, hush, more, section } from './controls.ts';
import { make } from './dom.ts';
import { makeTable } from './shift-table.ts';
import { TEXTS } from './texts.ts';

type Slice = { shifts: readonly Shift[]; next?: string };

const SLICE = 200;
const { shifts: texts, calendar: words } = TEXTS;

export async function openShifts(panel: HTMLElement, { account }: Session) {
  const from = make('input', { type: 'date' });
  const to = make('input', { type: 'date' });
  from.value = account.today;
  const list = make('div', {});
  const calendar = makeCalendar(texts.calendar, 'api/shifts', account.time_zone);
  const show = () => showTable(list, from.value, to.value);
  for (const day of [from, to]) {
    day.addEventListener('change', () => {
      hush();
      attempt(show);
    });
  }
  const days = make('div', { class: 'row' }, field(TEXTS.from, from), field(TEXTS.to, to));
  const table = make(
    'section',
    { 'aria-label': texts.table },
    make('h3', {}, texts.table),
    calendar.link,
    days,
    list,
  );
  panel.replaceChildren(section(texts.title, make('div', { class: 'split' }, table, calendar.region)));
  calendar.show(account.today);
  await show();
}

function read(from: string, to: string, after?: string): Promise<Slice> {
  const days = `from=${from || '1000-01-01'}&to=${to || '9999-12-31'}`;
  return ask('GET', `api/shifts?${days}&limit=${SLICE}${after === undefined ? '' : `&after=${after}`}`);
}

async function showTable(list: HTMLElement, from: string, to: string) {
  const first = await read(from, to);
  let { next } = first;
  if (first.shifts.length === 0) return list.replaceChildren(make('p', {}, texts.none));
  list.replaceChildren(makeTable(first.shifts, marksOf));
  if (next === undefined) return;
  const rest = more(async () => {
    const slice = await read(from, to, next);
    next = slice.next;
    rest.before(makeTable(slice.shifts, marksOf));
    return next !== undefined;
  });
  list.append(rest);
}

/** Loaded when it is wanted, from beside this script. */
const COMPONENT = './shift-calendar.js';
const DAY_MS = 86_400_000;
type Asked = { from: string; to: string; signal: AbortSignal };

/** The calendar of the kit, which is given the shifts of the desk. */
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
    if (first === last) cut.textContent = words.cut;
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
function marksOf({
  published,
  publish_date,
  active,
}: Shift): [kind: 'unpublished' | 'inactive', text: string][] {
  const marks: [kind: 'unpublished' | 'inactive', text: string][] = [];
  if (published === false) marks.push(['unpublished', words.unpublishedBefore(publish_date)]);
  if (active === false) marks.push(['inactive', words.inactiveGroup]);
  return marks;
}

/** A calendar has little room: whoever works comes first, then what is told nowhere else. Remarks are shown on demand. */
function marked({ person, ...shift }: Shift) {
  const marks = marksOf({ person, ...shift }).map(([kind]) => words[kind]);
  const names = [...(person === null ? [] : [person.name]), ...marks, shift.group.name];
  return { ...shift, open: person === null, group: { ...shift.group, name: names.join(' · ') } };
}
