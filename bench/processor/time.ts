/** The processor time of servers, as Linux counts it. Unlike the time of day, it does not grow while others are at work. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process and those that it started have used so far, all threads, in the server's code and in the kernel. */
export function processorSeconds(pid: number): number {
  let ticks = ticksOf(pid);
  for (const child of childrenOf(pid)) ticks += processorSeconds(child) * TICKS_PER_SECOND;
  return ticks / TICKS_PER_SECOND;
}

export interface Scheduled {
  readonly ranSeconds: number;
  /** For a processor that somebody else had: another process, or another thread of this one. */
  readonly waitedSeconds: number;
}

/**
 * The same in nanoseconds' precision, where Linux keeps it, so that a turn may be short. Threads that have ended do not
 * count, and even an idle process uses some.
 */
export function scheduled(pid: number): Scheduled {
  if (!existsSync('/proc/self/schedstat')) return { ranSeconds: processorSeconds(pid), waitedSeconds: 0 };
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    const [ran = 0, waited = 0] = fields.map((nanoseconds) => Number(nanoseconds) / 1e9);
    return { ranSeconds: ran, waitedSeconds: waited };
  });
  return sumOf([...threads, ...childrenOf(pid).map(scheduled)]);
}

export function sumOf(all: readonly Scheduled[]): Scheduled {
  return {
    ranSeconds: all.reduce((sum, { ranSeconds }) => sum + ranSeconds, 0),
    waitedSeconds: all.reduce((sum, { waitedSeconds }) => sum + waitedSeconds, 0),
  };
}

/** What those used that this process started and that have ended. */
export function endedProcessorSeconds(): number {
  const [, , children = 0, childrenInKernel = 0] = timesOf(process.pid);
  return (children + childrenInKernel) / TICKS_PER_SECOND;
}

function ticksOf(pid: number): number {
  const [own = 0, inKernel = 0] = timesOf(pid);
  return own + inKernel;
}

/** Fields 14 to 17, counted after the name, which may hold anything. */
function timesOf(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).map(Number);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
