/** What sheets call a column of breaks, by language. */

import type { InLanguages } from './languages.ts';
import { beforeBracket, plainWord } from './plain.ts';

const BREAKS: InLanguages<string> = {
  English: 'Break, Breaks, Unpaid break, Meal break, Break time, Lunch',
  Dutch: 'Pauze, Pauzes, Pauzetijd',
  German: 'Pause, Pausen, Pausenzeit, Pausendauer',
  French: 'Pause, Pauses, Temps de pause, Coupure',
  Spanish: 'Pausa, Pausas, Descanso, Descansos',
};

/** `Pause (min)` is `Pause`. */
export function isBreakWord(heading: string): boolean {
  return WORDS.has(plainWord(beforeBracket(heading)));
}

const WORDS: ReadonlySet<string> = new Set(
  Object.values(BREAKS).flatMap((words) => words.split(', ').map(plainWord)),
);
