/** One outage: what is asked before, during and after it. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tally } from '../tally.ts';
import type { Outage } from './outages.ts';
import type { Scene } from './scene.ts';

/** What the manual promises. */
const ANSWERED_WITHIN_MS = 2_000;
const BACK_WITHIN_MS = 2_000;
const ASKED_AT_ONCE = 5;
const ROUNDS = 3;
const GIVEN_UP_MS = 30_000;

/** By the name of the outage, the longest waits so far. */
export type Waits = Map<string, { answeredMs: number; backMs: number }>;

/** Throws when a promise is broken. */
export async function tryOutage(scene: Scene, outage: Outage, waits: Waits, tally: Tally): Promise<string[]> {
  if ((await untilBack(scene)) > GIVEN_UP_MS) throw new Error('It does not answer before the outage.');
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  await outage.begin();
  const answers: { status: number; ms: number }[] = [];
  try {
    if (outage.isWritable) await scene.change();
    for (let round = 0; round < ROUNDS; round++) {
      answers.push(...(await Promise.all(Array.from({ length: ASKED_AT_ONCE }, () => scene.ask()))));
    }
  } finally {
    await outage.end();
  }
  const backMs = await untilBack(scene);
  loop.disable();
  // A machine that is too busy to look at the clock proves nothing.
  const ownDelayMs = loop.max / 1e6;
  const answeredMs = Math.max(...answers.map(({ ms }) => ms));
  const before = waits.get(outage.name) ?? { answeredMs: 0, backMs: 0 };
  waits.set(outage.name, {
    answeredMs: Math.max(before.answeredMs, answeredMs),
    backMs: Math.max(before.backMs, backMs),
  });
  for (const { status } of answers) tally.count(`answers with ${status} while it was away`);
  if (!outage.isHarmless && outage.isWritable && answers.some(({ status }) => status === 200)) {
    throw new Error(`While the database was ${outage.name}, a request was answered 200.`);
  }
  if (answeredMs > ANSWERED_WITHIN_MS + ownDelayMs)
    throw new Error(`While the database was ${outage.name}, an answer took ${Math.round(answeredMs)} ms.`);
  if (backMs > BACK_WITHIN_MS + ownDelayMs)
    throw new Error(`After the database was ${outage.name}, it took ${Math.round(backMs)} ms to be back.`);
  return ['outages'];
}

async function untilBack(scene: Scene): Promise<number> {
  const startMs = performance.now();
  const passedMs = () => performance.now() - startMs;
  while ((await scene.ask()).status !== 200 && passedMs() < GIVEN_UP_MS) await delay(20);
  return passedMs();
}
