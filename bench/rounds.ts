/** Measures contestants in turns, so that whatever else the machine does in the meantime befalls all of them. */

import { measureThroughput, type Target, type ThroughputOptions } from './load.ts';
import { type Sample, sampleOf } from './numbers.ts';

export interface Rounds extends ThroughputOptions {
  readonly rounds: number;
  readonly warmUpSeconds: number;
}

/** Answers a second of each. A contestant that is left out is left out of the result as well. */
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

export async function inTurns<Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<number>,
): Promise<Record<Name, Sample>> {
  const lists = await listInTurns(names, rounds, measure);
  const samples = names.map((name) => [name, sampleOf(lists[name])] as const);
  return Object.fromEntries(samples) as Record<Name, Sample>;
}

/** One value of each name, then another of each, and so on. */
export async function listInTurns<Name extends string, Value>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Value>,
): Promise<Record<Name, readonly Value[]>> {
  const lists = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) lists[name].push(await measure(name));
  }
  return lists;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
