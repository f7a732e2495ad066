/** How long answers take to tokens that are known and to others. It is told and not judged: machines differ. */

import type { Get } from '../client.ts';
import type { TestAccount } from './accounts.ts';

/** Medians in milliseconds, by the kind of token. */
export type Timing = Readonly<Record<string, string>>;

export async function timeTokens(get: Get, account: TestAccount, rounds: number): Promise<Timing> {
  const { live, revoked } = account.tokens;
  const asked = {
    'live, of no account': { path: '/nobody/api/v1/shifts', token: live },
    'revoked, of an account': { path: `/${account.slug}/api/v1/shifts`, token: revoked },
    'revoked, of no account': { path: '/nobody/api/v1/shifts', token: revoked },
    'unknown, of an account': { path: `/${account.slug}/api/v1/shifts`, token: unlike(live) },
    'unknown, of no account': { path: '/nobody/api/v1/shifts', token: unlike(live) },
  };
  const times = new Map<string, number[]>();
  // They take turns, so that whatever else the machine does is the same for all.
  for (let round = 0; round < rounds; round++) {
    for (const [name, { path, token }] of Object.entries(asked)) {
      const startMs = performance.now();
      await get(path, { authorization: `Bearer ${token}` });
      const known = times.get(name) ?? [];
      known.push(performance.now() - startMs);
      times.set(name, known);
    }
  }
  return Object.fromEntries(
    Array.from(times, ([name, all]) => [`median of a token that is ${name}`, medianOf(all)]),
  );
}

function unlike(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
}

function medianOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(3)} ms`;
}
