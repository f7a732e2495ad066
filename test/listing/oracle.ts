/**
 * The listing as a reader of the rules would do it by hand: plain objects, filtered and sorted one by one, with
 * Temporal for dates. Slow and obvious on purpose, and made without any code of src/listing: it only shares types.
 */

import type { Shift, SortOrder } from '../../src/listing/shift.ts';

export interface OracleQuery {
  readonly months?: readonly number[] | undefined;
  readonly years?: readonly number[] | undefined;
  readonly weeks?: readonly number[] | undefined;
  readonly days?: readonly number[] | undefined;
  readonly day?: string | undefined;
  readonly date_from?: string | undefined;
  readonly date_to?: string | undefined;
  readonly group_ids?: readonly number[] | undefined;
  readonly location_ids?: readonly number[] | undefined;
  readonly published: boolean;
  readonly page: number;
  readonly per_page: number;
}

/** The response body, as text. */
export function expectedBody(
  shifts: readonly Shift[],
  query: OracleQuery,
  today: string,
  order: SortOrder,
): string {
  const matching = shifts.filter((shift) => matches(shift, query, today)).sort(comparison(order));
  const start = (query.page - 1) * query.per_page;
  return JSON.stringify({
    shifts: matching.slice(start, start + query.per_page).map(shown),
    meta: {
      total: matching.length,
      page: query.page,
      per_page: query.per_page,
      total_pages: Math.ceil(matching.length / query.per_page),
    },
  });
}

function matches(shift: Shift, query: OracleQuery, today: string): boolean {
  const date = Temporal.PlainDate.from(shift.date);
  const { months, years, weeks, days, day, date_from, date_to, group_ids, location_ids } = query;

  if (query.published && shift.publishDate > today) return false;
  if (group_ids && !group_ids.includes(shift.groupId)) return false;
  if (location_ids && !(shift.location && location_ids.includes(shift.location.id))) return false;

  const calendarFilters = [months, years, weeks, days, day, date_from, date_to];
  if (calendarFilters.every((filter) => filter === undefined)) {
    const yearLater = Temporal.PlainDate.from(today).add({ months: 12 }).toString();
    return shift.date >= today && shift.date <= yearLater;
  }

  if (months && !months.includes(date.month)) return false;
  if (weeks && !weeks.includes(date.weekOfYear as number)) return false;
  if (days && !days.includes((date.dayOfWeek % 7) + 1)) return false;
  if (years && !years.includes(weeks ? (date.yearOfWeek as number) : date.year)) return false;
  if ((weeks || days) && !years && shift.date < today) return false;
  if (day && shift.date !== day) return false;
  if (date_from && shift.date < date_from) return false;
  if (date_to && shift.date > date_to) return false;
  return true;
}

function comparison(order: SortOrder): (a: Shift, b: Shift) => number {
  const names = new Intl.Collator('en', { numeric: true });
  return (a, b) =>
    byText(a.date, b.date) ||
    (order === 'group' ? names.compare(a.groupName, b.groupName) : 0) ||
    byText(a.startTime, b.startTime) ||
    a.id - b.id;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function shown(shift: Shift): object {
  return {
    id: shift.id,
    date: shift.date,
    start_time: shift.startTime,
    end_time: shift.endTime,
    end_date: shift.endDate,
    group: { id: shift.groupId, name: shift.groupName },
    location: shift.location && { name: shift.location.name, address: shift.location.address },
    person: shift.personName === null ? null : { name: shift.personName },
    publish_date: shift.publishDate,
    remarks: shift.remarks,
    starred: shift.starred,
    cancelled: shift.cancelled,
    noshow: shift.noshow,
  };
}

/** The oracle's query in the words of the API. */
export function toSearch(query: OracleQuery): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return parts.join('&');
}
