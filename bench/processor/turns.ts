/**
 * Compares what two running servers need for a request, in processor time. They take turns of a fixed number of
 * requests, and each turn is compared with its neighbour's. What others take on the machine counts as theirs. But they
 * also make a server slower that has to wait for them, and the larger one more so, probably by emptying the caches of
 * the processor. Pairs in which a server had to wait are therefore measured again.
 */

import { openCountedLoad } from '../load/counted.ts';
import type { Target } from '../load/target.ts';
import { CONNECTIONS } from '../load/throughput.ts';
import type { Running } from '../processes.ts';
import { sampleOf } from '../sample.ts';
import { scheduled, sumOf } from './time.ts';

export interface Contender extends Target {
  /** Whose time counts. */
  readonly processes: readonly Running[];
  /** How many processes share the requests, where it is not one. */
  readonly workers?: number;
}

/** The same question to both sides. */
export interface Question {
  readonly ours: Contender;
  readonly other: Contender;
  readonly connections?: number;
  /** With the load, so that waiting for the processor is no sign of a disturbance. */
  readonly sharesCores?: boolean;
}

/** What one start of both sides gave. */
export interface Cost {
  /** The median of neighbours. */
  readonly ratio: number;
  /** Medians, for a request. */
  readonly microseconds: { readonly ours: number; readonly other: number };
  /** All the time, so that the ratio says little. */
  readonly isDisturbed: boolean;
}

/** Of processor time, for the faster of the two. The shorter turns are, the more alike are neighbours. */
const TURN_SECONDS = 0.05;
const FIRST_TURN_REQUESTS = 500;
/** To each process before anything is measured. V8 has compiled what it will after about 20,000. */
const WARM_UP_REQUESTS = 30_000;
/** Undisturbed ones. Of fewer than the least, a start says little. */
const PAIRS = { least: 3, most: 5 };
const MAX_TRIES = 15;
/** Of the time of a turn. Threads of a server wait for each other, too. */
const MAX_WAITED_SHARE = 0.15;

/**
 * One pair of each question, then another of each, and so on. V8 compiles anew when it sees another question, so none
 * is measured while it is new, and whoever disturbs the machine for some seconds disturbs a pair of each.
 */
export async function compareInTurns(
  questions: readonly (readonly [name: string, question: Question])[],
): Promise<ReadonlyMap<string, Cost>> {
  const duels = questions.map(([name, question]) => ({
    name,
    question,
    requests: FIRST_TURN_REQUESTS,
    pairs: [] as Pair[],
  }));
  const workers = Math.max(...questions.map(([, { ours }]) => ours.workers ?? 1));
  for (let asked = 0; asked < workers * WARM_UP_REQUESTS; ) {
    for (const duel of duels) {
      asked += duel.requests;
      const { ours, other } = await takePair(duel.question, duel.requests, 'ours');
      const faster = Math.min(ours.seconds, other.seconds);
      duel.requests = Math.ceil(duel.requests * Math.min(4, TURN_SECONDS / faster));
    }
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Who begins changes from pair to pair, so that being second is nobody's part.
    const first = tries % 2 === 0 ? 'ours' : 'other';
    for (const { question, requests, pairs } of duels) {
      if (undisturbed(pairs, question).length < PAIRS.most) {
        pairs.push(await takePair(question, requests, first));
      }
    }
  }
  return new Map(
    duels.map(({ name, question, pairs, requests }) => [name, costOf(pairs, requests, question)]),
  );
}

export function costOf(
  pairs: readonly Pair[],
  requests: number,
  question: Pick<Question, 'sharesCores'> = {},
): Cost {
  const good = undisturbed(pairs, question);
  const isDisturbed = good.length < PAIRS.least;
  const median = (of: (pair: Pair) => number) => sampleOf((isDisturbed ? pairs : good).map(of)).median;
  return {
    ratio: median(({ ours, other }) => other.seconds / ours.seconds),
    microseconds: {
      ours: median(({ ours }) => (ours.seconds / requests) * 1e6),
      other: median(({ other }) => (other.seconds / requests) * 1e6),
    },
    isDisturbed,
  };
}

function undisturbed(
  pairs: readonly Pair[],
  { sharesCores }: Pick<Question, 'sharesCores'>,
): readonly Pair[] {
  if (sharesCores) return pairs;
  return pairs.filter(({ ours, other }) => Math.max(ours.waitedShare, other.waitedShare) <= MAX_WAITED_SHARE);
}

type Side = 'ours' | 'other';

/** Neighbours. */
export type Pair = Readonly<Record<Side, Turn>>;

interface Turn {
  /** Of processor time. */
  readonly seconds: number;
  /** How much of the time in which it could have run. */
  readonly waitedShare: number;
}

async function takePair(question: Question, requests: number, first: Side): Promise<Pair> {
  const { ours, other, connections = CONNECTIONS } = question;
  const loads = {
    ours: await openCountedLoad(ours, connections),
    other: await openCountedLoad(other, connections),
  };
  const take = (side: Side) => watch(question[side].processes, () => loads[side].ask(requests));
  try {
    // Only requests are measured: what a connection costs is done with once it is answered.
    for (const load of Object.values(loads)) await load.ask(connections);
    if (first === 'ours') {
      const turn = await take('ours');
      return { ours: turn, other: await take('other') };
    }
    const turn = await take('other');
    return { ours: await take('ours'), other: turn };
  } finally {
    for (const load of Object.values(loads)) load.close();
  }
}

async function watch(processes: readonly Running[], work: () => Promise<void>): Promise<Turn> {
  const look = () => sumOf(processes.map(({ pid }) => scheduled(pid)));
  const before = look();
  await work();
  const after = look();
  const seconds = after.ranSeconds - before.ranSeconds;
  const waitedSeconds = after.waitedSeconds - before.waitedSeconds;
  return { seconds, waitedShare: waitedSeconds / (seconds + waitedSeconds) };
}
