/** Shifts as a table, day by day. */

import { make } from './dom.js';

/** @typedef {import('./listing.js').Shift} Shift */

/** The columns: their titles, and what a shift has in them. */
const COLUMNS = /** @type {const} */ ([
  ['Time', timeOf],
  [
    'Group',
    (/** @type {Readonly<Shift>} */ { group }) => [make('span', { title: `Group ${group.id}` }, group.name)],
  ],
  ['Person', (/** @type {Readonly<Shift>} */ { person }) => [person?.name ?? mark('open', 'Open')]],
  ['Location', locationOf],
  ['Remarks', remarksOf],
  ['Published', (/** @type {Readonly<Shift>} */ { publish_date }) => [publish_date]],
  ['Id', (/** @type {Readonly<Shift>} */ { id }) => [String(id)]],
]);

/** Columns with texts of users, whose words can be of any length. @type {readonly string[]} */
const BREAKABLE = ['Group', 'Person', 'Location', 'Remarks'];
/** Longer than a column is wide when all have long words. */
const LONG_WORD = /\S{13}/;

const LONG_DATE = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const SHORT_DATE = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/**
 * Roles are spelt out, because browsers take a table for none when a style sheet turns its rows into blocks, as ours does on phones.
 *
 * @param {readonly Readonly<Shift>[]} shifts
 * @returns {HTMLTableElement}
 */
export function makeTable(shifts) {
  const titles = COLUMNS.map(([title]) =>
    make('th', { role: 'columnheader', scope: 'col', class: classOf(title) }, title),
  );
  const days = Map.groupBy(shifts, ({ date }) => date);
  return make(
    'table',
    { role: 'table', 'aria-label': 'Shifts' },
    make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...titles)),
    ...[...days].map(([date, ofDay]) => makeDay(date, ofDay)),
  );
}

/**
 * @param {string} date
 * @param {readonly Readonly<Shift>[]} shifts
 */
function makeDay(date, shifts) {
  const heading = make(
    'th',
    { role: 'rowheader', scope: 'rowgroup', colspan: String(COLUMNS.length) },
    make('time', { datetime: date }, LONG_DATE.format(new Date(date))),
  );
  return make(
    'tbody',
    { role: 'rowgroup' },
    make('tr', { role: 'row', class: 'day' }, heading),
    ...shifts.map(makeRow),
  );
}

/** @param {Readonly<Shift>} shift */
function makeRow(shift) {
  const cells = COLUMNS.map(([title, contentOf]) => {
    const cell = make(
      'td',
      { role: 'cell', class: classOf(title), 'data-title': title },
      ...contentOf(shift),
    );
    if (BREAKABLE.includes(title)) cell.classList.toggle('has-long-word', LONG_WORD.test(cell.textContent));
    return cell;
  });
  return make('tr', { role: 'row', ...(shift.cancelled ? { class: 'is-cancelled' } : {}) }, ...cells);
}

/** @param {string} title */
function classOf(title) {
  return `column-${title.toLowerCase()}`;
}

/** @param {Readonly<Shift>} shift */
function timeOf({ date, start_time, end_time, end_date }) {
  const times = make('span', { class: 'times' }, `${start_time}–${end_time}`);
  if (end_date === date) return [times];
  return [times, make('small', {}, ` ${SHORT_DATE.format(new Date(end_date))}`)];
}

/** @param {Readonly<Shift>} shift */
function locationOf({ location }) {
  if (location === null) return [];
  return location.address === ''
    ? [location.name]
    : [location.name, make('small', {}, ` ${location.address}`)];
}

/** @param {Readonly<Shift>} shift */
function remarksOf({ remarks, starred, cancelled, noshow }) {
  return [
    ...(cancelled ? [mark('cancelled', 'Cancelled')] : []),
    ...(noshow ? [mark('noshow', 'No-show')] : []),
    ...(starred ? [mark('starred', '★ Starred')] : []),
    ...(remarks === '' ? [] : [make('span', { class: 'remarks' }, remarks)]),
  ];
}

/**
 * @param {string} kind
 * @param {string} text
 */
function mark(kind, text) {
  return make('span', { class: `mark mark-${kind}` }, text);
}
