import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** How long tests wait for what must come. It only matters when it does not: a busy machine takes many times as long. */
export const LIMIT_MS = 2 * 60_000;
const INTERVAL_MS = 20;

/** Waits until something is so, but not for ever. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < endMs, `waited in vain until ${what}`);
    await pause(INTERVAL_MS);
  }
}
