/** Follows a listing: looks now and then whether it changed, and tells what became of its shifts. */

import type { Shift } from './api.ts';
import { changesBetween, type ShiftChanges } from './changes.ts';
import { ShiftfeedChangedError, ShiftfeedUnavailableError } from './errors.ts';
import { LARGEST } from './options.ts';
import type { ShiftPage } from './page.ts';
import type { Source } from './source.ts';
import type { StateReader } from './state.ts';

/** After a reading that found no state for so long, there is a pause like that after an outage. */
const READING_MS = 60_000;

export async function* watchListing(
  source: Source,
  reader: StateReader,
  everyMs: number,
  pause: (ms: number) => Promise<void>,
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
    try {
      changes = await look();
      failures = 0;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      pauseMs = pauseAfter(error, failures++, everyMs, Math.random());
    }
    if (changes !== undefined) yield changes;
    await pause(pauseMs);
  }
}

type Temporary = ShiftfeedUnavailableError | ShiftfeedChangedError;

function isTemporary(error: unknown): error is Temporary {
  return error instanceof ShiftfeedUnavailableError || error instanceof ShiftfeedChangedError;
}

const LONGEST_PAUSE_MS = 5 * 60_000;

/** Grows with each failure in a row (0 is the first), and is never shorter than the server asks for. */
function pauseAfter(error: Temporary, failure: number, everyMs: number, random: number): number {
  const growingMs = Math.min(everyMs * 2 ** failure, Math.max(everyMs, LONGEST_PAUSE_MS));
  const askedSeconds = ('retryAfterSeconds' in error ? error.retryAfterSeconds : undefined) ?? 0;
  return Math.min(LARGEST, Math.max(askedSeconds * 1_000, growingMs * (0.5 + random / 2)));
}
