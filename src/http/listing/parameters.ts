/**
 * The table of query parameters. The parser, the error messages and the description of the API are all based on it.
 */

import { FIRST_YEAR, LAST_YEAR } from '../../listing/calendar.ts';
import { MAX_PER_PAGE } from '../../listing/filter.ts';

const ANY_ID = { min: 1, max: Number.MAX_SAFE_INTEGER };

export const PARAMETERS = {
  group_ids: {
    kind: 'integers',
    ...ANY_ID,
    example: [10, 11],
    description:
      'Only shifts of these groups. Shifts of an inactive group are not listed, even when it is named here.',
  },
  months: {
    kind: 'integers',
    min: 1,
    max: 12,
    example: [1, 12],
    description:
      'Only shifts in these months. Without `years`, that is every year, past ones included. Months and years combine ' +
      'within each year: for December to January, use `date_from` and `date_to`.',
  },
  years: {
    kind: 'integers',
    min: FIRST_YEAR,
    max: LAST_YEAR,
    example: [2026],
    description:
      'Only shifts in these calendar years. Together with `weeks` they are **ISO years**, to which ISO weeks belong.',
  },
  weeks: {
    kind: 'integers',
    min: 1,
    max: 53,
    example: [1, 53],
    description:
      'Only shifts in these ISO weeks, from Monday to Sunday, across New Year too. Without `years`, **only from today on**.',
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
    description: 'Only shifts that start on this date or later. Without `date_to`, the range has no end.',
  },
  date_to: {
    kind: 'date',
    example: '2027-01-31',
    description:
      'Only shifts that start on this date or earlier. Without `date_from`, the range has no beginning.',
  },
  published: {
    kind: 'boolean',
    default: true,
    example: false,
    description:
      'Only published shifts, whose `publish_date` is today or earlier. `false` includes the others as well.',
  },
  page: {
    kind: 'integer',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    default: 1,
    example: 2,
    description: 'The number of the page. A page past the end is empty and not an error.',
  },
  per_page: {
    kind: 'integer',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    cap: MAX_PER_PAGE,
    default: MAX_PER_PAGE,
    example: 50,
    description: `The number of shifts on a page. Values above ${MAX_PER_PAGE} are cut to ${MAX_PER_PAGE}; \`meta.per_page\` says what was applied.`,
  },
} as const satisfies Record<string, ParameterType>;

export type ParameterName = keyof typeof PARAMETERS;

export const PARAMETER_NAMES = Object.keys(PARAMETERS) as ParameterName[];

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** What a parameter accepts. `description` and `example` are for the description of the API. */
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
      /** Larger values are reduced to this. */
      readonly cap?: number;
    } & IntegerRange)
  | { readonly kind: 'date'; readonly example: string }
  | { readonly kind: 'boolean'; readonly default: boolean; readonly example: boolean }
);

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
