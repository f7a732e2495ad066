/** The command line of the torture → which parts to run, and how much of each. */

import { parseArgs } from 'node:util';
import type { Part } from './part.ts';

export interface Settings {
  readonly parts: readonly Part[];
  readonly seed: number;
  readonly amountOf: (part: Part) => number;
  /** Whether all parts run with all that they have: only then are the results kept. */
  readonly isWhole: boolean;
}

export const USAGE = `npm run torture                      everything, which takes a night; writes docs/reliability.md
npm run torture -- --quick           some minutes; prints its results
npm run torture -- --only NAME       some parts, by name and separated by commas; prints their results
                  --seed NUMBER      what is left to chance follows from it; drawn when left out
                  --amount NUMBER    how much is tried, in the units of the part
`;

const MAX_SEED = 2 ** 31 - 1;

export function readSettings(args: readonly string[], parts: readonly Part[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      seed: { type: 'string' },
      amount: { type: 'string' },
    },
  });
  const { quick, only } = values;
  const amount = values.amount === undefined ? undefined : wholeNumber('--amount', values.amount);
  return {
    parts: only === undefined ? parts : only.split(',').map((name) => partOf(name, parts)),
    seed: values.seed === undefined ? drawnSeed() : wholeNumber('--seed', values.seed),
    amountOf: ({ amounts }) => amount ?? (quick ? amounts.quick : amounts.whole),
    isWhole: !quick && only === undefined && amount === undefined,
  };
}

function partOf(name: string, parts: readonly Part[]): Part {
  const part = parts.find((one) => one.name === name);
  if (part === undefined) {
    throw new Error(`There is no part ${name}, only ${parts.map((one) => one.name).join(', ')}.`);
  }
  return part;
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_SEED) {
    throw new Error(`${option} must be a whole number from 1 to ${MAX_SEED}.`);
  }
  return value;
}

/** Low enough to count up from it. */
function drawnSeed(): number {
  return 1 + Math.floor(Math.random() * 1_000_000_000);
}
