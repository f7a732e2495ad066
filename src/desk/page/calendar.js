/** The calendar of the kit, which is given the shifts of the desk. */

import { ask } from './ask.js';
import { attempt, button } from './controls.js';
import { make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Shift } from './ask.js' */

/** Loaded when it is wanted, from beside this script. */
const COMPONENT = './shift-calendar.js';
const DAY_MS = 86_400_000;
const { calendar: texts } = TEXTS;

/** @typedef {{ from: string, to: string, signal: AbortSignal }} Asked */

/**
 * @param {string} title
 * @param {string} path of the shifts
 * @param {string} timeZone
 */
export function makeCalendar(title, path, timeZone) {
  const view = matchMedia('(max-width: 40rem)').matches ? 'list' : 'month';
  const element = make(/** @type {'div'} */ ('shift-calendar'), { view, locale: 'en-GB' });
  const heading = make('h3', { tabindex: '-1' }, title);
  const cut = make('p', { class: 'hint', role: 'status' });
  const source = async (/** @type {Asked} */ asked) => {
    cut.textContent = '';
    const shifts = await readDays(asked);
    return { time_zone: timeZone, shifts: shifts.map(marked) };
  };

  /** Of days with more shifts than one answer holds, each half is asked for. @param {Asked} asked @returns {Promise<Shift[]>} */
  async function readDays({ from, to, signal }) {
    const { shifts, more } = await ask('GET', `${path}?from=${from}&to=${to}`, { signal });
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
    /** Asks for all shifts again, and begins at this day. @param {string} date */
    show(date) {
      attempt(async () => {
        await import(COMPONENT);
        element.setAttribute('date', date);
        Object.assign(element, { source });
      });
    },
  };
}

/** @param {number} day */
function dateOf(day) {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Words, because colours are not seen by all.
 *
 * @param {Shift} shift
 * @returns {[kind: 'unpublished' | 'inactive', text: string][]}
 */
export function marksOf({ published, publish_date, active }) {
  /** @type {[kind: 'unpublished' | 'inactive', text: string][]} */
  const marks = [];
  if (published === false) marks.push(['unpublished', texts.unpublishedBefore(publish_date)]);
  if (active === false) marks.push(['inactive', texts.inactiveGroup]);
  return marks;
}

/** The calendar has little room, and shows remarks on demand. @param {Shift} shift */
function marked(shift) {
  const words = marksOf(shift).map(([kind]) => texts[kind]);
  return { ...shift, group: { ...shift.group, name: [shift.group.name, ...words].join(' · ') } };
}
