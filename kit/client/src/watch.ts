/** Follows a listing: looks whether it changed, when a stream says so or now and then, and tells what became of its shifts. */

import type { ShiftPage } from './answer.ts';
import type { Shift } from './api.ts';
import { wait } from './ask.ts';
import { ShiftfeedChangedError, ShiftfeedUnavailableError } from './errors.ts';
import { NoStream, retryPauseMs } from './listen.ts';
import { LARGEST } from './options.ts';
import type { StateReader } from './reader.ts';
import type { Source } from './source.ts';

/** After a reading that found no state for so long, there is a pause like that after an outage. */
const READING_MS = 60_000;

export async function* watchListing(
  source: Pick<Source, 'peek'>,
  reader: Pick<StateReader, 'read' | 'prepare'>,
  everyMs: number,
  /** It may be shorter where the listing gets another tag meanwhile. */
  pause: (ms: number, tag: string | undefined) => Promise<void>,
): AsyncGenerator<ShiftChanges, void> {
  let shifts: readonly Shift[] | undefined;
  let pages: readonly ShiftPage[] = [];

  async function look(): Promise<ShiftChanges | undefined> {
    const tag = pages[0]?.listing;
    if (tag !== undefined && (await source.peek(1)).listing === tag) {
      await reader.prepare(pages);
      return undefined;
    }
    pages = await reader.read(READING_MS);
    const changes = changesBetween(
      shifts,
      pages.flatMap((page) => page.shifts),
    );
    shifts = changes?.shifts ?? shifts;
    return changes;
  }

  for (let failures = 0; ; ) {
    let changes: ShiftChanges | undefined;
    let pauseMs = everyMs;
    let tag: string | undefined;
    try {
      changes = await look();
      tag = pages[0]?.listing;
      failures = 0;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      pauseMs = pauseAfter(error, failures++, everyMs, Math.random());
    }
    if (changes !== undefined) yield changes;
    await pause(pauseMs, tag);
  }
}

/** After this, a server without streams may be another one. */
const DEAF_MS = 10 * 60_000;
/** Waits until a listing has another tag than this, or for so long where that cannot be heard. */
export function listeningPause({ tags }: Pick<Source, 'tags'>, signal: AbortSignal | undefined) {
  let deafUntilMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return async (ms: number, known: string | undefined): Promise<void> => {
    let askedSeconds = 0;
    if (known === undefined || performance.now() < deafUntilMs) return wait(ms, signal);
    try {
      for await (const tag of tags(known)) {
        failures = 0;
        if (tag !== known) return;
      }
      failures = 0;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NoStream) {
        deafUntilMs = performance.now() + DEAF_MS;
        return wait(ms, signal);
      }
      // What else is wrong is told to whoever asks for the listing: soon at first, then less and less often.
      failures++;
      askedSeconds = askedSecondsOf(error);
    }
    const pauseMs = Math.max(askedSeconds * 1_000, retryPauseMs(Math.random()) * 2 ** failures);
    await wait(Math.min(ms, pauseMs), signal);
  };
}

type Temporary = ShiftfeedUnavailableError | ShiftfeedChangedError;

function isTemporary(error: unknown): error is Temporary {
  return error instanceof ShiftfeedUnavailableError || error instanceof ShiftfeedChangedError;
}

const LONGEST_PAUSE_MS = 5 * 60_000;

/** Grows with each failure in a row (0 is the first), and is never shorter than the server asks for. */
function pauseAfter(error: Temporary, failure: number, everyMs: number, random: number): number {
  const growingMs = Math.min(everyMs * 2 ** failure, LONGEST_PAUSE_MS);
  return Math.min(LARGEST, Math.max(askedSecondsOf(error) * 1_000, growingMs * (0.5 + random / 2)));
}

/** How long the server asks to wait. */
function askedSecondsOf(error: unknown): number {
  return error instanceof ShiftfeedUnavailableError ? (error.retryAfterSeconds ?? 0) : 0;
}

/**
 * A step of a watched listing. To keep a copy by id, delete the removed shifts, and set the added and changed ones. If
 * only the order has changed, all three are empty.
 */
export interface ShiftChanges {
  /** All listed shifts, in order. An unchanged shift is the same object as before. */
  readonly shifts: readonly Shift[];
  /** In the order of the listing. In the first step, these are all shifts. */
  readonly added: readonly Shift[];
  /** As they are now. */
  readonly changed: readonly Shift[];
  /** In their last known state. */
  readonly removed: readonly Shift[];
}

/** The first state is compared with nothing. Returns undefined when nothing changed, not even the order. */
export function changesBetween(
  before: readonly Shift[] | undefined,
  now: readonly Shift[],
): ShiftChanges | undefined {
  const gone = new Map(before?.map((shift) => [shift.id, shift]));
  const added: Shift[] = [];
  const changed: Shift[] = [];
  const shifts = now.map((shift) => {
    const known = gone.get(shift.id);
    gone.delete(shift.id);
    if (known !== undefined && isSame(known, shift)) return known;
    (known === undefined ? added : changed).push(shift);
    return shift;
  });
  if (shifts.length === before?.length && shifts.every((shift, i) => shift === before[i])) return undefined;
  return Object.freeze({
    shifts: Object.freeze(shifts),
    added: Object.freeze(added),
    changed: Object.freeze(changed),
    removed: Object.freeze([...gone.values()]),
  });
}

/** All shifts are read with the same fields in the same order. */
function isSame(a: Shift, b: Shift): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
