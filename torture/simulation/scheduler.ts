/**
 * Time and chance of a history. Whatever would come from outside, such as an answer of the database or the end of a
 * timer, waits here until the draw lets it happen. Nothing depends on how fast the machine is.
 */

import { setImmediate as microtasksDone } from 'node:timers/promises';
import type { Timers } from '../../src/feed/waiting.ts';
import type { Draw } from '../draw.ts';

export type Scheduler = ReturnType<typeof makeScheduler>;

interface Waiting {
  readonly name: string;
  readonly run: () => void;
}

interface Timer extends Waiting {
  readonly dueMs: number;
}

interface SchedulerOptions {
  readonly draw: Draw;
  readonly startMs: number;
  /** Is told all that happens. */
  readonly trace: (text: string) => void;
  /** Called when a deadline has passed. */
  readonly onDeadline: () => void;
}

/** A shorter timer is a pause: that of streams between their rounds is the longest. */
const SHORTEST_DEADLINE_MS = 1_500;

export function makeScheduler({ draw, startMs, trace, onDeadline }: SchedulerOptions) {
  const waiting: Waiting[] = [];
  const timers = new Set<Timer>();
  let nowMs = startMs;
  let steps = 0;

  /** When the next timer is due; undefined without timers. */
  const nextTimerMs = () =>
    timers.size === 0 ? undefined : Math.min(...Array.from(timers, ({ dueMs }) => dueMs));

  /** Lets everything follow that follows at once. */
  const settle = (): Promise<void> => microtasksDone();

  return {
    timers: {
      soon(run) {
        waiting.push({ name: 'end of turn', run });
      },
      after(delayMs, run) {
        const isDeadline = delayMs >= SHORTEST_DEADLINE_MS;
        const timer: Timer = {
          name: isDeadline ? 'deadline' : 'pause',
          dueMs: nowMs + delayMs,
          run() {
            if (!timers.delete(timer)) return;
            if (isDeadline) onDeadline();
            run();
          },
        };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    } satisfies Timers,
    nowMs: () => nowMs,
    /** Counts what has happened so far. */
    step: () => steps,
    /** Happens sooner or later, in any order with everything else that waits. */
    later(name: string, run: () => void): void {
      waiting.push({ name, run });
    },
    hasWaiting: () => waiting.length > 0 || (nextTimerMs() ?? Number.POSITIVE_INFINITY) <= nowMs,
    /** Lets one thing happen, and everything that follows from it at once. */
    async runOne(): Promise<void> {
      steps++;
      const due = Array.from(timers).filter(({ dueMs }) => dueMs <= nowMs);
      const i = draw.integer(0, waiting.length + due.length - 1);
      const chosen = i < waiting.length ? waiting.splice(i, 1)[0] : due[i - waiting.length];
      trace(`        ${chosen?.name}`);
      chosen?.run();
      await settle();
    },
    /** Moves the clock, but not past the next timer. Timers that are due have to run first. */
    advance(toMs: number): void {
      steps++;
      nowMs = Math.max(nowMs, Math.min(toMs, nextTimerMs() ?? toMs));
      trace(`clock   ${new Date(nowMs).toISOString()}`);
    },
    nextTimerMs,
    settle,
  };
}
