import type { Finished } from './cli.ts';
import { shiftfeed } from './cli-in-process.ts';

/** Runs a command on a database, in this process. */
export function command(databaseUrl: string, ...args: string[]): Promise<Finished> {
  return shiftfeed([...args, '--database', databaseUrl]);
}
