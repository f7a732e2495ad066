/** What a flag may say, by language. */

import type { InLanguages } from './languages.ts';

export const YES: InLanguages<string> = {
  English: 'yes y true t',
  Dutch: 'ja j waar',
  German: 'ja j wahr',
  French: 'oui o vrai',
  Spanish: 'sí s verdadero',
};

export const NO: InLanguages<string> = {
  English: 'no n false f',
  Dutch: 'nee n onwaar',
  German: 'nein n falsch',
  French: 'non n faux',
  Spanish: 'no n falso',
};

/** Signs, which are compared as they are. */
export const YES_SIGNS: readonly string[] = ['1', 'x', 'X', '×', '✓', '✔', '✔️', '☑', '☒', '✅', '★'];
export const NO_SIGNS: readonly string[] = ['0', '-', '–', '✗', '✘', '☐', '❌'];
