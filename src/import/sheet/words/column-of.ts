/** Finds the column that a heading stands for, or almost stands for. */

import { closest, distance } from 'fastest-levenshtein';
import { SHEET_COLUMNS } from '../../../store/records.ts';
import { HEADINGS, SECOND_HEADINGS, TABLE_COLUMNS, type TableColumn } from './headings.ts';
import { beforeBracket, plainWord } from './plain.ts';

/** Words of the second rank only count if no other heading stands for the column. */
export type Rank = 'first' | 'second';

/** `Start (24h)` is `Start`. undefined: the heading is not understood. */
export function columnOf(heading: string, rank: Rank): TableColumn | undefined {
  const words = WORDS[rank];
  return words.get(plainWord(heading)) ?? words.get(plainWord(beforeBracket(heading)));
}

/** The column whose heading this almost is; undefined if it is unlike all of them, or is itself a word of the table. */
export function nearlyColumn(heading: string): TableColumn | undefined {
  const plain = plainWord(heading);
  if (plain === '' || plain.length > MAX_HINT_LENGTH || WORDS.first.has(plain) || WORDS.second.has(plain))
    return undefined;
  // Most words are too long or too short, and comparing them is slow.
  const words = LONG_WORDS.filter(({ length }) => Math.abs(length - plain.length) <= MAX_DISTANCE);
  if (words.length === 0) return undefined;
  const near = closest(plain, words);
  return distance(plain, near) <= Math.min(MAX_DISTANCE, near.length / 3) ? WORDS.first.get(near) : undefined;
}

const MAX_HINT_LENGTH = 40;
const MAX_DISTANCE = 2;
/** Shorter words resemble too many others. */
const MIN_MISSPELT_LENGTH = 4;

function wordsOf(table: typeof SECOND_HEADINGS): ReadonlyMap<string, TableColumn> {
  const words = new Map<string, TableColumn>();
  for (const column of TABLE_COLUMNS) {
    for (const ofLanguage of Object.values(table[column] ?? {})) {
      for (const heading of ofLanguage) words.set(plainWord(heading), column);
    }
  }
  return words;
}

const WORDS: Readonly<Record<Rank, ReadonlyMap<string, TableColumn>>> = {
  first: new Map([
    ...wordsOf(HEADINGS),
    ...SHEET_COLUMNS.map((column) => [plainWord(column), column] as const),
  ]),
  second: wordsOf(SECOND_HEADINGS),
};
/** A `Shift` is not a misspelt `Shift id`. */
const LONG_WORDS = [...WORDS.first].flatMap(([word, column]) =>
  word.length >= MIN_MISSPELT_LENGTH && column !== 'id' ? word : [],
);
