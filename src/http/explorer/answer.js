/** An answer of the API: what is worth knowing about it, and its shifts as a table and as a calendar. */

import { find, make } from './dom.js';
import { filterText, readFilters } from './filters.js';
import { askListing } from './listing.js';

/** @import { Access, ApiAnswer, Shift } from './listing.js' */

/**
 * Replaces the facts that are shown.
 *
 * @param {HTMLElement} list
 * @param {ApiAnswer} answer
 */
export function showFacts(list, answer) {
  const { headers } = answer;
  const stale = headers.get('shiftfeed-stale');
  /** @type {[title: string, value: string | null][]} */
  const facts = [
    ['Status', String(answer.status)],
    ['Time', `${Math.max(1, Math.round(answer.durationMs))} ms`],
    ['Size', sizeOf(answer)],
    ['Revision', headers.get('shiftfeed-revision')],
    ['ETag', headers.get('etag')],
    ['Time zone', headers.get('shiftfeed-time-zone')],
    ['Stale', stale && `${stale} s old: the database is away`],
  ];
  list.replaceChildren(
    ...facts.flatMap(([title, value]) =>
      value === null ? [] : [make('div', {}, make('dt', {}, title), make('dd', {}, value))],
    ),
  );
  list.hidden = false;
}

/** @param {ApiAnswer} answer */
function sizeOf({ headers, bodyBytes }) {
  const encoding = headers.get('content-encoding');
  const sent = Number(headers.get('content-length') ?? 0);
  const size = readableBytes(bodyBytes);
  return encoding === null || sent === 0 ? size : `${size}, ${readableBytes(sent)} as ${encoding}`;
}

/** @param {number} bytes */
function readableBytes(bytes) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

/**
 * The columns: their titles, and what a shift has in them.
 *
 * @type {readonly (readonly [title: string, contentOf: (shift: Shift) => (Node | string)[]])[]}
 */
const COLUMNS = [
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
const LONG_WORD = /\S{13}/;

/** @param {Intl.DateTimeFormatOptions} options */
const datesWith = (options) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', timeZone: 'UTC', ...options });
const LONG_DATE = datesWith({ weekday: 'long', month: 'long', year: 'numeric' });
const SHORT_DATE = datesWith({ weekday: 'short', month: 'short' });

/**
 * Roles are spelt out, because browsers take a table for none when a style sheet turns its rows into blocks, as ours does on phones.
 *
 * @param {readonly Shift[]} shifts
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
 * @param {readonly Shift[]} shifts
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

/** @param {Shift} shift */
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

/** @param {Shift} shift */
function timeOf({ date, start_time, end_time, end_date }) {
  const times = make('span', { class: 'times' }, `${start_time}–${end_time}`);
  return [times, ...aside(end_date === date ? '' : SHORT_DATE.format(new Date(end_date)))];
}

/** @param {string} text */
function aside(text) {
  return text === '' ? [] : [make('small', {}, ` ${text}`)];
}

/** @param {Shift} shift */
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

/** Loaded when it is wanted, from beside this script. */
const COMPONENT = './shift-calendar.js';
/** The most that the API gives at once. */
const PER_PAGE = 500;
/** The calendar shows no more than 20,000 shifts at a time. */
const MAX_PAGES = 40;

/**
 * Shows whatever matches the filters, on the days that the calendar is at. It begins at this date.
 *
 * @param {HTMLElement} panel
 * @param {Access} access
 * @param {string | undefined} date
 */
export async function showCalendar(panel, access, date) {
  await import(COMPONENT);
  if (panel.firstChild === null) {
    const view = matchMedia('(max-width: 40rem)').matches ? 'list' : 'month';
    panel.append(make(/** @type {'div'} */ ('shift-calendar'), { view, locale: 'en-GB' }));
  }
  const calendar = find('shift-calendar', HTMLElement, panel);
  if (date !== undefined) calendar.setAttribute('date', date);
  Object.assign(calendar, { source: sourceFor(access) });
}

/** @param {Access} access */
function sourceFor(access) {
  return async (/** @type {{ from: string, to: string, signal: AbortSignal }} */ { from, to, signal }) => {
    const range = {
      date_from: [from, filterText('date_from')].sort().at(-1) ?? from,
      date_to: [to, filterText('date_to') || to].sort()[0] ?? to,
    };
    /** @type {Shift[]} */
    const shifts = [];
    for (let page = 1; ; page++) {
      const search = readFilters({ ...range, page: String(page), per_page: String(PER_PAGE) });
      const { listing, error, headers } = await askListing(access, search, signal);
      if (listing === undefined) throw new Error(error);
      shifts.push(...listing.shifts);
      if (page >= Math.min(listing.meta.total_pages, MAX_PAGES)) {
        const zone = headers.get('shiftfeed-time-zone') ?? undefined;
        return { title: access.account, time_zone: zone, shifts };
      }
    }
  };
}
