/** Programs that a machine may lack. */

import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';

/** Skips a test that needs a program where the command that looks for it fails. The end of the output tells that. */
export function skipsWithout(
  context: TestContext,
  [program = '', ...args]: readonly string[],
  packageName = program,
): boolean {
  const isThere = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (!isThere) context.skip(`${program} is not installed ("apt-get install ${packageName}").`);
  return !isThere;
}
