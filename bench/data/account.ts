/** An account of the benchmark: how large it is, and how to ask for its shifts. */

import { makeToken } from '../../src/feed/access/token.ts';
import type { AccountPlan } from './shifts.ts';

export interface Account extends AccountPlan {
  readonly path: string;
  /** The same in every database that holds the account. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function accountOfSize(shiftsPerYear: number, number: number): Account {
  const slug = `size-${shiftsPerYear}`;
  const token = makeToken();
  return {
    slug,
    shiftsPerYear,
    number,
    path: `/${slug}/api/v1/shifts`,
    token,
    headers: { authorization: `Bearer ${token}` },
  };
}
