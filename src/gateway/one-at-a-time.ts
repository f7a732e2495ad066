/**
 * Writes answers one at a time. A long one takes a tenth of a second, and visitors can make up very many queries.
 * Queries whose answer is in memory are answered in between.
 */

import { setImmediate as otherWork } from 'node:timers/promises';
import { type Schedule, TooBusy } from '@shiftfeed/gateway';

/** The limit for answers to queries. Popular answers go first, and are never refused. */
const MAX_WAITING = 50;

export function oneAtATime(maxWaiting = MAX_WAITING): Schedule {
  const popular: (() => void)[] = [];
  const others: (() => void)[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let next = nextWork(); next !== undefined; next = nextWork()) {
      next();
      await otherWork();
    }
    isRunning = false;
  }

  function nextWork(): (() => void) | undefined {
    return popular.shift() ?? others.shift();
  }

  return async (write, isPopular) => {
    if (!isPopular && others.length >= maxWaiting) throw new TooBusy();
    const { promise, resolve } = Promise.withResolvers<void>();
    (isPopular ? popular : others).push(resolve);
    void runAll();
    await promise;
    return write();
  };
}
