/** Names for times of day, by language. */

import type { InLanguages } from './languages.ts';
import { plainWord } from './plain.ts';

/** Dutch and German are missing: their word for noon also means a part of the day. */
const NOON: Partial<InLanguages<string>> = { English: 'noon', French: 'midi', Spanish: 'mediodía' };

const MIDNIGHT: InLanguages<string> = {
  English: 'midnight',
  Dutch: 'middernacht',
  German: 'Mitternacht',
  French: 'minuit',
  Spanish: 'medianoche',
};

/** The minute of the day; undefined: it is no such name. */
export function namedMinute(text: string): number | undefined {
  return /\d/.test(text[0] ?? '') ? undefined : MINUTES.get(plainWord(text));
}

const MINUTES: ReadonlyMap<string, number> = new Map([
  ...Object.values(NOON).map((word) => [plainWord(word), 12 * 60] as const),
  ...Object.values(MIDNIGHT).map((word) => [plainWord(word), 0] as const),
]);
