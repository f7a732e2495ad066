import { plainWord } from './plain.ts';
import { TOTALS } from './totals.ts';

/** Whether a cell says that its row adds up others: `Total`, `Summe:`, `Total: 14.5`. */
export function isTotalWord(text: string): boolean {
  return WORDS.has(plainWord(text.replace(/[\d.,:\s]+$/, '')));
}

const WORDS: ReadonlySet<string> = new Set(Object.values(TOTALS).flat().map(plainWord));
