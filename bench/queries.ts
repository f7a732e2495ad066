/** What is asked of every account, as pages of websites would ask it. */

import type { Account } from './data/account.ts';
import { idOf } from './data/shifts.ts';

export interface Query {
  readonly name: string;
  parameters(account: Account, facts: QueryFacts): Readonly<Record<string, string | number>>;
}

export interface QueryFacts {
  /** The calendar year after this one, which the account covers whole. */
  readonly nextYear: number;
  /** How many shifts the default window has. */
  readonly total: number;
}

export const PER_PAGE = 500;

export const FIRST_PAGE: Query = { name: 'first page', parameters: () => ({}) };

/** The last full one: how many rows a remainder has is chance. */
export const LAST_PAGE: Query = {
  name: 'last page',
  parameters: (_account, { total }) => ({ page: Math.floor(total / PER_PAGE) }),
};

export const TEN: Query = { name: '10 a page', parameters: () => ({ per_page: 10 }) };

export const QUERIES: readonly Query[] = [
  FIRST_PAGE,
  LAST_PAGE,
  { name: 'a week', parameters: (_account, { nextYear }) => ({ weeks: 20, years: nextYear }) },
  {
    name: 'two groups',
    parameters: ({ number }) => ({ group_ids: `${idOf(number, 3)},${idOf(number, 7)}` }),
  },
  {
    name: 'a weekday over a year',
    parameters: (_account, { nextYear }) => ({ days: 2, years: nextYear }),
  },
  { name: 'published=false', parameters: () => ({ published: 'false' }) },
  TEN,
];

/** Whatever `more` says replaces what the query says. */
export function pathOf(
  query: Query,
  account: Account,
  facts: QueryFacts,
  more: Readonly<Record<string, string | number>> = {},
): string {
  const parameters = Object.entries({ ...query.parameters(account, facts), ...more });
  const search = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return search === '' ? account.path : `${account.path}?${search}`;
}
