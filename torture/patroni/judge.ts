/** What was shown and said to be done while the primary moved, held against what the new primary has. */

import type { Replication } from './cluster.ts';
import type { Answer, Reader } from './readers.ts';
import type { Change } from './writer.ts';

export interface Seen extends Pick<Reader, 'name' | 'isStrict'> {
  readonly answers: readonly Answer[];
}

export interface Truth {
  readonly replication: Replication;
  /** All that were tried, in the order of their numbers. */
  readonly changes: readonly Change[];
  /** The numbers of those that the primary has after all. */
  readonly kept: ReadonlySet<number>;
}

/** The changes that were said to be done, and that the primary lacks. */
export function lostChanges({ changes, kept }: Truth): readonly Change[] {
  return changes.filter(({ number, doneMs }) => doneMs !== undefined && !kept.has(number));
}

/** Sentences about promises that were broken. */
export function judge(seen: readonly Seen[], truth: Truth): string[] {
  const lost = lostChanges(truth);
  const isLossAllowed = truth.replication === 'asynchronous';
  return [
    ...(lost.length > 0 && !isLossAllowed ? [`Changes were done and are lost: ${numbersOf(lost)}.`] : []),
    ...seen.flatMap((one) => judgeOne(one, truth, isLossAllowed)),
  ];
}

function judgeOne({ name, isStrict, answers }: Seen, truth: Truth, isLossAllowed: boolean): string[] {
  const problems: string[] = [];
  const isLost = lossOf(truth);
  const last = truth.changes.at(-1)?.number ?? 0;
  const done = truth.changes.filter(({ number, doneMs }) => doneMs !== undefined && !isLost(number));
  const doneBefore = highestBefore(done.map(({ number, doneMs = 0 }) => ({ number, atMs: doneMs })));
  const pages = answers.flatMap((answer) =>
    answer.number === undefined ? [] : [{ ...answer, number: answer.number }],
  );
  const moments = pages.map(({ number, endMs }) => ({ number, atMs: endMs }));
  const shownBefore = highestBefore(moments.filter(({ number }) => !isLost(number)));
  const lostShownBefore = highestBefore(moments.filter(({ number }) => isLost(number)));
  /** Since when it shows what is there, after it has shown what is not. */
  let backSinceMs = Number.POSITIVE_INFINITY;

  for (const { number, startMs, endMs, isStale } of pages.toSorted((a, b) => a.startMs - b.startMs)) {
    const shown = shownBefore(startMs);
    const atLeast = isStrict && !isStale ? doneBefore(startMs) : 0;
    const tell = (what: string) => problems.push(`${name}: a page of change ${number} ${what}.`);
    if (number > last) {
      tell(`was shown, but the last one was ${last}`);
      continue;
    }
    if (number < shown) tell(`was shown after one of change ${shown}`);
    if (number < atLeast) tell(`was asked for after change ${atLeast} was done`);
    if (!isLost(number)) {
      if (number < lostShownBefore(startMs)) backSinceMs = Math.min(backSinceMs, endMs);
    } else if (!isLossAllowed) tell('was shown, and the change is lost');
    else if (startMs > backSinceMs) tell('was shown again, after the change was lost');
  }
  return problems;
}

/** What is older than the trial is there, or it would have been noticed before. */
function lossOf({ changes, kept }: Truth): (number: number) => boolean {
  const first = changes[0]?.number ?? 0;
  return (number) => number >= first && !kept.has(number);
}

interface Moment {
  readonly number: number;
  readonly atMs: number;
}

/** The highest number up to a moment. Asked in the order of time. */
function highestBefore(moments: readonly Moment[]): (ms: number) => number {
  const sorted = moments.toSorted((a, b) => a.atMs - b.atMs);
  let passed = 0;
  let highest = 0;
  return (ms) => {
    for (let next = sorted[passed]; next !== undefined && next.atMs <= ms; next = sorted[++passed])
      highest = Math.max(highest, next.number);
    return highest;
  };
}

function numbersOf(changes: readonly Change[]): string {
  return changes.map(({ number }) => number).join(', ');
}

/** For how long the answers of a server said to come again. */
export function refusedMs(answers: readonly Answer[]): number {
  let sumMs = 0;
  let sinceMs: number | undefined;
  let shownMs = 0;
  for (const { number, startMs, endMs } of answers.toSorted((a, b) => a.endMs - b.endMs)) {
    if (number === undefined) sinceMs ??= Math.max(startMs, shownMs);
    else {
      if (sinceMs !== undefined) sumMs += endMs - sinceMs;
      sinceMs = undefined;
      shownMs = endMs;
    }
  }
  return sumMs;
}

export interface Pause {
  readonly ms: number;
  /** The first change after it. */
  readonly end: Change & { readonly doneMs: number };
}

/** The longest time in which no change was done, of those that ended after a moment. */
export function longestPause(changes: readonly Change[], afterMs: number): Pause | undefined {
  const done = changes.flatMap((change) =>
    change.doneMs === undefined ? [] : [{ ...change, doneMs: change.doneMs }],
  );
  const pauses = done.map((end, i) => ({ ms: end.doneMs - (done[i - 1]?.doneMs ?? end.doneMs), end }));
  return pauses.filter(({ end }) => end.doneMs > afterMs).sort((a, b) => b.ms - a.ms)[0];
}

/** How long after a change was done the last of all servers showed it, or a later one. */
export function agreedMs(seen: readonly Seen[], { number, doneMs }: Pause['end']): number {
  const firsts = seen.map(({ answers }) =>
    Math.min(...answers.filter((answer) => (answer.number ?? 0) >= number).map(({ endMs }) => endMs)),
  );
  return Math.max(0, Math.max(...firsts) - doneMs);
}
