/**
 * Asks at a fixed rate, whether answers keep up or not. The time of an answer counts from when its request was due, so
 * that a server that stands still is blamed for every request that should have been sent meanwhile.
 */

import { type Connection, openConnection } from './connection.ts';
import type { Target } from './target.ts';

export interface ScheduleOptions {
  readonly connections: number;
  readonly perSecond: number;
  readonly until: Promise<unknown>;
}

/** How long each answer took, in milliseconds, shortest first; all that were due before `until` was settled. */
export async function askOnSchedule(
  target: Target,
  { connections, perSecond, until }: ScheduleOptions,
): Promise<readonly number[]> {
  const finished = Promise.withResolvers<void>();
  const latenciesMs: number[] = [];
  const idle: Connection[] = [];
  const dueAt = new Map<Connection, number>();

  function onAnswer(connection: Connection): void {
    latenciesMs.push(performance.now() - (dueAt.get(connection) ?? Number.NaN));
    dueAt.delete(connection);
    idle.push(connection);
  }

  const opened = await Promise.all(
    Array.from({ length: connections }, () => openConnection(target, onAnswer, finished.reject)),
  );
  idle.push(...opened);

  const startedMs = performance.now();
  const intervalMs = 1000 / perSecond;
  let endMs = Number.POSITIVE_INFINITY;
  let sent = 0;

  // Timers are too coarse for a rate of thousands, so this looks at the clock in every turn of the event loop.
  function sendWhatIsDue(): void {
    const nowMs = performance.now();
    let dueMs = startedMs + sent * intervalMs;
    while (dueMs <= Math.min(nowMs, endMs) && idle.length > 0) {
      const connection = idle.pop() as Connection;
      dueAt.set(connection, dueMs);
      connection.ask();
      dueMs = startedMs + ++sent * intervalMs;
    }
    if (dueMs > endMs && dueAt.size === 0) finished.resolve();
    else setImmediate(sendWhatIsDue);
  }

  until.then(() => {
    endMs = performance.now();
  }, finished.reject);
  sendWhatIsDue();
  try {
    await finished.promise;
    return latenciesMs.toSorted((a, b) => a - b);
  } finally {
    for (const connection of opened) connection.close();
  }
}
