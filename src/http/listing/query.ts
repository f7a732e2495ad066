/**
 * Parses the query string into a Query. Anything that is not exactly right is an error: a filter that is ignored or
 * misread would show more than the client asked for.
 */

import { type Day, FIRST_YEAR, LAST_YEAR, parseDate, type Weekday } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { closest, distance } from 'fastest-levenshtein';
import { Refusal } from '../../feed/refusal.ts';
import { MAX_PER_PAGE, type Query } from '../../listing/filter.ts';

/** Parses the part of a URL after the question mark, or throws a Refusal that names every problem. */
export function parseQuery(search: string): Query {
  const { given, unknown } = collect(search);
  const problems = unknown.map(unknownParameter);
  const values = readAll(given, problems);
  if (problems.length > 0) {
    const names = [...new Set(problems.map(({ name }) => name))];
    throw new Refusal('bad-parameters', summarize(problems), names);
  }
  return {
    dates: {
      months: values.months,
      years: values.years,
      weeks: values.weeks,
      weekdays: values.days as ReadonlySet<Weekday> | undefined,
      day: values.day,
      dateFrom: values.date_from,
      dateTo: values.date_to,
    },
    rows: {
      groupIds: values.group_ids,
      locationIds: values.location_ids,
      includeUnpublished: !(values.published ?? PARAMETERS.published.default),
    },
    paging: {
      page: values.page ?? PARAMETERS.page.default,
      perPage: Math.min(values.per_page ?? PARAMETERS.per_page.default, MAX_PER_PAGE),
    },
  };
}

interface CollectedParameters {
  readonly given: ReadonlyMap<ParameterName, readonly string[]>;
  readonly unknown: readonly string[];
}

/** Collects the raw values of each parameter: lists may be repeated. */
function collect(search: string): CollectedParameters {
  const given = new Map<ParameterName, string[]>();
  const unknown = new Set<string>();
  for (const [key, text] of new URLSearchParams(search)) {
    const name = parameterOf(key);
    const texts = name && given.get(name);
    if (name === undefined) unknown.add(key);
    else if (texts === undefined) given.set(name, [text]);
    else texts.push(text);
  }
  return { given, unknown: [...unknown] };
}

interface ValueOfKind {
  integers: ReadonlySet<number>;
  integer: number;
  date: Day;
  boolean: boolean;
}
type Values = { [N in ParameterName]?: ValueOfKind[(typeof PARAMETERS)[N]['kind']] };

/** Adds what is wrong with the values to `problems`. */
function readAll(given: CollectedParameters['given'], problems: ParameterProblem[]): Values {
  const values: Partial<Record<ParameterName, unknown>> = {};
  for (const [name, texts] of given) {
    const type: ParameterType = PARAMETERS[name];
    const items = type.kind === 'integers' ? texts.flatMap((text) => text.split(',')) : texts;
    if (type.kind !== 'integers' && items.length > 1) {
      problems.push(givenTwice(name, items.length));
      continue;
    }
    const read = items.map((item) => readItem(type, trimSpaces(item)));
    items.forEach((item, i) => {
      if (read[i] === undefined) problems.push(badValue(name, item));
    });
    values[name] = type.kind === 'integers' ? new Set(read) : read[0];
  }
  return values as Values;
}

/** Trims spaces only. A regular expression would take quadratic time on long runs of spaces. */
function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}

function readItem(type: ParameterType, text: string): number | boolean | undefined {
  switch (type.kind) {
    case 'integers':
    case 'integer':
      return readInteger(text, type);
    case 'date':
      return parseDate(text);
    case 'boolean':
      return BOOLEANS.get(text);
  }
}

function readInteger(text: string, { min, max }: IntegerRange): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);

interface ParameterProblem {
  readonly name: ParameterName | 'unknown';
  /** Called only for problems that are shown: there may be thousands, and finding a hint takes time. */
  describe(): string;
}

const MAX_SHOWN_PROBLEMS = 10;
const MAX_HINT_DISTANCE = 2;
const MAX_HINT_LENGTH = 40;

function summarize(problems: readonly ParameterProblem[]): string {
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => problem.describe());
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

function badValue(name: ParameterName, text: string): ParameterProblem {
  return {
    name,
    describe() {
      const type = PARAMETERS[name];
      const what = text.trim() === '' ? 'has an empty value' : `has the value ${quote(text)}`;
      const why = type.kind === 'date' && looksLikeDate(text) ? ', a day that does not exist' : '';
      return `${name} ${what}${why}; expected ${expectation(type)}.`;
    },
  };
}

/** Whether a text has the format of a date, and a year in the range. */
function looksLikeDate(text: string): boolean {
  return /^ *[1-9]\d{3}-\d\d-\d\d *$/.test(text);
}

function givenTwice(name: ParameterName, times: number): ParameterProblem {
  return {
    name,
    describe: () => `${name} was given ${times} times; expected ${expectation(PARAMETERS[name])}, once.`,
  };
}

/** Omits the value, because it might be a token in the wrong place. */
function unknownParameter(key: string): ParameterProblem {
  return {
    name: 'unknown',
    describe() {
      const hint = nearestName(key);
      const rest =
        hint === undefined ? `known are ${PARAMETER_NAMES.join(', ')}.` : `did you mean ${quote(hint)}?`;
      return `Unknown parameter ${quote(key)}: ${rest}`;
    },
  };
}

/** What other APIs call these parameters, in lower case and without separators. */
const SYNONYMS: ReadonlyMap<string, ParameterName> = new Map(
  Object.entries({
    day: ['date', 'ondate', 'today'],
    date_from: ['from', 'fromdate', 'start', 'startdate', 'since', 'after'],
    date_to: ['to', 'todate', 'end', 'enddate', 'until', 'before'],
    days: ['weekday', 'weekdays', 'dayofweek'],
    weeks: ['week', 'isoweek', 'weeknumber'],
    months: ['month'],
    years: ['year'],
    group_ids: ['group', 'groups', 'groupid', 'team', 'teams'],
    location_ids: ['location', 'locations', 'locationid', 'place'],
    per_page: ['limit', 'perpage', 'pagesize', 'size', 'count', 'max'],
    page: ['offset', 'skip', 'pagenumber'],
    published: ['unpublished', 'ispublished'],
  } satisfies Partial<Record<ParameterName, readonly string[]>>).flatMap(([name, words]) =>
    words.map((word) => [word, name as ParameterName] as const),
  ),
);

function nearestName(key: string): string | undefined {
  if (key.length > MAX_HINT_LENGTH) return undefined;
  const plain = key.toLowerCase().split('[', 1)[0] as string;
  const synonym = SYNONYMS.get(plain.replace(/[_.-]/g, ''));
  if (synonym !== undefined) return synonym;
  const near = closest(plain, PARAMETER_NAMES);
  if (distance(plain, near) <= MAX_HINT_DISTANCE) return near;
  if (plain.length < 3) return undefined;
  return PARAMETER_NAMES.find((name) => name.startsWith(plain) || name.endsWith(plain));
}

/** For the parser and the error messages. docs/openapi.json describes them for clients. */
const ANY_ID = { kind: 'integers', min: 1, max: Number.MAX_SAFE_INTEGER } as const;

export const PARAMETERS = {
  group_ids: ANY_ID,
  months: { kind: 'integers', min: 1, max: 12 },
  years: { kind: 'integers', min: FIRST_YEAR, max: LAST_YEAR },
  weeks: { kind: 'integers', min: 1, max: 53 },
  days: { kind: 'integers', min: 1, max: 7, note: '1 is Sunday' },
  location_ids: ANY_ID,
  day: { kind: 'date' },
  date_from: { kind: 'date' },
  date_to: { kind: 'date' },
  published: { kind: 'boolean', default: true },
  page: { kind: 'integer', min: 1, max: Number.MAX_SAFE_INTEGER, default: 1 },
  per_page: {
    kind: 'integer',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    cap: MAX_PER_PAGE,
    default: MAX_PER_PAGE,
  },
} as const satisfies Record<string, ParameterType>;

export type ParameterName = keyof typeof PARAMETERS;

export const PARAMETER_NAMES = Object.keys(PARAMETERS) as ParameterName[];

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** What a parameter accepts. */
export type ParameterType =
  | ({ readonly kind: 'integers'; readonly note?: string } & IntegerRange)
  | ({
      readonly kind: 'integer';
      readonly default: number;
      /** Larger values are reduced to this. */
      readonly cap?: number;
    } & IntegerRange)
  | { readonly kind: 'date' }
  | { readonly kind: 'boolean'; readonly default: boolean };

/** The parameter that a key of a query string stands for. Lists may have brackets, with or without an index in them. */
export function parameterOf(key: string): ParameterName | undefined {
  const [, base = '', brackets = ''] = /^([^[]*)((?:\[\d*\])?)$/.exec(key) ?? [];
  return PARAMETER_NAMES.find((name) => name === base && (brackets === '' || isList(name)));
}

function isList(name: ParameterName): boolean {
  return PARAMETERS[name].kind === 'integers';
}

/** What a parameter of this type accepts, as the end of a sentence. */
export function expectation(type: ParameterType): string {
  switch (type.kind) {
    case 'integers':
      return `whole numbers from ${type.min} to ${type.max}${type.note ? ` (${type.note})` : ''}, separated by commas`;
    case 'integer':
      return `a whole number from ${type.min} to ${type.cap ?? type.max}`;
    case 'date':
      return `a date YYYY-MM-DD from ${FIRST_YEAR}-01-01 to ${LAST_YEAR}-12-31`;
    case 'boolean':
      return 'true, false, 1 or 0';
  }
}
