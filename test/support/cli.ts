/** Runs the real command line in processes of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './database.ts';

export const LAUNCHER = fileURLToPath(new URL('../../bin/shiftfeed.js', import.meta.url));

const RUN_LIMIT_MS = 60_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly databaseUrl?: string;
  readonly cwd?: string;
  readonly node?: string;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own, as a shell starts it. */
  readonly detached?: boolean;
  /** What it reads on standard input, of which there is none else. */
  readonly stdin?: string;
}

/** Runs a command to its end. */
export async function shiftfeed(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = start(args, options);
  child.stdin?.end(options.stdin);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // A command that does not end is a failure, not a test run that hangs.
  const limit = setTimeout(() => child.kill('SIGKILL'), RUN_LIMIT_MS);
  const [code] = await once(child, 'close');
  clearTimeout(limit);
  return { code, ...output };
}

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has printed on standard output so far, line by line. */
  readonly lines: readonly string[];
  /** The next line that it prints after those. */
  nextLine(): Promise<string>;
  /** What it has printed on standard error so far. */
  complaints(): string;
}

/** Starts `serve` on a free port and waits until it says that it listens. */
export async function startServer(
  context: Cleanup,
  args: readonly string[],
  options: RunOptions,
): Promise<Server> {
  return whenReady(context, start(['serve', '--port', '0', ...args], options));
}

/** Waits until a server that was started says that it listens. */
export async function whenReady(context: Cleanup, child: ChildProcess): Promise<Server> {
  context.after(() => {
    child.kill('SIGKILL');
  });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await reader.next();
    if (done) throw new Error(`the server ended after ${JSON.stringify(lines)}`);
    lines.push(value);
    return value as string;
  };
  const url = /http:\/\/\S+/.exec(await nextLine())?.[0];
  if (url === undefined) throw new Error(`no URL in ${lines}`);
  return { url, child, lines, nextLine, complaints: () => complaints };
}

/** Tells a process to end, and how it did: with a code, or by a signal. */
export async function exitOf(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown[]> {
  const exit = once(child, 'exit');
  child.kill(signal);
  return exit;
}

export function start(
  args: readonly string[],
  { databaseUrl, cwd, node = process.execPath, nodeArgs = [], env = {}, detached = false, stdin }: RunOptions,
): ChildProcess {
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  return spawn(node, [...nodeArgs, LAUNCHER, ...args], {
    env: { ...environment(), ...database, ...env },
    cwd,
    detached,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

/** What would change how a command behaves. */
const MEANT_FOR_COMMANDS =
  /^(SHIFTFEED_.*|DATABASE_URL|DATABASE_URL_FILE|HOST|PORT|NO_COLOR|FORCE_COLOR|CLICOLOR_FORCE|NODE_TEST_CONTEXT)$/;

/** The environment of the tests without that. Servers end at once, because nobody has to notice before. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !MEANT_FOR_COMMANDS.test(name));
  return { ...Object.fromEntries(kept), SHIFTFEED_DRAIN_SECONDS: '0' };
}
