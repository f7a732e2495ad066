/** The processor time of servers, as Linux counts it. Unlike the time of day, it does not grow while others are at work. */

import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process and those that it started have used so far, all threads, in the server's code and in the kernel. */
export function processorSeconds(pid: number): number {
  let ticks = ticksOf(pid);
  for (const child of childrenOf(pid)) ticks += processorSeconds(child) * TICKS_PER_SECOND;
  return ticks / TICKS_PER_SECOND;
}

/** Fields 14 and 15, counted after the name, which may hold anything. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
