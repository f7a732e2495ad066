/** Query parameters → what to look for. Knows the parameters that the benchmark uses and refuses others. */

export interface Filter {
  /** Any of these, both ends included. */
  readonly ranges: readonly DateRange[];
  /** When given, only these dates. */
  readonly dates: readonly string[] | undefined;
  readonly groupIds: readonly number[] | undefined;
  /** When given, only what is visible on that date. */
  readonly publishedOn: string | undefined;
  readonly page: number;
  readonly perPage: number;
}

export interface DateRange {
  readonly from: string;
  readonly to: string;
}

export class BadRequest extends Error {}

const KNOWN = ['group_ids', 'weeks', 'days', 'years', 'published', 'page', 'per_page'];
const MAX_PER_PAGE = 500;
const DAY_MS = 24 * 3_600_000;

export function parseFilter(parameters: URLSearchParams, nowMs: number): Filter {
  for (const name of parameters.keys()) {
    if (!KNOWN.includes(name)) throw new BadRequest(`Unknown parameter ${name}.`);
  }
  const today = dateOf(nowMs);
  const years = integers(parameters, 'years');
  const weeks = integers(parameters, 'weeks');
  const days = integers(parameters, 'days');
  if ((weeks ?? days) !== undefined && years === undefined) {
    throw new BadRequest('weeks and days need years.');
  }
  const ranges = rangesOf(years, weeks, today);
  return {
    ranges,
    // A few dozen dates are found by the index; asking each row for its weekday would read them all.
    dates: days && ranges.flatMap(datesIn).filter((date) => days.includes(weekdayOf(date))),
    groupIds: integers(parameters, 'group_ids'),
    publishedOn: parameters.get('published') === 'false' ? undefined : today,
    page: integers(parameters, 'page')?.[0] ?? 1,
    perPage: Math.min(integers(parameters, 'per_page')?.[0] ?? MAX_PER_PAGE, MAX_PER_PAGE),
  };
}

function integers(parameters: URLSearchParams, name: string): number[] | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const numbers = text.split(',').map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number > 0)) {
    throw new BadRequest(`${name} must be a list of positive integers.`);
  }
  return numbers;
}

function rangesOf(years: number[] | undefined, weeks: number[] | undefined, today: string): DateRange[] {
  if (years === undefined) return [{ from: today, to: inTwelveMonths(today) }];
  if (weeks === undefined) return years.map((year) => ({ from: `${year}-01-01`, to: `${year}-12-31` }));
  return years.flatMap((year) => weeks.flatMap((week) => isoWeek(year, week)));
}

/** No range for a week 53 that the year does not have. */
function isoWeek(year: number, week: number): DateRange[] {
  // 4 January is always in the first week.
  const fourthMs = Date.UTC(year, 0, 4);
  const mondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS + (week - 1) * 7 * DAY_MS;
  const isOfYear = new Date(mondayMs + 3 * DAY_MS).getUTCFullYear() === year;
  return isOfYear ? [{ from: dateOf(mondayMs), to: dateOf(mondayMs + 6 * DAY_MS) }] : [];
}

function inTwelveMonths(today: string): string {
  const nextYear = `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;
  const exists = dateOf(Date.parse(nextYear)) === nextYear;
  return exists ? nextYear : nextYear.replace('02-29', '02-28');
}

function datesIn({ from, to }: DateRange): string[] {
  const dates: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) dates.push(dateOf(ms));
  return dates;
}

/** 1 is Sunday. */
function weekdayOf(date: string): number {
  return new Date(date).getUTCDay() + 1;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
