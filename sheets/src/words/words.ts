/** The words that cells hold beside dates and times. */

import { MAX_WORD_CHARACTERS, plainWord, plainWords, wordsOf } from './languages.ts';

export const FLAG_RULE = 'yes or no, true or false, 1 or 0, x or empty';

/** undefined: it says neither yes nor no. Who writes `(x)` or `x?` is not sure. */
export function readFlag(text: string): boolean | undefined {
  return FLAGS.get(text) ?? (/[^\p{L}\p{M}\p{N}\s.!]/u.test(text) ? undefined : FLAGS.get(plainWord(text)));
}

const YES = plainWords(({ cells }) => cells.yes);
const NO = plainWords(({ cells }) => cells.no);
/** Signs, which are compared as they are. */
const YES_SIGNS: readonly string[] = ['1', 'x', 'X', '×', '✓', '✔', '✔️', '☑', '☒', '✅', '★'];
const NO_SIGNS: readonly string[] = ['0', '-', '–', '✗', '✘', '☐', '❌'];

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...[...YES, ...YES_SIGNS].map((word) => [word, true] as const),
  ...[...NO, ...NO_SIGNS].map((word) => [word, false] as const),
]);

/** Whether a cell says, in place of times, that somebody has no shift. */
export function isFree(text: string): boolean {
  if (/^\d/.test(text)) return false;
  return FREE.has(plainWord(text)) || FREE_SIGNS.includes(text);
}

export const FREE = plainWords(({ cells }) => cells.free);

/** Dashes, which are compared as they are. */
const FREE_SIGNS: readonly string[] = ['-', '–', '—', '--', '---'];

/** Whether a cell says that it has no content, as programs and people write it. */
export function isNothing(text: string): boolean {
  return NOTHING.has(text);
}

/** `Nan` and `Na` are names. */
const NOTHING: ReadonlySet<string> = new Set([
  ...'- – — -- --- . .. ... … ? ?? ??? * #N/A NaN nan null NULL'.split(' '),
  ...wordsOf(({ cells }) => cells.nothing),
]);

/** Whether a cell says that it is as the one above. */
export function isDitto(text: string): boolean {
  // Most cells that are so short are times.
  if (text.length > MAX_DITTO_CHARACTERS || text === '' || /^\d/.test(text)) return false;
  return DITTOS.has(text.toLowerCase());
}

const MAX_DITTO_CHARACTERS = 5;
const DITTOS: ReadonlySet<string> = new Set([
  ...`" '' ″ 〃 “ ” „ -"- "-"`.split(' '),
  ...wordsOf(({ cells }) => cells.ditto),
]);

/** Whether a cell says that its row adds up others: `Total`, `Summe:`, `Total: 14.5`. */
export function isTotalWord(text: string): boolean {
  if (text.length > MAX_WORD_CHARACTERS) return false;
  let end = text.length;
  while (end > 0 && /[\d.,:\s]/.test(text[end - 1] ?? '')) end--;
  return TOTALS.has(plainWord(text.slice(0, end)));
}

const TOTALS = plainWords(({ cells }) => cells.total);

/** What spreadsheets show in a cell whose formula failed. */
export const ERROR_VALUES: ReadonlySet<string> = new Set(wordsOf(({ cells }) => cells.errors));
