/** The command line of the torture → which parts to run, and how much of each. */

import { parseArgs } from 'node:util';
import type { Part } from './part.ts';

export interface Settings {
  readonly parts: readonly Part[];
  readonly seed: number;
  readonly amountOf: (part: Part) => number;
  /** Whether the results are written to files. They say how much was tried, so they may be of less. */
  readonly isKept: boolean;
}

export const USAGE = `npm run torture                      everything, which takes a night; keeps the results
npm run torture -- --quick           some minutes; prints its results
npm run torture -- --only NAME       some parts, by name and separated by commas; prints their results
                  --seed NUMBER      what is left to chance follows from it; drawn when left out
                  --amount NUMBER    how much is tried, in the units of the part; also NAME=NUMBER,… for some parts
                  --keep             keeps the results: in torture/results, and in docs/reliability.md
npm run torture -- --page            runs nothing; draws docs/reliability.md from torture/results
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
      keep: { type: 'boolean', default: false },
    },
  });
  const { quick, only, keep } = values;
  const amounts = values.amount === undefined ? undefined : amountsOf(values.amount, parts);
  return {
    parts: only === undefined ? parts : only.split(',').map((name) => partOf(name, parts)),
    seed: values.seed === undefined ? drawnSeed() : wholeNumber('--seed', values.seed),
    amountOf: (part) => amounts?.(part) ?? (quick ? part.amounts.quick : part.amounts.whole),
    isKept: keep || (!quick && only === undefined && amounts === undefined),
  };
}

/** One number for all parts, or numbers for some of them. */
function amountsOf(text: string, parts: readonly Part[]): (part: Part) => number | undefined {
  if (!text.includes('=')) {
    const amount = wholeNumber('--amount', text);
    return () => amount;
  }
  const byPart = new Map(
    text.split(',').map((pair) => {
      const [name = '', amount = ''] = pair.split('=');
      return [partOf(name, parts), wholeNumber(`--amount ${name}`, amount)] as const;
    }),
  );
  return (part) => byPart.get(part);
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
