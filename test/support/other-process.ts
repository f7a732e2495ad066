/**
 * Another process that runs commands, for tests that are about what others change. It lives as long as its test, because
 * starting one for each command takes far longer than the command.
 */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environment, type Finished } from './cli.ts';
import type { RunOptions } from './cli-in-process.ts';
import type { Cleanup } from './database.ts';

const SCRIPT = fileURLToPath(new URL('./command-process.ts', import.meta.url));

export type RunCommand = (args: readonly string[], options: RunOptions) => Promise<Finished>;

export function startOtherProcess(context: Cleanup): RunCommand {
  const child = fork(SCRIPT, { env: environment(), execArgv: [] });
  context.after(() => {
    child.kill();
  });
  // It replies in the order in which it is told.
  const waiting: PromiseWithResolvers<Finished>[] = [];
  child.on('message', (finished: Finished) => waiting.shift()?.resolve(finished));
  child.on('exit', () => {
    for (const { reject } of waiting) reject(new Error('The process that runs commands has ended.'));
  });
  return (args, options) => {
    const finished = Promise.withResolvers<Finished>();
    waiting.push(finished);
    child.send({ args, options });
    return finished.promise;
  };
}
