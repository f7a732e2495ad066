/**
 * Which cores servers and load run on: apart where there are two, or one would be measured by what the other leaves
 * over. Databases count as part of the servers, unless a measurement says otherwise.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lists as `taskset` takes them. */
export interface Cores {
  readonly server: string;
  readonly load: string;
  readonly all: string;
}

/** undefined: there is one core only, or no `taskset`, and everything runs where the system puts it. */
export const CORES: Cores | undefined = findCores();

export function describeCores(): string {
  if (CORES === undefined) return 'Servers and load share all cores: there is one only, or no `taskset`.';
  return `Servers, and their databases, run on core ${CORES.server}, the load on ${CORES.load}, held there by \`taskset\`, unless a section says otherwise.`;
}

/** The command that runs another one on some cores. */
export function onCores(cores: keyof Cores, command: readonly string[]): [string, ...string[]] {
  const pinned = CORES === undefined ? command : ['taskset', '-c', CORES[cores], ...command];
  return pinned as [string, ...string[]];
}

/** Moves a process with all of its threads, and with whatever it starts from now on. */
export function moveTo(cores: keyof Cores, pid: number): void {
  if (CORES !== undefined) spawnSync('taskset', ['-a', '-c', '-p', CORES[cores], String(pid)]);
}

function findCores(): Cores | undefined {
  if (spawnSync('taskset', ['-V']).error !== undefined) return undefined;
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const [first, ...others] = (allowed ?? '').split(',').flatMap(expandRange);
  if (first === undefined || others.length === 0) return undefined;
  return { server: String(first), load: others.join(), all: [first, ...others].join() };
}

/** `2-4` → 2, 3, 4. */
function expandRange(text: string): number[] {
  const [from = Number.NaN, to = from] = text.split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
