/**
 * Compares what two servers need for a request, in processor time. Unlike the time of day, it does not grow while others
 * are at work.
 *
 * Both sides take short turns of a fixed number of requests, and each turn is compared with its neighbour's. Others also
 * make a server slower that has to wait for them, and the larger one more so, probably by emptying the caches of the
 * processor. Pairs in which a server had to wait are therefore measured again.
 *
 * What V8 compiles when, and where things lie in memory, is chance in every start and stays until the next one: two
 * starts of the same code differ by up to a tenth. So both sides are started several times.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { MAX_UNCERTAINTY } from './aims.ts';
import { CONNECTIONS, openCountedLoad, Refused, type Target } from './load.ts';
import { sampleOf } from './numbers.ts';
import type { Running } from './processes.ts';

type Side = 'ours' | 'other';

/** The same question to both sides. */
export interface Question {
  readonly ours: Contender;
  readonly other: Contender;
  readonly connections?: number;
  /** With the load, so that waiting for the processor is no sign of a disturbance. */
  readonly sharesCores?: boolean;
}

export interface Contender extends Target {
  /** Whose time counts. */
  readonly process: Running;
  /** How many processes share the requests, where it is not one. */
  readonly workers?: number;
}

export interface Starts {
  readonly least: number;
  /** Where ratios are still not known well enough. */
  readonly most: number;
}

export interface Ratio {
  /** What the other needs, to what ours needs: 1 is as little, 0.5 twice as much. */
  readonly ratio: number;
  /** The true ratio is this far away at most, in 19 of 20 runs. */
  readonly uncertainty: number;
}

export interface ProcessorRatio extends Ratio {
  readonly name: string;
  /** Medians of the starts, for a request. */
  readonly microseconds: Readonly<Record<Side, number>>;
  /** Those that were not disturbed all the time. */
  readonly starts: number;
}

/** In these the machine stood still for so long that a server refused requests. They are repeated. */
const MAX_SPOILT_STARTS = 5;

/**
 * `start` starts both sides, has them load what they will be asked, and checks it. What is asked is the same in every
 * start. The processes end after the last turn.
 */
export async function compareProcessorTime(
  start: () => Promise<Readonly<Record<string, Question>>>,
  { least, most }: Starts,
  compare = compareInTurns,
): Promise<readonly ProcessorRatio[]> {
  const costs = new Map<string, Cost[]>();
  let ratios: readonly ProcessorRatio[] = [];
  let starts = 0;
  let spoilt = 0;
  while (starts < least || (starts < most && !ratios.every(isKnown))) {
    const questions = Object.entries(await start());
    // Every start begins with another question: what V8 sees first shapes what it compiles.
    const first = starts % questions.length;
    try {
      const found = await compare([...questions.slice(first), ...questions.slice(0, first)]);
      for (const [name] of questions) costs.set(name, [...(costs.get(name) ?? []), found.get(name) as Cost]);
      ratios = Array.from(costs, ([name, ofStarts]) => ratioOver(name, ofStarts));
      starts++;
    } catch (error) {
      if (!(error instanceof Refused) || ++spoilt > MAX_SPOILT_STARTS) throw error;
    } finally {
      const processes = questions.flatMap(([, { ours, other }]) => [ours.process, other.process]);
      await Promise.all(Array.from(new Set(processes), (process) => process.stop()));
    }
  }
  return ratios;
}

export function isKnown({ uncertainty }: Ratio): boolean {
  return uncertainty <= MAX_UNCERTAINTY;
}

/** Of the starts that were not disturbed all the time. Without two of these, nobody knows. */
function ratioOver(name: string, starts: readonly Cost[]): ProcessorRatio {
  const good = starts.filter(({ isDisturbed }) => !isDisturbed);
  const isKnowable = good.length > 1;
  const counted = isKnowable ? good : starts;
  const { ratio, uncertainty } = ratioOf(counted.map((cost) => cost.ratio));
  const median = (side: Side) => sampleOf(counted.map((cost) => cost.microseconds[side])).median;
  return {
    name,
    ratio,
    uncertainty: isKnowable ? uncertainty : Number.POSITIVE_INFINITY,
    microseconds: { ours: median('ours'), other: median('other') },
    starts: good.length,
  };
}

/**
 * The mean of what each start gave. It varies less than the median of as few would, and a start in which V8 compiled
 * badly is part of what starts are like. The uncertainty is Student's, from how far the starts lie apart: it contains
 * what differs between them, and also what disturbed their turns.
 */
export function ratioOf(starts: readonly number[]): Ratio {
  const freedom = starts.length - 1;
  const ratio = sum(starts) / starts.length;
  if (freedom < 1) return { ratio, uncertainty: Number.POSITIVE_INFINITY };
  const deviation = Math.sqrt(sum(starts.map((start) => (start - ratio) ** 2)) / freedom);
  const reach = STUDENT[Math.min(freedom, STUDENT.length) - 1] as number;
  return { ratio, uncertainty: (reach * deviation) / Math.sqrt(starts.length) };
}

/** How many standard errors hold 19 of 20 means, by degrees of freedom from 1 on. More need hardly fewer. */
const STUDENT = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1,
  2.09,
];

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What one start of both sides gave. */
interface Cost {
  /** The median of neighbours. */
  readonly ratio: number;
  /** Medians, for a request. */
  readonly microseconds: Readonly<Record<Side, number>>;
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
async function compareInTurns(
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

function undisturbed(pairs: readonly Pair[], { sharesCores }: Pick<Question, 'sharesCores'>) {
  const maxShare = sharesCores ? 1 : MAX_WAITED_SHARE;
  return pairs.filter(({ ours, other }) => Math.max(ours.waitedShare, other.waitedShare) <= maxShare);
}

/** Turns that are neighbours. */
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
  const take = async (side: Side): Promise<Turn> => {
    const { pid } = question[side].process;
    const before = scheduled(pid);
    await loads[side].ask(requests);
    const after = scheduled(pid);
    const seconds = after.ranSeconds - before.ranSeconds;
    const waitedSeconds = after.waitedSeconds - before.waitedSeconds;
    return { seconds, waitedShare: waitedSeconds / (seconds + waitedSeconds) };
  };
  try {
    // Only requests are measured: what a connection costs is done with once it is answered.
    for (const load of Object.values(loads)) await load.ask(connections);
    const firstTurn = await take(first);
    return first === 'ours'
      ? { ours: firstTurn, other: await take('other') }
      : { ours: await take('ours'), other: firstTurn };
  } finally {
    for (const load of Object.values(loads)) load.close();
  }
}

const TICKS_PER_SECOND = 100;

/** What a process and those that it started have used so far, all threads, in the server's code and in the kernel. */
export function processorSeconds(pid: number): number {
  const [own = 0, inKernel = 0] = ticksOf(pid);
  return (own + inKernel) / TICKS_PER_SECOND + sum(childrenOf(pid).map(processorSeconds));
}

/** What those used that this process started and that have ended. */
export function endedProcessorSeconds(): number {
  const [, , children = 0, childrenInKernel = 0] = ticksOf(process.pid);
  return (children + childrenInKernel) / TICKS_PER_SECOND;
}

interface Scheduled {
  readonly ranSeconds: number;
  /** For a processor that somebody else had: another process, or another thread of this one. */
  readonly waitedSeconds: number;
}

/**
 * Processor time in nanoseconds' precision, so that a turn may be short. Threads that have ended
 * do not count, and even an idle process uses some.
 */
function scheduled(pid: number): Scheduled {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    const [ranSeconds = 0, waitedSeconds = 0] = fields.map((nanoseconds) => Number(nanoseconds) / 1e9);
    return { ranSeconds, waitedSeconds };
  });
  const all = [...threads, ...childrenOf(pid).map(scheduled)];
  return {
    ranSeconds: sum(all.map(({ ranSeconds }) => ranSeconds)),
    waitedSeconds: sum(all.map(({ waitedSeconds }) => waitedSeconds)),
  };
}

/** Fields 14 to 17, counted after the name, which may hold anything. */
function ticksOf(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).map(Number);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
