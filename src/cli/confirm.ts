/** Asks before something is lost for good. */

import { createInterface } from 'node:readline/promises';
import { printable } from '@shiftfeed/common/quote';
import { Failure, wrongUse } from './failure.ts';

/**
 * Asks whether to remove something. Without a terminal there is nobody to ask, and only --yes removes it. `state` says
 * what would be lost, and `sentence` says it as the beginning of a question.
 */
export async function confirmRemoval(what: string, state: string, sentence: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw wrongUse(`Nothing was removed: ${state}. Give --yes to remove ${what} without being asked.`);
  }
  const question = `${sentence}. Remove ${what} for good?`;
  if (!(await confirm(question, process.stdin, process.stderr))) throw new Failure('Nothing was removed.');
}

/** Only yes counts as yes: the end of the input, or Ctrl-C, is a no. */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const reader = createInterface({ input, output });
  const closed = Promise.withResolvers<string>();
  reader.once('close', () => closed.resolve(''));
  try {
    const answer = await Promise.race([reader.question(`${printable(question)} [y/N] `), closed.promise]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
