/** A listing that is watched, with pauses that end when a test wants it. */

import type { ShiftChanges, ShiftFilter, ShiftfeedClientOptions } from '@shiftfeed/client';
import { makeMemory } from '../../../kit/client/src/ask.ts';
import { readOptions } from '../../../kit/client/src/options.ts';
import { StateReader } from '../../../kit/client/src/reader.ts';
import { openSource } from '../../../kit/client/src/source.ts';
import { watchListing } from '../../../kit/client/src/watch.ts';

export const EVERY_MS = 30_000;

export interface Watched {
  /** Lets the watch look once. undefined when there was nothing to tell. */
  look(): Promise<ShiftChanges | undefined>;
  /** How long it wanted to pause. */
  readonly pauses: readonly number[];
}

export function watched(options: Partial<ShiftfeedClientOptions>, filter: ShiftFilter = {}): Watched {
  const settings = readOptions({
    url: 'http://server/acme',
    token: 't',
    backoffMs: 0,
    retries: 0,
    ...options,
  });
  const source = openSource(settings, makeMemory(settings.memoryBytes), filter, undefined);
  const pauses: number[] = [];
  let resume: (() => void) | undefined;
  let onPause = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      pauses.push(ms);
      resume = resolve;
      onPause();
    });
  const steps = watchListing(source, new StateReader(source, 0, undefined), EVERY_MS, pause);
  let next: Promise<ShiftChanges | undefined> | undefined;
  const toPause = () =>
    new Promise<undefined>((resolve) => {
      onPause = () => resolve(undefined);
    });
  let isFirst = true;

  return {
    pauses,
    async look() {
      const paused = toPause();
      next ??= steps.next().then(({ value }) => value ?? undefined);
      if (!isFirst) {
        if (resume === undefined) await paused;
        resume?.();
      }
      isFirst = false;
      resume = undefined;
      const changes = await Promise.race([next, toPause()]);
      if (changes !== undefined) next = undefined;
      return changes;
    },
  };
}

/** A copy that is kept with nothing but what each step tells. */
export function applyTo(copy: Map<number, object>, { added, changed, removed }: ShiftChanges): void {
  for (const { id } of removed) copy.delete(id);
  for (const shift of [...added, ...changed]) copy.set(shift.id, shift);
}
