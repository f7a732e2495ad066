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
  /** undefined: it is unlike all others. */
  readonly near?: string;
  /** Whether the other one is a group whose shifts are not listed. */
  readonly isNearInactive?: boolean;
  /** Whether it may be something else than a person, which a page asks. */
  readonly isLikely?: true;
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
          return [{ table: 'people', name, near, isLikely: true }];
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

/** Of names that have a piece in common with it, a name is compared with at most so many. */
const MAX_COMPARED = 200;

/** `others` may contain the new names as well: if two new names are nearly equal, the later one is reported. */
export function findNear(
  made: readonly string[],
  others: Iterable<string>,
  table: NamedTable,
  inactive: ReadonlySet<string>,
): readonly NearName[] {
  if (made.length === 0) return [];
  const isMade = new Set(made);
  const byPiece = new Map<string, Spelling[]>();
  const add = (spelling: Spelling) => {
    for (const key of piecesOf(spelling, table)) byPiece.getOrInsertComputed(key, () => []).push(spelling);
  };
  for (const name of new Set(others)) if (!isMade.has(name)) add(spellingOf(name));
  const found: NearName[] = [];
  for (const name of made) {
    const spelling = spellingOf(name);
    if (spelling.text === '') continue;
    const near = piecesNear(spelling, table)
      .flatMap((key) => byPiece.get(key) ?? [])
      .take(MAX_COMPARED)
      .find((one) => isNear(spelling, one, table))?.name;
    if (near !== undefined) found.push({ table, name, near, isNearInactive: inactive.has(near) });
    add(spelling);
  }
  return found;
}

/**
 * A name with so many mistakes has at least one of its pieces unharmed, if there is one piece more, and at nearly the
 * same place. So names are found by their pieces, in time that grows with their number.
 */
function piecesOf({ text, marks }: Spelling, table: NamedTable): readonly string[] {
  return cuts(text.length, table).map(([start, end], i) =>
    keyOf(marks, text.length, i, text.slice(start, end)),
  );
}

function* piecesNear({ text, marks }: Spelling, table: NamedTable): Generator<string> {
  const most = mistakes(text.length + 2, table);
  for (let length = text.length - most; length <= text.length + most; length++)
    for (const [i, [start, end]] of cuts(length, table).entries())
      for (let shift = -Math.min(most, start); shift <= most; shift++)
        yield keyOf(marks, length, i, text.slice(start + shift, end + shift));
}

/** Only names with the same marks can be near. */
function keyOf(marks: string, length: number, i: number, piece: string): string {
  return `${marks}/${length}/${i}/${piece}`;
}

function cuts(length: number, table: NamedTable): readonly (readonly [start: number, end: number])[] {
  const count = mistakes(length + 2, table) + 1;
  const at = (i: number) => Math.floor((i * length) / count);
  return Array.from({ length: count }, (_, i) => [at(i), at(i + 1)]);
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
  const most = mistakes(Math.max(a.text.length, b.text.length), table);
  return Math.abs(a.text.length - b.text.length) <= most && distance(a.text, b.text) <= most;
}

/** How many letters may be wrong in a name of so many. */
function mistakes(length: number, table: NamedTable): number {
  return LENGTHS[table].filter((least) => length >= least).length;
}
