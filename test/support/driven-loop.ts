/** An event loop for turns.ts whose clock and turns are the test's. */

import { setImmediate as settled } from 'node:timers/promises';
import type { Loop, Turns } from '../../src/http/limits/turns.ts';
import { until } from './until.ts';

interface DrivenLoop extends Loop {
  passMs(ms: number): void;
  /** Runs what was planned for the next turn, and all that follows from it. */
  turn(): Promise<void>;
  planned(): number;
}

export function makeDrivenLoop(): DrivenLoop {
  let nowMs = 0;
  const planned: (() => void)[] = [];
  return {
    nowMs: () => nowMs,
    soon: (run) => void planned.push(run),
    afterPromises: (run) => queueMicrotask(() => process.nextTick(run)),
    passMs(ms) {
      nowMs += ms;
    },
    async turn() {
      for (const run of planned.splice(0)) run();
      await settled();
    },
    planned: () => planned.length,
  };
}

/** Leaves no time in this turn. */
export function useUp({ isFree }: Turns, { passMs }: DrivenLoop): void {
  while (isFree()) passMs(1);
}

/** Has turns until the result is there. */
export async function driveUntil<T>({ turn }: DrivenLoop, result: Promise<T>): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  result.then(done, done);
  await until('it is done', async () => {
    for (let i = 0; i < 100 && !isDone; i++) await turn();
    return isDone;
  });
  return result;
}
