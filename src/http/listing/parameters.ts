/**
 * The query parameters: one table says what each takes, and everything else follows from it, the description of the API
 * included. Whatever is not exactly right is refused, because a filter that is misread or overlooked would show more than was asked for.
 */

import { closest, distance } from 'fastest-levenshtein';
import { Refusal } from '../../feed/refusal.ts';
import { type Day, FIRST_YEAR, LAST_YEAR, parseDate, type Weekday } from '../../listing/calendar.ts';
import { MAX_PER_PAGE, type Query } from '../../listing/filter.ts';
import { quote } from '../../quote.ts';
import { remember } from '../memoize.ts';

interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** What a parameter takes; `description` and `example` are for the description of the API. */
export type ParameterType = { readonly description: string } & (
  | ({
      readonly kind: 'integers';
      readonly note?: string;
      readonly example: readonly number[];
    } & IntegerRange)
  | ({
      readonly kind: 'integer';
      readonly default: number;
      readonly example: number;
      /** Larger ones are taken for this. */
      readonly cap?: number;
    } & IntegerRange)
  | { readonly kind: 'date'; readonly example: string }
  | { readonly kind: 'boolean'; readonly default: boolean; readonly example: boolean }
);

const ANY_ID = { min: 1, max: Number.MAX_SAFE_INTEGER };

export const PARAMETERS = {
  group_ids: {
    kind: 'integers',
    ...ANY_ID,
    example: [10, 11],
    description: 'Only shifts of these groups. An inactive group has none, even when it is named here.',
  },
  months: {
    kind: 'integers',
    min: 1,
    max: 12,
    example: [1, 12],
    description:
      'Only shifts in these months, of every year unless `years` is given, past ones included. Months and years combine ' +
      'within each year: for December to January, use `date_from` and `date_to`.',
  },
  years: {
    kind: 'integers',
    min: FIRST_YEAR,
    max: LAST_YEAR,
    example: [2026],
    description:
      'Only shifts in these calendar years. Beside `weeks` they are **ISO years**, the years of the weeks.',
  },
  weeks: {
    kind: 'integers',
    min: 1,
    max: 53,
    example: [1, 53],
    description:
      'Only shifts in these ISO weeks, Monday to Sunday and whole, also over the turn of a year. Without `years`, **only from ' +
      'today on**.',
  },
  days: {
    kind: 'integers',
    min: 1,
    max: 7,
    note: '1 is Sunday',
    example: [7, 1],
    description:
      'Only shifts on these weekdays: **1 is Sunday**, 2 Monday, 7 Saturday. Without `years`, **only from today on**.',
  },
  location_ids: {
    kind: 'integers',
    ...ANY_ID,
    example: [2],
    description: 'Only shifts at these locations.',
  },
  day: { kind: 'date', example: '2027-03-06', description: 'Only shifts that start on this date.' },
  date_from: {
    kind: 'date',
    example: '2026-12-01',
    description: 'Only shifts that start on this date or later, without an end unless `date_to` is given.',
  },
  date_to: {
    kind: 'date',
    example: '2027-01-31',
    description: 'Only shifts that start on this date or earlier, past ones too unless `date_from` is given.',
  },
  published: {
    kind: 'boolean',
    default: true,
    example: false,
    description: 'Only published shifts, those whose `publish_date` has come; `false` adds the others.',
  },
  page: {
    kind: 'integer',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    default: 1,
    example: 2,
    description: 'Which page. One past the end is empty, not an error.',
  },
  per_page: {
    kind: 'integer',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    cap: MAX_PER_PAGE,
    default: MAX_PER_PAGE,
    example: 50,
    description: `How many shifts a page. More than ${MAX_PER_PAGE} are cut to ${MAX_PER_PAGE}; \`meta.per_page\` says what was applied.`,
  },
} as const satisfies Record<string, ParameterType>;

type Name = keyof typeof PARAMETERS;
const NAMES = Object.keys(PARAMETERS) as Name[];

/** Websites ask for the same few pages over and over. */
const REMEMBERED_QUERIES = 1_000;

/** Reads the part of a URL after the question mark, or throws a Refusal that names every problem. */
export const parseQuery = remember(parse, REMEMBERED_QUERIES);

function parse(search: string): Query {
  const { given, problems } = collect(search);
  const values = readAll(given, problems);
  if (problems.length > 0) {
    const names = [...new Set(problems.map(({ name }) => name))];
    throw new Refusal('bad-parameters', summarise(problems), names);
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

interface Problem {
  readonly name: Name | 'unknown';
  /** Written only when it is shown: there may be thousands, and hints take time. */
  describe(): string;
}

/** The texts given for each parameter. A list may be repeated, also with brackets, and with indices in them. */
function collect(search: string): { given: Map<Name, string[]>; problems: Problem[] } {
  const given = new Map<Name, string[]>();
  const unknown = new Set<string>();
  for (const [written, text] of new URLSearchParams(search)) {
    const name = nameOf(written);
    const texts = name && given.get(name);
    if (name === undefined) unknown.add(written);
    else if (texts === undefined) given.set(name, [text]);
    else texts.push(text);
  }
  const problems = Array.from(unknown, (written): Problem => {
    return { name: 'unknown', describe: () => unknownParameter(written) };
  });
  return { given, problems };
}

export function isKnownParameter(written: string): boolean {
  return nameOf(written) !== undefined;
}

function nameOf(written: string): Name | undefined {
  const [, base = '', brackets = ''] = /^([^[]*)((?:\[\d*\])?)$/.exec(written) ?? [];
  return NAMES.find((name) => name === base && (brackets === '' || isList(name)));
}

function isList(name: Name): boolean {
  return PARAMETERS[name].kind === 'integers';
}

interface ValueOfKind {
  integers: ReadonlySet<number>;
  integer: number;
  date: Day;
  boolean: boolean;
}
type Values = { [N in Name]?: ValueOfKind[(typeof PARAMETERS)[N]['kind']] };

function readAll(given: ReadonlyMap<Name, readonly string[]>, problems: Problem[]): Values {
  const values: Partial<Record<Name, unknown>> = {};
  for (const [name, texts] of given) {
    const type: ParameterType = PARAMETERS[name];
    const items = type.kind === 'integers' ? texts.flatMap((text) => text.split(',')) : texts;
    if (type.kind !== 'integers' && items.length > 1) {
      const times = items.length;
      problems.push({
        name,
        describe: () => `${name} was given ${times} times; expected ${expectation(type)}, once.`,
      });
      continue;
    }
    const read = items.map((item) => readItem(type, trimSpaces(item)));
    items.forEach((item, i) => {
      if (read[i] === undefined) problems.push({ name, describe: () => badValue(name, type, item) });
    });
    values[name] = type.kind === 'integers' ? new Set(read) : read[0];
  }
  return values as Values;
}

/** Only spaces, and without a regular expression: those take quadratic time on many spaces. */
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

// What a reader is told.

const MAX_SHOWN_PROBLEMS = 10;
const MAX_HINT_DISTANCE = 2;
const MAX_HINT_LENGTH = 40;

function badValue(name: Name, type: ParameterType, text: string): string {
  const what = text.trim() === '' ? 'has an empty value' : `has the value ${quote(text)}`;
  const why = type.kind === 'date' && looksLikeDate(text) ? ', a day that does not exist' : '';
  return `${name} ${what}${why}; expected ${expectation(type)}.`;
}

/** Whether it is written as it should be, with a year that is allowed. */
function looksLikeDate(text: string): boolean {
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(trimSpaces(text));
}

/** What a parameter of this type takes, as the end of a sentence. */
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

/** Says nothing of the value: it might be a token that ended up in the wrong place. */
function unknownParameter(written: string): string {
  const hint = nearestName(written);
  const rest = hint === undefined ? `known are ${NAMES.join(', ')}` : `did you mean ${quote(hint)}?`;
  return `Unknown parameter ${quote(written)}: ${rest}${rest.endsWith('?') ? '' : '.'}`;
}

/** What people write who mean one of ours, in lower case and without separators. */
const MEANT: ReadonlyMap<string, Name> = new Map(
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
  } satisfies Partial<Record<Name, readonly string[]>>).flatMap(([name, written]) =>
    written.map((word) => [word, name as Name] as const),
  ),
);

function nearestName(written: string): string | undefined {
  if (written.length > MAX_HINT_LENGTH) return undefined;
  const plain = written.toLowerCase().split('[', 1)[0] as string;
  const meant = MEANT.get(plain.replace(/[_.-]/g, ''));
  if (meant !== undefined) return meant;
  const near = closest(plain, NAMES);
  if (distance(plain, near) <= MAX_HINT_DISTANCE) return near;
  return plain.length < 3 ? undefined : NAMES.find((name) => name.startsWith(plain) || name.endsWith(plain));
}

function summarise(problems: readonly Problem[]): string {
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => problem.describe());
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
