/** Looks at a file. Its folder may be on a network, and not answer while its server is away. */

import { stat } from 'node:fs/promises';
import type { Look } from './loop.ts';

export const SILENT_MS = 10_000;

/** `read` stands for `stat`, so that a test can keep it waiting. */
export function makeLook(file: string, read = stat): () => Promise<Look> {
  let asked: Promise<Look> | undefined;
  return async () => {
    // While there is no answer, the question is not repeated: each one would keep a thread.
    asked ??= lookAt(file, read).finally(() => {
      asked = undefined;
    });
    const { promise: silence, resolve: giveUp } = Promise.withResolvers<Look>();
    const timeout = setTimeout(() => giveUp(unseen(file, 'does not answer')), SILENT_MS);
    try {
      return await Promise.race([asked, silence]);
    } finally {
      clearTimeout(timeout);
    }
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
