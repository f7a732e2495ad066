/**
 * The command line. Exit codes: 0 done, 2 wrong usage, 1 any other error. Errors are printed on standard error as a
 * sentence.
 */

import cluster from 'node:cluster';
import { CommanderError } from 'commander';
import { ServerFailure } from '../server/lifecycle.ts';
import { StoreFailure } from '../store/failure.ts';
import { Failure } from './failure.ts';
import { firstSteps } from './help.ts';
import { warn } from './print.ts';
import { makeProgram } from './program.ts';

export async function main(argv: readonly string[]): Promise<void> {
  surviveLostOutput();
  const exitCode = await runCommand(argv);
  // A failed write to standard output may have set another exit code.
  if (exitCode !== 0) process.exitCode = exitCode;
}

/** The words that come before the arguments. */
const NODE_AND_LAUNCHER = 2;

/** Runs a command and returns its exit code. A server keeps running after that. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    if (argv.length <= NODE_AND_LAUNCHER) return showFirstSteps();
    const program = await makeProgram(argv[NODE_AND_LAUNCHER]);
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return report(error);
  }
}

/** A script that forgot its arguments must not succeed. */
function showFirstSteps(): number {
  process.stderr.write(firstSteps());
  return 2;
}

function report(error: unknown): number | Promise<number> {
  // Commander has printed its error already. Its errors are about usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Failure) return complain(error.message, error.exitCode);
  if (error instanceof ServerFailure) return complain(error.message, 1);
  if (error instanceof StoreFailure) return complain(error.message, error.kind === 'bad-url' ? 2 : 1);
  if ((error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd')
    return complain('The current folder was removed: change to another one.', 1);
  return complain(`An internal error occurred: ${error instanceof Error ? error.message : String(error)}`, 1);
}

async function complain(message: string, exitCode: number): Promise<number> {
  if (cluster.isWorker) {
    const { tellPrimary } = await import('../server/workers.ts');
    // A worker ends when it disconnects from its primary.
    tellPrimary({ kind: 'failure', sentence: message }, () => process.disconnect?.());
  } else warn(message);
  return exitCode;
}

/**
 * A server keeps running when its output cannot be written. A command succeeds if its reader closed the pipe, as `head`
 * does, and fails in other cases, such as a full disk.
 */
function surviveLostOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || process.exitCode === 1) return;
    warn(`Standard output could not be written: ${message}.`);
    process.exitCode = 1;
  });
}
