/** Measures contestants in turns, so that whatever else the machine does in the meantime befalls all of them. */

import type { Target } from './load/target.ts';
import { measureThroughput, type ThroughputOptions } from './load/throughput.ts';

export interface Rounds extends ThroughputOptions {
  readonly rounds: number;
  readonly warmUpSeconds: number;
}

/** What the rounds of one contestant gave. */
export interface Sample {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** A contestant that is left out is left out of the result as well. */
export async function compare<Contestants extends Readonly<Record<string, Target>>>(
  contestants: Contestants,
  { rounds, warmUpSeconds, ...options }: Rounds,
): Promise<{ readonly [Name in keyof Contestants]: Sample }> {
  const names = Object.keys(contestants);
  const measure = (name: string, seconds: number) =>
    measureThroughput(contestants[name] as Target, { ...options, seconds });
  if (warmUpSeconds > 0) {
    for (const name of names) await measure(name, warmUpSeconds);
  }
  const samples = await inTurns(names, rounds, (name) => measure(name, options.seconds));
  return samples as { [Name in keyof Contestants]: Sample };
}

/** One value of each name, then another of each, and so on. */
export async function inTurns<Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<number>,
): Promise<Record<Name, Sample>> {
  const values = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) values.get(name)?.push(await measure(name));
  }
  const samples = Array.from(values, ([name, list]) => [name, sampleOf(list)] as const);
  return Object.fromEntries(samples) as Record<Name, Sample>;
}

export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    // Of an even number, the mean of the middle two.
    median: (percentile(sorted, 0.5) + percentile(sorted.toReversed(), 0.5)) / 2,
    lowest: sorted[0] ?? Number.NaN,
    highest: sorted.at(-1) ?? Number.NaN,
  };
}

/** The value that `share` of the values do not exceed. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
