/** The command line of the benchmark → what to measure, and for how long. */

import { parseArgs } from 'node:util';
import type { Starts } from './processor-time.ts';
import type { Rounds } from './rounds.ts';

export interface Settings {
  /** What is measured is not kept then. */
  readonly isQuick: boolean;
  /** Shifts a year of the accounts, smallest first. */
  readonly sizes: readonly number[];
  /** Those that PostgreSQL holds as well: it takes long to fill. */
  readonly postgresSizes: readonly number[];
  readonly rounds: Rounds;
  /** Of both sides, for what is compared in processor time. */
  readonly starts: Starts;
  /** A commit to compare this checkout with, in place of everything else. */
  readonly against: string | undefined;
  /** Names of measurements; all of them when left out. */
  readonly only: readonly string[] | undefined;
}

export const SMALL = 5_000;
export const LARGE = 128_000;
export const LARGEST = 1_280_000;

/** What `serve` is given: its default where that holds everything that is asked. */
export function cacheMbFor(size: number): number {
  return size > LARGE ? 3_072 : 256;
}

export const USAGE = `npm run bench                      everything; prints each row when it is known and keeps it in bench/RESULTS.md
npm run bench -- --only pages      some measurements, by name and separated by commas; other results stay as they are
npm run bench -- --quick           smaller and shorter; keeps nothing
                --rounds NUMBER    how often each contestant is measured
npm run bench -- --against COMMIT  what this checkout needs beside another commit, in processor time
CONNECTIONS=64 npm run bench       another number of connections than 16
`;

export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const isQuick = values.quick;
  const rounds = Number(values.rounds ?? (isQuick ? 3 : 5));
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number from 1 on.');
  return {
    isQuick,
    sizes: isQuick ? [SMALL, LARGE] : [SMALL, LARGE, LARGEST],
    postgresSizes: isQuick ? [SMALL] : [SMALL, LARGE],
    rounds: { rounds, seconds: 1, warmUpSeconds: isQuick ? 0 : 1 },
    starts: isQuick ? { least: Math.min(rounds, 4), most: Math.min(rounds, 4) } : { least: 8, most: 20 },
    against: values.against,
    only: values.only?.split(','),
  };
}
