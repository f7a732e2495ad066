import type { Cleanup } from '../test/support/database.ts';

/** Runs work that starts servers and makes files, and ends them in the opposite order, however the work ends. */
export async function withCleanup<T>(work: (context: Cleanup) => Promise<T>): Promise<T> {
  const endings: (() => void | Promise<void>)[] = [];
  try {
    return await work({ after: (ending) => void endings.push(ending) });
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
}
