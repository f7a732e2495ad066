/** What sheets call their columns, and which column a heading stands for. docs/importing.md shows the table. */

import { closest, distance } from 'fastest-levenshtein';
import { anyOf, LANGUAGES, type Language, plainWord, plainWords, wordsOf } from './languages.ts';

/** The columns that a sheet may have. Some of them become several fields of a shift. */
export type TableColumn = keyof Language['headings'];

export const TABLE_COLUMNS = Object.keys(LANGUAGES[0]?.headings ?? {}) as readonly TableColumn[];

/** Whether a heading is the name of a column as an export of ours writes it. */
export function isOurName(heading: string): boolean {
  return !NOT_EXPORTED.has(heading) && TABLE_COLUMNS.some((column) => column === heading);
}

const NOT_EXPORTED: ReadonlySet<string> = new Set<TableColumn>(['times', 'hours', 'first_name', 'last_name']);

/**
 * Words with a star are of the second rank. They only count if no other heading of the sheet stands for the column: beside
 * `Date`, `Day` is a weekday.
 */
type Rank = 'first' | 'second';

/** `Start (24h)` is `Start`. Without a rank, the first one counts. undefined: the heading is not understood. */
export function columnOf(heading: string, rank?: Rank): TableColumn | undefined {
  if (rank === undefined) return columnOf(heading, 'first') ?? columnOf(heading, 'second');
  const words = WORDS[rank];
  const beforeBracket = heading.search(BRACKET);
  const column =
    words.get(plainWord(heading)) ??
    (beforeBracket === -1 ? undefined : words.get(plainWord(heading.slice(0, beforeBracket))));
  if (column !== undefined || !heading.includes('1')) return column;
  return numberedTime(heading)?.column;
}

const BRACKET = /[([]/;

/** The columns that a list may have several times, with a number each: `Start 2`, `End 2`, or `Shift 2 start`. */
type NumberedColumn = 'start_time' | 'end_time' | 'times';

/** undefined: the heading is no such column with a number. */
export function numberedTime(
  heading: string,
): { readonly column: NumberedColumn; readonly number: number } | undefined {
  const [, before = '', number, after = ''] =
    /^(.{1,40}?)[ _.#]?([1-9])(?:[ _.#](.{1,40}))?$/.exec(heading.trim()) ?? [];
  const word = plainWord(`${before} ${after}`);
  const column = WORDS.first.get(word) ?? WORDS.second.get(word);
  const isTime = column === 'start_time' || column === 'end_time' || column === 'times';
  return isTime ? { column, number: Number(number) } : undefined;
}

/** The column whose heading this almost is; undefined if it is unlike all of them, or is itself a word of the table. */
export function nearlyColumn(heading: string): TableColumn | undefined {
  const plain = plainWord(heading);
  if (
    plain === '' ||
    isOtherThing(heading) ||
    plain.length > MAX_HINT_LENGTH ||
    WORDS.first.has(plain) ||
    WORDS.second.has(plain)
  )
    return undefined;
  // Most words are too long or too short, and comparing them is slow.
  const words = LONG_WORDS.filter(({ length }) => Math.abs(length - plain.length) <= MAX_DISTANCE);
  if (words.length === 0) return undefined;
  const near = closest(plain, words);
  return distance(plain, near) <= Math.min(MAX_DISTANCE, near.length / 3) ? WORDS.first.get(near) : undefined;
}

/** `Employee ID` is no misspelt `Employee`, and `Shift no.` no count. */
export function isOtherThing(heading: string): boolean {
  return OTHER_THINGS.test(heading);
}

const OTHER_THINGS = new RegExp(`\\b${anyOf(({ otherHeadings }) => otherHeadings.ends)}\\.?$`, 'i');
const MAX_HINT_LENGTH = 40;
const MAX_DISTANCE = 2;
/** Shorter words resemble too many others. */
const MIN_MISSPELT_LENGTH = 4;

function wordsIn(rank: Rank): readonly (readonly [string, TableColumn])[] {
  return TABLE_COLUMNS.flatMap((column) =>
    wordsOf(({ headings }) => headings[column])
      .filter((word) => word.endsWith('*') === (rank === 'second'))
      .map((word) => [plainWord(word), column] as const),
  );
}

const WORDS: Readonly<Record<Rank, ReadonlyMap<string, TableColumn>>> = {
  first: new Map([
    ...wordsIn('first'),
    ...TABLE_COLUMNS.map((column) => [plainWord(column), column] as const),
  ]),
  second: new Map(wordsIn('second')),
};
/** A `Shift` is not a misspelt `Shift id`. */
const LONG_WORDS = [...WORDS.first].flatMap(([word, column]) =>
  word.length >= MIN_MISSPELT_LENGTH && column !== 'id' ? word : [],
);

/** Whether a heading names a column of breaks. `Pause (min)` and `1. Pause 9:30-9:50` are `Pause`. */
export function isBreakWord(heading: string): boolean {
  const [word = ''] = heading.split(BRACKET, 1);
  return BREAKS.has(plainWord(word.replace(/^\d{1,2}\.?\s/, '').replace(/\s[\d:.\s–-]{1,20}$/, '')));
}

const BREAKS = plainWords(({ otherHeadings }) => otherHeadings.breaks);
