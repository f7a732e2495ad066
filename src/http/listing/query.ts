/**
 * Parses the query string into a Query. Anything that is not exactly right is an error: a filter that is ignored or
 * misread would show more than the client asked for.
 */

import { Refusal } from '../../feed/refusal.ts';
import { type Day, parseDate, type Weekday } from '../../listing/calendar.ts';
import { MAX_PER_PAGE, type Query } from '../../listing/filter.ts';
import {
  badValue,
  givenTwice,
  type ParameterProblem,
  summarize,
  unknownParameter,
} from './parameter-problems.ts';
import {
  type IntegerRange,
  PARAMETERS,
  type ParameterName,
  type ParameterType,
  parameterOf,
} from './parameters.ts';

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
