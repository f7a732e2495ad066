/** Shifts as a table, by day. */

import type { Shift } from '@shiftfeed/client';
import { make } from './dom.ts';

/** The columns: their titles, and what a shift has in them. */
const COLUMNS: readonly (readonly [title: string, contentOf: (shift: Shift) => (Node | string)[]])[] = [
  ['Time', timeOf],
  ['Group', ({ group }) => [make('span', { title: `Group ${group.id}` }, group.name)]],
  ['Person', ({ person }) => [person?.name ?? mark('open', 'Open')]],
  ['Location', ({ location }) => (location === null ? [] : [location.name, ...aside(location.address)])],
  ['Remarks', remarksOf],
  ['Published', ({ publish_date }) => [publish_date]],
  ['Id', ({ id }) => [String(id)]],
];

/** Columns with texts of users, whose words can be of any length. */
const BREAKABLE = ['Group', 'Person', 'Location', 'Remarks'];
/** Longer than a column is wide when all have long words. */
export const LONG_WORD = /\S{13}/;

const datesWith = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', timeZone: 'UTC', ...options });
const LONG_DATE = datesWith({ weekday: 'long', month: 'long', year: 'numeric' });
/** Such as Monday, 1 March 2027. */
export const longDate = (date: string) => LONG_DATE.format(new Date(date));
const SHORT_DATE = datesWith({ weekday: 'short', month: 'short' });

/** Roles are spelt out, because browsers take a table for none when a style sheet turns its rows into blocks, as ours does on phones. */
export function makeTable<S extends Shift>(
  shifts: readonly S[],
  marksOf: (shift: S) => readonly (readonly [kind: string, text: string])[] = () => [],
): HTMLTableElement {
  const titles = COLUMNS.map(([title]) =>
    make('th', { role: 'columnheader', scope: 'col', class: classOf(title) }, title),
  );
  const days = Map.groupBy(shifts, ({ date }) => date);
  return make(
    'table',
    { role: 'table', class: 'shifts', 'aria-label': 'Shifts' },
    make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...titles)),
    ...[...days].map(([date, ofDay]) => makeDay(date, ofDay, marksOf)),
  );
}

function makeDay<S extends Shift>(
  date: string,
  shifts: readonly S[],
  marksOf: (shift: S) => readonly (readonly [kind: string, text: string])[],
) {
  const heading = make(
    'th',
    { role: 'rowheader', scope: 'rowgroup', colspan: String(COLUMNS.length) },
    make('time', { datetime: date }, longDate(date)),
  );
  return make(
    'tbody',
    { role: 'rowgroup' },
    make('tr', { role: 'row', class: 'day' }, heading),
    ...shifts.map((shift) => makeRow(shift, marksOf(shift))),
  );
}

function makeRow(shift: Shift, marks: readonly (readonly [kind: string, text: string])[]) {
  const cells = COLUMNS.map(([title, contentOf]) => {
    const cell = make('td', { role: 'cell', class: classOf(title), 'data-title': title });
    if (title === 'Remarks') cell.append(...marks.map(([kind, text]) => mark(kind, text)));
    cell.append(...contentOf(shift));
    if (BREAKABLE.includes(title)) cell.classList.toggle('has-long-word', LONG_WORD.test(cell.textContent));
    return cell;
  });
  return make('tr', { role: 'row', ...(shift.cancelled ? { class: 'is-cancelled' } : {}) }, ...cells);
}

function classOf(title: string) {
  return `column-${title.toLowerCase()}`;
}

function timeOf({ date, start_time, end_time, end_date }: Shift) {
  const times = make('span', { class: 'times' }, `${start_time}–${end_time}`);
  return [times, ...aside(end_date === date ? '' : SHORT_DATE.format(new Date(end_date)))];
}

function aside(text: string) {
  return text === '' ? [] : [make('small', {}, ` ${text}`)];
}

function remarksOf({ remarks, starred, cancelled, noshow }: Shift) {
  return [
    ...(cancelled ? [mark('cancelled', 'Cancelled')] : []),
    ...(noshow ? [mark('noshow', 'No-show')] : []),
    ...(starred ? [mark('starred', '★ Starred')] : []),
    ...(remarks === '' ? [] : [make('span', { class: 'remarks' }, remarks)]),
  ];
}

function mark(kind: string, text: string) {
  return make('span', { class: `mark mark-${kind}` }, text);
}
