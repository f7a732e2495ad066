/**
 * Compares what two servers need for a request, in processor time. They take turns of a fixed number of requests, and
 * each turn is compared with its neighbour's. Others who work on the machine then disturb both alike, and hardly at
 * all: what they take counts as theirs.
 */

import { MAX_UNCERTAINTY } from '../aims.ts';
import { type CountedLoad, openCountedLoad } from '../load/counted.ts';
import type { Target } from '../load/target.ts';
import { CONNECTIONS } from '../load/throughput.ts';
import type { Running } from '../processes.ts';
import { type Sample, sampleOf } from '../sample.ts';
import { preciseProcessorSeconds } from './time.ts';

export interface Contender extends Target {
  /** Whose time counts: the server, and its database where that is a server, too. */
  readonly processes: readonly Running[];
}

export interface ProcessorRatio {
  /** What the other needs, to what ours needs: 1 is as little, 0.5 twice as much. */
  readonly ratio: number;
  /** The true ratio is this far away at most, in 19 of 20 runs. */
  readonly uncertainty: number;
  readonly microseconds: { readonly ours: Sample; readonly other: Sample };
  readonly pairs: number;
}

/** Of processor time, for the faster of the two. The shorter turns are, the more alike are neighbours. */
const TURN_SECONDS = 0.1;
const CALIBRATION_REQUESTS = 2_000;
const MIN_PAIRS = 30;
const MAX_PAIRS = 120;

export async function compareProcessorTime(
  { ours, other }: { readonly ours: Contender; readonly other: Contender },
  connections = CONNECTIONS,
): Promise<ProcessorRatio> {
  const loads = [
    await openCountedLoad(ours, connections),
    await openCountedLoad(other, connections),
  ] as const;
  try {
    const turnOfOurs = (requests: number) => turn(loads[0], ours, requests);
    const turnOfOther = (requests: number) => turn(loads[1], other, requests);
    const requests = await turnSize(turnOfOurs, turnOfOther);
    const times: { ours: number; other: number }[] = [];
    let found = ratioOf(times);
    while (times.length < MIN_PAIRS || (found.uncertainty > MAX_UNCERTAINTY && times.length < MAX_PAIRS)) {
      // Who begins changes from pair to pair, so that being second is nobody's part.
      if (times.length % 2 === 0) {
        const first = await turnOfOurs(requests);
        times.push({ ours: first, other: await turnOfOther(requests) });
      } else {
        const first = await turnOfOther(requests);
        times.push({ other: first, ours: await turnOfOurs(requests) });
      }
      found = ratioOf(times);
    }
    const perRequest = (of: 'ours' | 'other') => sampleOf(times.map((pair) => (pair[of] / requests) * 1e6));
    return {
      ...found,
      microseconds: { ours: perRequest('ours'), other: perRequest('other') },
      pairs: times.length,
    };
  } finally {
    for (const load of loads) load.close();
  }
}

/** The time that the processes of a contender needed for so many requests. */
async function turn(load: CountedLoad, { processes }: Contender, requests: number): Promise<number> {
  const used = () => processes.reduce((sum, { pid }) => sum + preciseProcessorSeconds(pid), 0);
  const before = used();
  await load.ask(requests);
  return used() - before;
}

/** How many requests make a turn, from some that also warm both up. */
async function turnSize(...turns: readonly ((requests: number) => Promise<number>)[]): Promise<number> {
  let requests = CALIBRATION_REQUESTS;
  for (;;) {
    const times: number[] = [];
    for (const take of turns) times.push(await take(requests));
    const fastest = Math.min(...times);
    if (fastest >= TURN_SECONDS) return requests;
    requests = Math.ceil(requests * Math.min(4, Math.max(1.2, (1.1 * TURN_SECONDS) / fastest)));
  }
}

/** The median of neighbours, and between which of them the true median lies in 19 of 20 cases. */
export function ratioOf(times: readonly { readonly ours: number; readonly other: number }[]): {
  readonly ratio: number;
  readonly uncertainty: number;
} {
  const ratios = times.map(({ ours, other }) => other / ours).toSorted((a, b) => a - b);
  const ratio = sampleOf(ratios).median;
  const reach = 0.98 * Math.sqrt(ratios.length);
  const lower = ratios[Math.floor(ratios.length / 2 - reach)];
  const upper = ratios[Math.ceil(ratios.length / 2 + reach) - 1];
  if (lower === undefined || upper === undefined) return { ratio, uncertainty: Number.POSITIVE_INFINITY };
  return { ratio, uncertainty: Math.max(upper - ratio, ratio - lower) };
}
