/** An honest client: it asks now and then, over a connection that it keeps, and notes how long answers take. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Get } from '../client.ts';
import type { Target } from './attacks.ts';

export interface Observation {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answered: number;
  readonly failed: number;
}

const INTERVAL_MS = 5;

export async function observe(get: Get, { path, token }: Target, seconds: number): Promise<Observation> {
  const times: number[] = [];
  let failed = 0;
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const status = await get(path, { authorization: `Bearer ${token}` }).then(
      (reply) => reply.status,
      () => 0,
    );
    if (status === 200) times.push(performance.now() - startMs);
    else failed++;
    await delay(INTERVAL_MS);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.POSITIVE_INFINITY;
  return { p50Ms: at(0.5), p99Ms: at(0.99), answered: times.length, failed };
}
