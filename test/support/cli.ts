/** Runs the real command line in processes of its own. */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './database.ts';
import { LIMIT_MS } from './until.ts';

export const LAUNCHER = fileURLToPath(new URL('../../bin/shiftfeed.js', import.meta.url));

const { SHIFTFEED_PROGRAM } = process.env;
/** SHIFTFEED_PROGRAM names the executable that is tested in place of the clone. */
export const EXECUTABLE = SHIFTFEED_PROGRAM && resolve(SHIFTFEED_PROGRAM);

/** For tests that pretend there is a terminal, by a module that is loaded first. */
export const WITH_PRELOAD = { skip: EXECUTABLE ? 'an executable loads no other modules' : false };

/** The words that start what is tested. */
export function program({ node = process.execPath, nodeArgs = [] }: RunOptions = {}): [string, ...string[]] {
  return EXECUTABLE ? [EXECUTABLE] : [node, ...nodeArgs, LAUNCHER];
}

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
  readonly stdio?: StdioOptions;
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
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [code] = await once(child, 'close');
  clearTimeout(limit);
  return { code, ...output };
}

/** What tests use of a server's process, or of what stands for one (cli-in-process.ts). */
export interface Child extends EventEmitter, Pick<ChildProcess, 'kill' | 'stdout'> {}

export interface Server<C = ChildProcess> {
  readonly url: string;
  readonly child: C;
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

/** Waits until a server that was started says that it listens. It is killed when the test ends. */
export async function whenReady(context: Cleanup, child: ChildProcess): Promise<Server> {
  context.after(() => {
    child.kill('SIGKILL');
  });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  return { ...(await whenListening(child)), complaints: () => complaints };
}

export async function whenListening<C extends Child>(child: C): Promise<Omit<Server<C>, 'complaints'>> {
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
  return { url, child, lines, nextLine };
}

/** Tells a process to end, and how it did: with a code, or by a signal. */
export async function exitOf(child: Child, signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown[]> {
  const exit = once(child, 'exit');
  child.kill(signal);
  return exit;
}

export function start(args: readonly string[], options: RunOptions): ChildProcess {
  const { databaseUrl, cwd, nodeArgs = [], env = {}, detached = false } = options;
  const { stdin, stdio = [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] } = options;
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const [file, ...words] = program(options);
  // The executable takes options of Node from there alone.
  const node = EXECUTABLE ? { NODE_OPTIONS: nodeArgs.map((word) => JSON.stringify(word)).join(' ') } : {};
  return spawn(file, [...words, ...args], {
    env: { ...environment(), ...node, ...database, ...env },
    cwd,
    detached,
    stdio,
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
