/** ISO weeks: they run from Monday to Sunday, and belong to the year that has their Thursday. */

const DAY_MS = 24 * 3_600_000;

/**
 * @typedef {object} IsoWeek
 * @property {number} year
 * @property {number} week
 */

/**
 * Reads `2026-W53`, or the week of a date such as `2026-12-31`.
 *
 * @param {string} text
 * @returns {IsoWeek | undefined}
 */
export function readWeek(text) {
  const [, year, week] = /^(\d{4,})-W(\d\d)$/.exec(text) ?? [];
  if (week !== undefined) return { year: Number(year), week: Number(week) };
  const ms = Date.parse(`${text}T00:00Z`);
  return Number.isNaN(ms) ? undefined : weekOf(ms);
}

/**
 * The Monday and the Sunday of a week, as dates.
 *
 * @param {IsoWeek} week
 * @returns {[monday: string, sunday: string]}
 */
export function daysOfWeek({ year, week }) {
  // The fourth of January always lies in week 1.
  const fourth = Date.parse(`${String(year).padStart(4, '0')}-01-04T00:00Z`);
  const monday = fourth - daysSinceMonday(fourth) * DAY_MS + (week - 1) * 7 * DAY_MS;
  return [dateOf(monday), dateOf(monday + 6 * DAY_MS)];
}

/** @param {number} ms */
function weekOf(ms) {
  const thursday = ms + (3 - daysSinceMonday(ms)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  return { year, week: 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) };
}

/** @param {number} ms */
function daysSinceMonday(ms) {
  return (new Date(ms).getUTCDay() + 6) % 7;
}

/** @param {number} ms */
function dateOf(ms) {
  return new Date(ms).toISOString().slice(0, 10);
}
