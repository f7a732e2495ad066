/** Servers in processes of their own. Whatever was started ends with the benchmark. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Cores, onCores } from './cores.ts';
import { processorSeconds } from './processor/time.ts';

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Server extends Running {
  readonly url: string;
}

export interface StartOptions {
  readonly cores?: keyof Cores;
}

const children = new Set<ChildProcess>();

/** Starts a script of the project, by its path from here, that prints its URL first. */
export async function startServer(
  script: string,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Server> {
  const child = launch([process.execPath, pathOf(script), ...args], options);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, ...runningOf(child) };
  }
  throw new Error(`${script} did not start.`);
}

/** Starts Shiftfeed on a database. */
export function serveShiftfeed(
  databaseUrl: string,
  {
    cacheMb = 256,
    workers = 1,
    adminPort,
  }: { readonly cacheMb?: number; readonly workers?: number; readonly adminPort?: number } = {},
  options: StartOptions = {},
): Promise<Server> {
  const args = ['--port', '0', '--database', databaseUrl, '--cache-mb', String(cacheMb)];
  if (adminPort !== undefined) args.push('--admin-port', String(adminPort));
  return startServer('../bin/shiftfeed.js', ['serve', ...args, '--workers', String(workers)], options);
}

/**
 * Waits until a server has nothing to do any more. Shiftfeed answers for a large account before it has read all of it,
 * and what is measured as warm should be.
 */
export async function untilIdle({ pid }: Running): Promise<void> {
  if (!existsSync('/proc/self/stat')) return delay(20 * IDLE_MS);
  for (let before = Number.NaN, now = processorSeconds(pid); now !== before; now = processorSeconds(pid)) {
    before = now;
    await delay(IDLE_MS);
  }
}

const IDLE_MS = 500;

export function startCommand(command: readonly string[], options: StartOptions = {}): Running {
  return runningOf(launch(command, options));
}

/** Runs a script of the project to its end, on all cores. Memory is what the process took at its highest. */
export async function runToEnd(
  script: string,
  args: readonly string[],
): Promise<{ readonly seconds: number; readonly peakMb: number }> {
  const started = performance.now();
  const child = launch([process.execPath, pathOf(script), ...args], { cores: 'all' });
  const exited = once(child, 'exit');
  let peakKb = Number.NaN;
  const look = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    const found = existsSync(status)
      ? /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8'))?.[1]
      : undefined;
    if (found !== undefined) peakKb = Number(found);
  }, LOOK_MS);
  const [code] = await exited;
  clearInterval(look);
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${code}.`);
  return { seconds: (performance.now() - started) / 1_000, peakMb: peakKb / 1_024 };
}

const LOOK_MS = 20;

export function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

export async function stopAll(): Promise<void> {
  await Promise.all(Array.from(children, (child) => runningOf(child).stop()));
}

function launch(command: readonly string[], { cores = 'server' }: StartOptions): ChildProcess {
  const [file, ...args] = onCores(cores, command);
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', GRAPHILE_ENV: 'production' },
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
