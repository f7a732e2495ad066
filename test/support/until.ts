import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const INTERVAL_MS = 20;

/** Waits until something is so, but not for ever. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await isSo()); waitedMs += INTERVAL_MS) {
    assert.ok(waitedMs < LIMIT_MS, `waited in vain until ${what}`);
    await pause(INTERVAL_MS);
  }
}
