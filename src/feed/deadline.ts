import { StoreFailure } from '../store/failure.ts';
import type { Timers } from './clock.ts';

/** Fails once the deadline has passed. What comes of the work later is dropped. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, timers: Timers): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const forgetDeadline = timers.after(deadlineMs, () => reject(tooSlow()));
  work.finally(forgetDeadline).then(resolve, reject);
  return promise;
}

export function tooSlow(): StoreFailure {
  return new StoreFailure('unavailable', 'The database took too long to answer.');
}
