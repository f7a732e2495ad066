/**
 * Runs commands in this process, which is many times cheaper than starting one for each. They get the same arguments
 * and environment, and print the same, as the real ones of cli.ts. Commands run one at a time, because they share the
 * environment. Where an executable is tested, they run there, unless they need another clock.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { runCommand } from '../../src/cli/main.ts';
import { EXECUTABLE, environment, type Finished, LAUNCHER, shiftfeed as runProcess } from './cli.ts';

export interface RunOptions {
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the clock says, for commands whose words depend on it. */
  readonly nowMs?: number;
}

type Output = Record<'stdout' | 'stderr', string>;

/** Captures what a command prints. The test runner uses the same streams, so its output is passed through. */
const outputs = new AsyncLocalStorage<Output>();
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (text: unknown, ...rest: unknown[]) => {
    const output = outputs.getStore();
    if (output === undefined) return write(text, ...rest);
    output[name] += text;
    const onWritten = rest.at(-1);
    if (typeof onWritten === 'function') process.nextTick(onWritten as () => void);
    return true;
  };
}

let previous: Promise<unknown> = Promise.resolve();

export function shiftfeed(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const finished = previous.then(() => run(args, options));
  previous = finished.catch(() => undefined);
  return finished;
}

/** Runs a command on a database. */
export function command(databaseUrl: string, ...args: string[]): Promise<Finished> {
  return shiftfeed([...args, '--database', databaseUrl]);
}

async function run(
  args: readonly string[],
  { databaseUrl, env = {}, cwd, nowMs }: RunOptions,
): Promise<Finished> {
  if (EXECUTABLE && nowMs === undefined) {
    const here = { cwd: cwd ?? process.cwd(), env: { npm_command: 'exec', ...env } };
    return runProcess(args, databaseUrl === undefined ? here : { ...here, databaseUrl });
  }
  const before = { env: process.env, cwd: process.cwd(), clock: Date.now };
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  // So that lines to be pasted name no path of this machine.
  process.env = { ...environment(), npm_command: 'exec', ...database, ...env };
  if (cwd !== undefined) process.chdir(cwd);
  if (nowMs !== undefined) Date.now = () => nowMs;
  const output: Output = { stdout: '', stderr: '' };
  try {
    const code = await outputs.run(output, () => runCommand([process.execPath, LAUNCHER, ...args]));
    return { code, ...output };
  } finally {
    process.env = before.env;
    process.chdir(before.cwd);
    Date.now = before.clock;
  }
}
