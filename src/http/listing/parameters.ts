/** The table of query parameters, for the parser and the error messages. docs/openapi.json describes them for clients. */

import { FIRST_YEAR, LAST_YEAR } from '@shiftfeed/common/days';
import { MAX_PER_PAGE } from '../../listing/filter.ts';

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
