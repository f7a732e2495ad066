/** What is there: a calendar and a table, with what is not published or not active marked in words. */

import { ask } from './ask.js';
import { makeCalendar, marksOf } from './calendar.js';
import { attempt, field, hush, more, section } from './controls.js';
import { make } from './dom.js';
import { makeTable } from './shift-table.js';
import { TEXTS } from './texts.js';

/** @import { Session, Shift } from './ask.js' */
/** @typedef {{ shifts: readonly Shift[], next?: string }} Slice */

const SLICE = 200;
const { shifts: texts } = TEXTS;

/** @param {HTMLElement} panel @param {Session} session */
export async function openShifts(panel, { account }) {
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

/** @param {string} from @param {string} to @param {string} [after] @returns {Promise<Slice>} */
function read(from, to, after) {
  const days = `from=${from || '1000-01-01'}&to=${to || '9999-12-31'}`;
  return ask('GET', `api/shifts?${days}&limit=${SLICE}${after === undefined ? '' : `&after=${after}`}`);
}

/** @param {HTMLElement} list @param {string} from @param {string} to */
async function showTable(list, from, to) {
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
