/** Reads one state of a listing: shifts that were all there at one moment. */

import { wait } from './deadline.ts';
import { ShiftfeedChangedError } from './errors.ts';
import type { ShiftPage } from './page.ts';
import { readInTurn } from './pages-in-turn.ts';
import type { Source } from './source.ts';
import { isWorthCutting, makeStretchReader } from './stretch-reader.ts';

export interface StateReader {
  /** The pages of one state. Rejects when the listing changed for so long that none could be read. */
  read(patienceMs: number): Promise<readonly ShiftPage[]>;
  /** Prepares to read no more than what becomes of a state that was read. */
  prepare(pages: readonly ShiftPage[]): Promise<void>;
}

const LONGEST_PAUSE_MS = 2_000;

export function makeStateReader(
  source: Source,
  backoffMs: number,
  signal: AbortSignal | undefined,
): StateReader {
  const stretches = makeStretchReader(source);

  async function read(patienceMs: number): Promise<readonly ShiftPage[]> {
    let giveUpAtMs: number | undefined;
    for (let attempt = 0; ; attempt++) {
      const pages = await readOnce();
      if (pages !== undefined) return pages;
      giveUpAtMs ??= performance.now() + patienceMs;
      const pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, backoffMs * 2 ** attempt);
      if (performance.now() + pauseMs >= giveUpAtMs) throw keptChanging(patienceMs);
      await wait(pauseMs, signal);
    }
  }

  /** undefined when what was read is of several states. */
  async function readOnce(): Promise<readonly ShiftPage[] | undefined> {
    if (stretches.isCut()) {
      const pages = await stretches.read();
      if (pages !== undefined || stretches.isCut()) return pages;
    }
    return readPages();
  }

  async function readPages(): Promise<readonly ShiftPage[] | undefined> {
    const pages: ShiftPage[] = [];
    let isOneState = true;
    for await (const { page, hasChanged } of readInTurn(source.page)) {
      if (hasChanged) isOneState = false;
      // After a change, the rest still tells where to cut.
      if (!isOneState && !isWorthCutting(page)) return undefined;
      pages.push(page);
    }
    if (isOneState) return pages;
    stretches.cut(pages);
    return undefined;
  }

  async function prepare(pages: readonly ShiftPage[]): Promise<void> {
    const [first] = pages;
    if (first === undefined || !isWorthCutting(first)) return;
    stretches.cut(pages);
    await stretches.learn(pages);
  }

  return { read, prepare };
}

export async function* readAtOnce(reader: StateReader, patienceMs: number): AsyncGenerator<ShiftPage, void> {
  yield* await reader.read(patienceMs);
}

function keptChanging(patienceMs: number): ShiftfeedChangedError {
  return new ShiftfeedChangedError(
    `The shifts changed while their pages were read, and again and again for ${patienceMs / 1_000} s after that: ask for fewer shifts, or allow more time (patienceMs).`,
    200,
  );
}
