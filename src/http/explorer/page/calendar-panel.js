/** The answer as a calendar: the component of the kit, which asks for the days that it shows. */

import { find, make } from './dom.js';
import { filterText, readFilters } from './filters.js';
import { askListing } from './listing.js';

/** @typedef {import('./listing.js').Access} Access */
/** @typedef {import('./listing.js').Shift} Shift */

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
    /** @type {Readonly<Shift>[]} */
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
