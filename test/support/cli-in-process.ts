/**
 * Runs commands and servers in this process, which is many times cheaper than starting one for each. What a command sees
 * of a process is its own: environment, clock, input, output, signals and end. They print the same as the real ones of
 * cli.ts. The current folder cannot be its own, so commands begin one after another. Where an executable is tested, they
 * run there, unless they need another clock or a terminal.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '../../src/cli/main.ts';
import {
  type Child,
  EXECUTABLE,
  environment,
  type Finished,
  LAUNCHER,
  shiftfeed as runProcess,
  type Server,
  start as startProcess,
  whenListening,
  whenReady,
} from './cli.ts';
import type { Cleanup } from './database.ts';
import { testFolder } from './test-folder.ts';

export interface RunOptions {
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the clock says, for commands whose words depend on it. */
  readonly nowMs?: number;
  /** What it reads on standard input, of which there is none else. */
  readonly stdin?: string;
  /** Whether its input and output pretend to be a terminal of 80 columns. */
  readonly isTerminal?: boolean;
}

const SIGNALS: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** What a command has in place of a process. It gets signals as events, and tells of its end by `exit`. */
class Command extends EventEmitter implements Child {
  readonly env: NodeJS.ProcessEnv;
  readonly nowMs: number | undefined;
  readonly stdin: Readable;
  readonly stdout = Object.assign(new PassThrough(), { fd: process.stdout.fd });
  readonly stderr = new ErrorOutput();
  exitCode: number | null = null;

  constructor(env: NodeJS.ProcessEnv, { nowMs, stdin = '', isTerminal = false }: RunOptions) {
    super();
    this.env = env;
    this.nowMs = nowMs;
    this.stdin = Readable.from([Buffer.from(stdin)], { objectMode: false });
    if (!isTerminal) return;
    Object.assign(this.stdin, { isTTY: true });
    Object.assign(this.stdout, { isTTY: true, columns: 80, hasColors: () => true });
  }

  /** Returns its exit code when it has ended. */
  async run(args: readonly string[]): Promise<number> {
    const ended = once(this, 'exit');
    current.run(this, async () => {
      const code = await runCommand([process.execPath, LAUNCHER, ...args]);
      // A server goes on until it is told to stop.
      if (code !== 0 || this.listenerCount('SIGTERM') === 0) this.exit(code);
    });
    return (await ended)[0];
  }

  kill(signal: NodeJS.Signals): boolean {
    return current.run(this, () => this.emit(signal, signal));
  }

  exit(code: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = code;
    this.stdout.end();
    this.emit('exit', code, null);
    this.emit('close', code, null);
  }
}

/** Logs write to a descriptor, for which a file is made. */
class ErrorOutput extends Writable {
  #printed = '';
  #log: { readonly path: string; readonly fd: number } | undefined;

  get fd(): number {
    if (this.#log === undefined) {
      const path = join(testFolder(), `log-${randomUUID()}`);
      this.#log = { path, fd: openSync(path, 'a') };
    }
    return this.#log.fd;
  }

  text(): string {
    return this.#printed + (this.#log === undefined ? '' : readFileSync(this.#log.path, 'utf8'));
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#log === undefined) this.#printed += chunk;
    else writeSync(this.#log.fd, chunk);
    done();
  }
}

const current = new AsyncLocalStorage<Command>();
for (const name of ['env', 'stdin', 'stdout', 'stderr'] as const) {
  let value: unknown = process[name];
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => current.getStore()?.[name] ?? value,
    set: (given: unknown) => {
      value = given;
    },
  });
}
const real = { exit: process.exit, on: process.on, now: Date.now };
process.exit = (code) => {
  const command = current.getStore();
  if (command === undefined) return real.exit(code);
  command.exit(Number(code ?? 0));
  return undefined as never;
};
process.on = ((event: string, listener: () => void) => {
  const command = SIGNALS.has(event) ? current.getStore() : undefined;
  return command?.on(event, listener) ?? real.on.call(process, event, listener);
}) as typeof process.on;
Date.now = () => current.getStore()?.nowMs ?? real.now();

export function shiftfeed(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  if (EXECUTABLE && options.nowMs === undefined && !options.isTerminal)
    return runProcess(args, { cwd: process.cwd(), ...options, env: { npm_command: 'exec', ...options.env } });
  return inTurn(options, async (command) => {
    const [code, stdout] = await Promise.all([command.run(args), text(command.stdout)]);
    return { code, stdout, stderr: command.stderr.text() };
  });
}

/** Runs a command on a database. */
export function command(databaseUrl: string, ...args: string[]): Promise<Finished> {
  return shiftfeed([...args, '--database', databaseUrl]);
}

/** Starts `serve` on a free port and waits until it says that it listens. */
export function startServer(
  context: Cleanup,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Server<Child>> {
  return startHere(context, ['serve', '--port', '0', ...args], options);
}

/** Starts any server and waits until it says that it listens. Workers are processes, and so is what has them. */
export function startHere(
  context: Cleanup,
  args: readonly string[],
  options: RunOptions,
): Promise<Server<Child>> {
  if ((EXECUTABLE && !options.isTerminal) || / --workers (?!1\b)/.test(args.join(' ')))
    return whenReady(context, startProcess(args, options));
  let end = async () => {};
  // Now: what waited for its turn is, for Node's runner, of the file that had the turn before, whose hooks have run.
  context.after(() => end());
  return inTurn(options, async (command) => {
    const ended = command.run(args);
    end = async () => {
      command.kill('SIGINT');
      await ended;
    };
    return { ...(await whenListening(command)), complaints: () => command.stderr.text() };
  });
}

let previous: Promise<unknown> = Promise.resolve();

async function inTurn<T>(options: RunOptions, work: (command: Command) => Promise<T>): Promise<T> {
  const { databaseUrl, env, cwd } = options;
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const turn = Promise.withResolvers<void>();
  const before = previous;
  previous = turn.promise;
  await before;
  const folder = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    // So that lines to be pasted name no path of this machine.
    return await work(new Command({ ...environment(), npm_command: 'exec', ...database, ...env }, options));
  } finally {
    process.chdir(folder);
    turn.resolve();
  }
}
