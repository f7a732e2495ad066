/** One outage: what is asked before, during and after it. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tally } from '../trial.ts';
import type { Outage } from './outages.ts';
import type { Answer, Scene } from './scene.ts';

/** What the manual promises. */
const ANSWERED_WITHIN_MS = 2_000;
const BACK_WITHIN_MS = 2_000;
/** Where the database has gone back to an earlier state, and nobody goes on from there. */
export const BACK_FROM_OLDER_WITHIN_MS = 10_000 + BACK_WITHIN_MS;
const ASKED_AT_ONCE = 5;
const ROUNDS = 3;
const GIVEN_UP_MS = 30_000;

/** Throws when a promise is broken. */
export async function tryOutage(scene: Scene, outage: Outage, waits: Waits): Promise<string[]> {
  if ((await untilBack(scene)) > GIVEN_UP_MS) throw new Error('It does not answer before the outage.');
  const ownDelay = measureLoop();
  await outage.begin();
  const answers: Answer[] = [];
  try {
    if (outage.isWritable) await scene.change();
    for (let round = 0; round < ROUNDS; round++) {
      answers.push(...(await Promise.all(Array.from({ length: ASKED_AT_ONCE }, () => scene.ask()))));
    }
  } finally {
    await outage.end();
  }
  const backMs = await untilBack(scene);
  const ownDelayMs = ownDelay();
  if (!outage.isHarmless && answers.some(({ status }) => status === 200)) {
    throw new Error(`While the database was ${outage.name}, a request was answered 200.`);
  }
  waits.judge(outage.name, { answers, backMs, ownDelayMs });
  return ['outages'];
}

/** Returns how long the torture itself was kept from looking at the clock, at most. That proves nothing of the service. */
export function measureLoop(): () => number {
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  return () => {
    loop.disable();
    return loop.max / 1e6;
  };
}

export interface Measured {
  readonly answers: readonly Answer[];
  readonly backMs: number;
  readonly ownDelayMs: number;
}

export type Waits = ReturnType<typeof makeWaits>;

/** How long was waited in outages, against what is promised. */
export function makeWaits(tally: Tally) {
  /** By the name of the outage, the longest so far, and by how much the limits were put off for them at most. */
  const longest = new Map<string, { answeredMs: number; backMs: number; ownDelayMs: number }>();
  return {
    /** Throws when an answer, or the first page afterwards, came too late. */
    judge(name: string, { answers, backMs, ownDelayMs }: Measured, backWithinMs = BACK_WITHIN_MS): void {
      const answeredMs = Math.max(...answers.map(({ ms }) => ms));
      const before = longest.get(name) ?? { answeredMs: 0, backMs: 0, ownDelayMs: 0 };
      longest.set(name, {
        answeredMs: Math.max(before.answeredMs, answeredMs),
        backMs: Math.max(before.backMs, backMs),
        ownDelayMs: Math.max(before.ownDelayMs, ownDelayMs),
      });
      for (const { status } of answers) tally.count(`answers with ${status} while it was away`);
      if (answeredMs > ANSWERED_WITHIN_MS + ownDelayMs)
        throw new Error(`While the database was ${name}, an answer took ${Math.round(answeredMs)} ms.`);
      if (backMs > backWithinMs + ownDelayMs)
        throw new Error(`After the database was ${name}, it took ${Math.round(backMs)} ms to be back.`);
    },
    figures(): Record<string, string> {
      const ownDelayMs = Math.max(...[...longest.values()].map((wait) => wait.ownDelayMs));
      const shown = Array.from(longest, ([name, { answeredMs, backMs }]) => [
        name,
        `answered within ${Math.round(answeredMs)} ms, back within ${Math.round(backMs)} ms`,
      ]);
      return {
        ...Object.fromEntries(shown),
        'limits put off for a turn of the torture itself, at most': `${Math.round(ownDelayMs)} ms`,
      };
    },
  };
}

export async function untilBack(scene: Scene): Promise<number> {
  const startMs = performance.now();
  const passedMs = () => performance.now() - startMs;
  while ((await scene.ask()).status !== 200 && passedMs() < GIVEN_UP_MS) await delay(20);
  return passedMs();
}
