import type { Failure } from '../part.ts';
import { type HistoryFigures, runHistory } from './history.ts';

export interface TriedHistory {
  readonly figures?: HistoryFigures;
  readonly failure?: Failure;
}

/** How much of a failed history is told: the end of it. */
const TOLD_LINES = 60;

/** Runs the history of a seed. One that fails is run once more, to tell what happened in it. */
export async function tryHistory(seed: number): Promise<TriedHistory> {
  try {
    return { figures: await runHistory(seed) };
  } catch (error) {
    const lines: string[] = [];
    await runHistory(seed, (line) => lines.push(line)).catch(() => undefined);
    const what = error instanceof Error ? error.message : String(error);
    return { failure: { seed, what: `${what}\nThe history:\n${lines.slice(-TOLD_LINES).join('\n')}` } };
  }
}
