/** What comes of a command, for comparing all of it: its exit code and everything that it printed. */

import type { Finished } from './cli.ts';

/** It did what it was asked, printed these lines and complained about nothing. */
export function printed(...lines: readonly string[]): Finished {
  return { code: 0, stdout: lines.map((line) => `${line}\n`).join(''), stderr: '' };
}

/** It printed nothing but a sentence that says why not. */
export function refused(sentence: string, code = 1): Finished {
  return { code, stdout: '', stderr: `shiftfeed: ${sentence}\n` };
}
