/** One question to one account, raced by those who can answer it. */

import type { ListedPage } from '../listing.ts';
import type { Query } from '../queries.ts';
import type { Sample } from '../sample.ts';

/** In the order in which they are shown; the colours differ in lightness as well as in hue. */
export const CONTESTANTS = {
  ours: { label: 'Shiftfeed', colour: '#0b7285' },
  nginx: { label: 'nginx, a file', colour: '#adb5bd' },
  fixed: { label: 'Fastify, a fixed buffer', colour: '#495057' },
  typical: { label: 'typical service, SQLite', colour: '#e8590c' },
  typicalOnPostgres: { label: 'typical service, PostgreSQL', colour: '#f59f00' },
  instant: { label: 'PostGraphile', colour: '#9c36b5' },
} as const;
export type Contestant = keyof typeof CONTESTANTS;

export interface Race {
  readonly query: Query;
  readonly size: number;
  readonly page: ListedPage;
  readonly rates: Readonly<Partial<Record<Contestant, Sample>> & Record<'ours' | 'fixed', Sample>>;
}

/** Those who took part. */
export function contestantsOf(rates: Race['rates']): [Contestant, Sample][] {
  return (Object.keys(CONTESTANTS) as Contestant[]).flatMap((name) => {
    const sample = rates[name];
    return sample === undefined ? [] : [[name, sample]];
  });
}
