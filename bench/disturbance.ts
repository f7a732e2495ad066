/**
 * Whether somebody else had the processors while something was measured. On a virtual machine these are other guests of
 * the host, and Linux counts what they take as "steal". A round with much of it says more about them than about what
 * was measured, so it is measured again.
 */

import { existsSync, readFileSync } from 'node:fs';
import { brief, whole } from './report/format.ts';

/** Of the time that a round takes. Linux counts in hundredths of a second, so in a round of a second it allows none. */
const MAX_STOLEN_SHARE = 0.005;
const MAX_TRIES = 6;

const STATISTICS = '/proc/stat';
const TICKS_PER_SECOND = 100;

const rounds = { all: 0, repeated: 0, disturbed: 0 };

/** Measures until nobody disturbs it, a few times at most, and returns what the least disturbed try gave. */
export async function undisturbed<T>(measure: () => Promise<T>, clocks = CLOCKS): Promise<T> {
  let best = await watch(measure, clocks);
  const isRepeated = best.stolenShare > MAX_STOLEN_SHARE;
  for (let tries = 1; best.stolenShare > MAX_STOLEN_SHARE && tries < MAX_TRIES; tries++) {
    const next = await watch(measure, clocks);
    if (next.stolenShare < best.stolenShare) best = next;
  }
  rounds.all++;
  if (isRepeated) rounds.repeated++;
  if (best.stolenShare > MAX_STOLEN_SHARE) rounds.disturbed++;
  return best.result;
}

export function describeDisturbance(): string {
  if (!existsSync(STATISTICS))
    return 'Whether other guests of a host took time of the processors cannot be seen on this system.';
  return (
    `A round in which other guests of the host took more than ${brief(MAX_STOLEN_SHARE * 100)} % of its time from the processors is measured again, ` +
    `${MAX_TRIES - 1} times at most: ${whole(rounds.repeated)} of ${whole(rounds.all)} were, and ${whole(rounds.disturbed)} stayed disturbed.`
  );
}

/** What the tests replace: the time, and what others took of it. */
const CLOCKS = { nowMs: () => performance.now(), stolenSeconds };

async function watch<T>(measure: () => Promise<T>, { nowMs, stolenSeconds }: typeof CLOCKS) {
  const stolenBefore = stolenSeconds();
  const startedMs = nowMs();
  const result = await measure();
  const seconds = (nowMs() - startedMs) / 1000;
  return { result, stolenShare: (stolenSeconds() - stolenBefore) / seconds };
}

/** From all processors, since the system started: the eighth number of the first line. */
function stolenSeconds(): number {
  if (!existsSync(STATISTICS)) return 0;
  const [, ...ticks] = readFileSync(STATISTICS, 'utf8').split('\n', 1)[0]?.split(/ +/) ?? [];
  return Number(ticks[7] ?? 0) / TICKS_PER_SECOND;
}
