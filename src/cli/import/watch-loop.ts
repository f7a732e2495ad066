/**
 * Imports a file whenever it has changed and is no longer being written to. The file is polled, because a network
 * folder does not report changes that others make. Only the last look and the last message are remembered.
 */

import { stat } from 'node:fs/promises';
import { withDeadline } from '../../feed/waiting.ts';

/** What can be seen of the file without reading it. */
export type Look =
  /** A different `state` means different content. `changedMs` is by the clock of the file server. */
  | { readonly state: string; readonly changedMs: number }
  /** Why it cannot be seen, as a sentence. */
  | { readonly trouble: string };

export type Outcome =
  /** It was imported, or its problems were reported: there is nothing to do until it changes. */
  | 'done'
  /** It changed while it was read. */
  | 'changed'
  /** Something else failed, such as the database. The same file is tried again. */
  | { readonly trouble: string };

export interface Watching {
  /** Must not reject. */
  look(): Promise<Look>;
  /** Rejects only to end the watch. */
  importFile(state: string): Promise<Outcome>;
  tellTrouble(sentence: string): void;
  /** The file is back, unchanged since it was imported. */
  tellSame(): void;
  nowMs(): number;
  /** Ends early when the watch is to stop. */
  pause(ms: number): Promise<void>;
  readonly stop: AbortSignal;
}

export const LOOK_INTERVAL_MS = 1_000;
/** Longer than two seconds, the resolution of times on some file systems. */
export const STILL_MS = 3_000;
export const FIRST_RETRY_MS = 5_000;
export const LAST_RETRY_MS = 60_000;

/** Ends when it is told to stop, after a running import. */
export async function watchFile(watching: Watching): Promise<void> {
  const { stop, nowMs } = watching;
  const troubles = makeTroubles(watching);
  let seen: { readonly state: string; readonly sinceMs: number } | undefined;
  let done: string | undefined;
  let isFirstLook = true;
  let retryMs = FIRST_RETRY_MS;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  for (; !stop.aborted; await watching.pause(LOOK_INTERVAL_MS)) {
    const look = await watching.look();
    const now = nowMs();
    if ('trouble' in look) {
      seen = undefined;
      troubles.lasting(look.trouble, now, isFirstLook);
      isFirstLook = false;
      continue;
    }
    if (seen?.state !== look.state) {
      // At the start, a file that was saved long ago needs no wait.
      const isOld = isFirstLook && look.changedMs <= now;
      seen = { state: look.state, sinceMs: isOld ? look.changedMs : now };
      troubles.forgetUnlessTold();
    }
    isFirstLook = false;
    if (seen.state === done) {
      troubles.over();
      continue;
    }
    if (now - seen.sinceMs < STILL_MS || now < notBeforeMs) continue;
    const outcome = await watching.importFile(seen.state);
    if (outcome === 'done') {
      done = seen.state;
      retryMs = FIRST_RETRY_MS;
      troubles.clear();
    } else if (outcome === 'changed') {
      seen = undefined;
    } else {
      if (!stop.aborted) troubles.tell(outcome.trouble);
      notBeforeMs = nowMs() + retryMs;
      retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    }
  }
}

/** Reports each trouble once. A file may be missing for a moment while it is saved, which is not reported. */
function makeTroubles({ tellTrouble, tellSame }: Watching) {
  let beganMs: number | undefined;
  let told: string | undefined;

  function tell(sentence: string): void {
    if (sentence !== told) tellTrouble(sentence);
    told = sentence;
  }

  return {
    tell,
    lasting(sentence: string, nowMs: number, isAtOnce: boolean): void {
      beganMs ??= nowMs;
      if (isAtOnce || nowMs - beganMs >= STILL_MS) tell(sentence);
    },
    forgetUnlessTold(): void {
      beganMs = undefined;
    },
    /** The file is there, as it was when it was imported. */
    over(): void {
      if (told !== undefined) tellSame();
      this.clear();
    },
    clear(): void {
      told = undefined;
      beganMs = undefined;
    },
  };
}

export const SILENT_MS = 10_000;

/**
 * Looks at the file. Its folder may be on a network, and not answer while its server is away. `read` stands for `stat`,
 * so that a test can keep it waiting.
 */
export function makeLook(file: string, read = stat): () => Promise<Look> {
  let asked: Promise<Look> | undefined;
  return async () => {
    // While there is no answer, the question is not repeated: each one would keep a thread.
    asked ??= lookAt(file, read).finally(() => {
      asked = undefined;
    });
    return withDeadline(asked, SILENT_MS).catch(() => unseen(file, 'does not answer'));
  };
}

async function lookAt(file: string, read: typeof stat): Promise<Look> {
  try {
    const found = await read(file);
    if (!found.isFile()) return { trouble: `${file} is not a file. It is imported as soon as it is one.` };
    return { state: `${found.size} ${found.mtimeMs}`, changedMs: found.mtimeMs };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return unseen(file, isMissing ? 'is not there' : `cannot be seen (${code ?? message})`);
  }
}

function unseen(file: string, why: string): Look {
  return { trouble: `${file} ${why}. It is imported as soon as it can be read.` };
}
