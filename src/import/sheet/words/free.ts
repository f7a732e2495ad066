/** What planners write in place of times if somebody has no shift, by language. */

import type { InLanguages } from './languages.ts';
import { plainWord } from './plain.ts';

export const FREE: InLanguages<string> = {
  English: 'off, day off, free, holiday, vacation, annual leave, leave, sick, sick leave, PTO',
  Dutch: 'vrij, verlof, vakantie, ziek',
  German: 'frei, Urlaub, krank',
  French: 'repos, congé, congés, vacances, maladie',
  Spanish: 'libre, vacaciones, descanso, enfermo, baja',
};

/** Dashes, which are compared as they are. */
export const FREE_SIGNS: readonly string[] = ['-', '–', '—', '--', '---'];

export function isFree(text: string): boolean {
  if (/^\d/.test(text)) return false;
  return WORDS.has(plainWord(text)) || FREE_SIGNS.includes(text);
}

const WORDS: ReadonlySet<string> = new Set(
  Object.values(FREE).flatMap((words) => words.split(', ').map(plainWord)),
);
