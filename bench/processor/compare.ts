/**
 * Compares what two servers need for a request, in processor time, over several starts of both. What V8 compiles when,
 * and where things lie in memory, is chance in every start and stays until the next one: two starts of the same code
 * differ by up to a tenth. One pair of processes, however long it is measured, says nothing about that.
 */

import { MAX_UNCERTAINTY } from '../aims.ts';
import { Refused } from '../load/connection.ts';
import { sampleOf } from '../sample.ts';
import { type Ratio, ratioOf } from './ratio.ts';
import { type Cost, compareInTurns, type Question } from './turns.ts';

/** Starts both sides, has them load what they will be asked, and checks it. Their processes end after the last turn. */
export type Start = () => Promise<Questions>;
export type Questions = Readonly<Record<string, Question>>;

export interface Starts {
  readonly least: number;
  /** Where ratios are still not known well enough. */
  readonly most: number;
}

export interface ProcessorRatio extends Ratio {
  readonly name: string;
  /** Medians of the starts, for a request. */
  readonly microseconds: { readonly ours: number; readonly other: number };
  /** Those that were not disturbed all the time. */
  readonly starts: number;
}

/** In these the machine stood still for so long that a server refused requests. They are repeated. */
const MAX_SPOILT_STARTS = 5;

/** What is asked is the same in every start, and so are the names. */
export async function compareProcessorTime(
  start: Start,
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
      await stopAll(questions.map(([, question]) => question));
    }
  }
  return ratios;
}

export function isKnown({ uncertainty }: Ratio): boolean {
  return uncertainty <= MAX_UNCERTAINTY;
}

async function stopAll(questions: readonly Question[]): Promise<void> {
  const processes = questions.flatMap(({ ours, other }) => [...ours.processes, ...other.processes]);
  await Promise.all(Array.from(new Set(processes), (process) => process.stop()));
}

/** Of the starts that were not disturbed all the time. Without two of these, nobody knows. */
function ratioOver(name: string, starts: readonly Cost[]): ProcessorRatio {
  const good = starts.filter(({ isDisturbed }) => !isDisturbed);
  const isKnowable = good.length > 1;
  const counted = isKnowable ? good : starts;
  const { ratio, uncertainty } = ratioOf(counted.map((cost) => cost.ratio));
  const median = (side: 'ours' | 'other') => sampleOf(counted.map((cost) => cost.microseconds[side])).median;
  return {
    name,
    ratio,
    uncertainty: isKnowable ? uncertainty : Number.POSITIVE_INFINITY,
    microseconds: { ours: median('ours'), other: median('other') },
    starts: good.length,
  };
}
