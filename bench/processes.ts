/** Servers in processes of their own. Whatever was started ends with the benchmark. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Cores, onCores } from './cores.ts';
import { processorSeconds } from './processor-time.ts';

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Server extends Running {
  readonly url: string;
}

export const SHIFTFEED = fileURLToPath(new URL('../bin/shiftfeed.js', import.meta.url));

const children = new Set<ChildProcess>();
const startedMs = performance.now();

/** Says on standard error what is being done; results go elsewhere. */
export function note(what: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stderr.write(`${seconds.padStart(5)} s  ${what}\n`);
}

/** Starts a script that prints its URL first. */
export async function startServer(
  script: string,
  args: readonly string[],
  cores: keyof Cores = 'server',
): Promise<Server> {
  const child = launch([process.execPath, script, ...args], cores);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, ...runningOf(child) };
  }
  throw new Error(`${script} did not start.`);
}

export function startPeer(name: string, args: readonly string[]): Promise<Server> {
  return startServer(fileURLToPath(new URL(`./peers/${name}.ts`, import.meta.url)), args);
}

export interface ServeOptions {
  readonly cacheMb?: number;
  readonly workers?: number;
  readonly adminPort?: number;
  readonly cores?: keyof Cores;
}

export function serveShiftfeed(
  databaseUrl: string,
  { cacheMb = 256, workers = 1, adminPort, cores }: ServeOptions = {},
): Promise<Server> {
  const args = ['--port', '0', '--database', databaseUrl, '--cache-mb', String(cacheMb)];
  if (adminPort !== undefined) args.push('--admin-port', String(adminPort));
  return startServer(SHIFTFEED, ['serve', ...args, '--workers', String(workers)], cores);
}

const IDLE_MS = 500;

/**
 * Waits until a server has nothing to do any more. Shiftfeed answers for a large account before it has read all of it,
 * and what is measured as warm should be.
 */
export async function untilIdle({ pid }: Running): Promise<void> {
  for (let before = Number.NaN, now = processorSeconds(pid); now !== before; now = processorSeconds(pid)) {
    before = now;
    await delay(IDLE_MS);
  }
}

const LOOK_MS = 20;

/** Runs a script to its end, on all cores. Memory is what the process took at its highest. */
export async function runToEnd(script: string, args: readonly string[]) {
  const started = performance.now();
  const child = launch([process.execPath, script, ...args], 'all');
  const exited = once(child, 'exit');
  let peakMb = Number.NaN;
  const look = setInterval(() => {
    const found = megabytesOf(child.pid ?? Number.NaN, 'VmHWM');
    if (!Number.isNaN(found)) peakMb = found;
  }, LOOK_MS);
  const [code] = await exited;
  clearInterval(look);
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${code}.`);
  return { seconds: (performance.now() - started) / 1_000, peakMb };
}

/** What a process has in memory (VmRSS), or had at its highest (VmHWM). NaN when it is gone. */
export function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return Number.NaN;
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
}

export function startCommand(command: readonly string[]): Running {
  return runningOf(launch(command, 'server'));
}

export async function stopAll(): Promise<void> {
  await Promise.all(Array.from(children, (child) => runningOf(child).stop()));
}

function launch(command: readonly string[], cores: keyof Cores): ChildProcess {
  const [file, ...args] = onCores(cores, command);
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      SHIFTFEED_DRAIN_SECONDS: '0',
    },
  });
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.stdout?.resume();
  return child;
}

function runningOf(child: ChildProcess): Running {
  return {
    pid: child.pid ?? Number.NaN,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

// When the benchmark itself is ended, nothing is left behind.
process.on('exit', () => {
  for (const child of children) child.kill();
});
