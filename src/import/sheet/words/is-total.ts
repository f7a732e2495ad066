import { plainWord } from './plain.ts';
import { TOTALS } from './totals.ts';

/** Whether a cell says that its row adds up others: `Total`, `Summe:`, `Total: 14.5`. */
export function isTotalWord(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  let end = text.length;
  while (end > 0 && /[\d.,:\s]/.test(text[end - 1] ?? '')) end--;
  return WORDS.has(plainWord(text.slice(0, end)));
}

const MAX_CHARACTERS = 200;

const WORDS: ReadonlySet<string> = new Set(Object.values(TOTALS).flat().map(plainWord));
