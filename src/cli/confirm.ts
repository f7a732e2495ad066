import { createInterface } from 'node:readline/promises';
import { printable } from '../quote.ts';

/** Asks the user. Only yes counts as yes: the end of the input, or Ctrl-C, is a no. */
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
