/** What Linux tells about processes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The processes that a process has started. */
export function childrenOf(parent: number | undefined): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => {
    try {
      const [, ppid] = /\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return Number(ppid) === parent;
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

/** Ends a process at once, and all that it and its children have started. */
export function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const children = existsSync('/proc/self/stat') ? childrenOf(pid) : [];
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  for (const child of children) killTree(child);
}

/** How many files, connections and pipes a process has open. */
export function descriptorsOf(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** What a process has in memory (VmRSS), or had at its highest (VmHWM). */
export function megabytesOf(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
}

/** A process that has ended, but whose parent has not noticed yet, is not alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** What this process has used of the processors, and those that it started and that have ended. */
export function cpuSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  // The name of the program, in brackets, may hold spaces. Linux counts in hundredths of a second.
  const [, rest = ''] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  const ticks = rest.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, count) => sum + count, 0) / 100;
}
