/**
 * Finds new names that nearly equal other names, because a typing mistake may have created a second group, and names of
 * people that are another name and more: `Ada krank` beside `Ada`.
 */

import { foldName } from '@shiftfeed/common/names';
import { distance } from 'fastest-levenshtein';
import type { Table } from '../store/records.ts';

export type NamedTable = Exclude<Table, 'shifts'>;

export interface NearName {
  readonly table: NamedTable;
  /** The one that is new. */
  readonly name: string;
  readonly near: string;
  /** Whether it is a group whose shifts are not listed. */
  readonly isNearInactive: boolean;
  /** Whether it is the other name and more words. */
  readonly isLonger?: true;
}

/** Words of a name that are looked at. */
const MAX_WORDS = 12;

/** In time that grows with the names: each is looked up by its words. An initial is no word, and `Byron, Ada` one name. */
export function findLonger(made: readonly string[], isName: (name: string) => boolean): readonly NearName[] {
  return made.flatMap((name): readonly NearName[] => {
    const words = name.includes(',') ? [] : wordsOf(name).slice(0, MAX_WORDS);
    for (let length = words.length - 1; length > 0; length--)
      for (let start = 0; start + length <= words.length; start++) {
        const near = words.slice(start, start + length).join(' ');
        const others = words.toSpliced(start, length);
        if (near.length > 1 && isName(near) && !others.every(isInitial))
          return [{ table: 'people', name, near, isNearInactive: false, isLonger: true }];
      }
    return [];
  });
}

function wordsOf(name: string): readonly string[] {
  return name
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]{1,9}|[;:–-]{1,9}$/gu, ''))
    .filter((word) => word !== '');
}

function isInitial(word: string): boolean {
  return /^\p{L}\p{M}*\.?$/u.test(word);
}

/** Enough for some hundred new names beside 10,000 others. It takes about half a second. */
const MAX_COMPARISONS = 4_000_000;
/** Longer names take longer to compare. */
const USUAL_LENGTH = 30;

/** `others` may contain the new names as well: if two new names are nearly equal, the later one is reported. */
export function findNear(
  made: readonly string[],
  others: Iterable<string>,
  table: NamedTable,
  inactive: ReadonlySet<string>,
): readonly NearName[] {
  if (made.length === 0) return [];
  // Only names with the same marks can be near.
  const byMarks = Map.groupBy([...new Set(others)].map(spellingOf), ({ marks }) => marks);
  const isMade = new Set(made);
  const earlier = new Set<string>();
  const found: NearName[] = [];
  let left = MAX_COMPARISONS;
  for (const name of made) {
    const spelling = spellingOf(name);
    if (spelling.text === '') continue;
    const known = byMarks.get(spelling.marks) ?? [];
    left -= known.length * Math.ceil(spelling.text.length / USUAL_LENGTH);
    if (left < 0) break;
    const near = known.find(
      (one) => (!isMade.has(one.name) || earlier.has(one.name)) && isNear(spelling, one, table),
    )?.name;
    if (near !== undefined) found.push({ table, name, near, isNearInactive: inactive.has(near) });
    earlier.add(name);
  }
  return found;
}

interface Spelling {
  readonly name: string;
  /** Its words without accents, sorted. */
  readonly text: string;
  /** Numbers and single letters, which tell `Team 1` from `Team 2`. */
  readonly marks: string;
}

function spellingOf(name: string): Spelling {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
  const words = (plain.match(/\p{L}+|\p{N}+/gu) ?? []).toSorted();
  const isMark = (word: string) => word.length === 1 || /^\p{N}/u.test(word);
  return {
    name,
    text: words.filter((word) => !isMark(word)).join(' '),
    marks: words.filter(isMark).join(' '),
  };
}

/**
 * The lengths from which on one wrong letter, and two, count as a mistake. They are longer for people, because many
 * have nearly the same names.
 */
const LENGTHS: Readonly<Record<NamedTable, readonly [number, number]>> = {
  groups: [4, 7],
  locations: [4, 7],
  people: [8, Number.POSITIVE_INFINITY],
};

function isNear(a: Spelling, b: Spelling, table: NamedTable): boolean {
  if (a.text === b.text) return foldName(a.name) !== foldName(b.name);
  const [one, two] = LENGTHS[table];
  const length = Math.max(a.text.length, b.text.length);
  const most = length >= two ? 2 : length >= one ? 1 : 0;
  return Math.abs(a.text.length - b.text.length) <= most && distance(a.text, b.text) <= most;
}
