/** Yes or no, as people write it. */

import { NO, NO_SIGNS, YES, YES_SIGNS } from '../words/flags.ts';
import { plainWord } from '../words/plain.ts';

export const FLAG_RULE = 'yes or no, true or false, 1 or 0, x or empty';

/** undefined: it says neither. */
export function readFlag(text: string): boolean | undefined {
  return FLAGS.get(text) ?? FLAGS.get(plainWord(text));
}

const wordsOf = (words: typeof YES) => Object.values(words).flatMap((some) => some.split(' ').map(plainWord));

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...[...wordsOf(YES), ...YES_SIGNS].map((word) => [word, true] as const),
  ...[...wordsOf(NO), ...NO_SIGNS].map((word) => [word, false] as const),
]);
