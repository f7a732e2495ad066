/** What is there: a calendar and a table, with what is not published or not active marked in words. */

import { ask, type Session, type Shift } from './ask.ts';
import { makeCalendar, marksOf } from './calendar.ts';
import { attempt, field, hush, more, section } from './controls.ts';
import { make } from './dom.ts';
import { makeTable } from './shift-table.ts';
import { TEXTS } from './texts.ts';
export type Slice = { shifts: readonly Shift[]; next?: string };

const SLICE = 200;
const { shifts: texts } = TEXTS;

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
