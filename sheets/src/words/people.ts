/** The name or the names in a cell, and words that stand for nobody. */

import { foldName } from '@shiftfeed/common/names';
import { oneOf, plainWord, plainWords, wordsOf } from './languages.ts';
import { ABSENCES, saysAbsence } from './status.ts';
import { MAX_RANGE_CHARACTERS, readTimes } from './time.ts';
import { isNothing } from './words.ts';

export const SEPARATORS_RULE =
  'what stands between names, such as ; or / or "und", several with spaces between them, newline for a line break, or none';

/** Says that nothing else separates names. */
const NONE = 'none';
export const NEW_LINE = 'newline';

/** undefined: it is none. */
export function parseSeparators(text: string): readonly string[] | undefined {
  const separators = text.trim().split(/\s+/);
  return separators.every((one) => /^(?:[;,/&+|]|\p{L}{1,10})$/u.test(one)) ? separators : undefined;
}

/** What was told of cells of people, as in SheetOptions. */
interface ToldOfPeople {
  readonly people?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly peopleSeparators?: readonly string[] | undefined;
}

/** Who a text is, if that was told; an empty list is nobody. */
export function toldPeople(text: string, { people }: ToldOfPeople): readonly string[] | undefined {
  return people?.get(foldName(text));
}

/** The names in a cell, if it holds several. */
export function namesIn(text: string, options: ToldOfPeople): readonly string[] | undefined {
  const { peopleSeparators: separators = [] } = options;
  const told = toldPeople(text, options);
  if (told !== undefined) return told.length > 1 ? told : undefined;
  let names = [text];
  for (const separator of separators) {
    if (separator !== NONE) names = names.flatMap((name) => cutAt(name, separator));
  }
  names = names.map((name) => name.trim()).filter((name) => name !== '');
  return names.length > 1 ? names : undefined;
}

function cutAt(text: string, separator: string): readonly string[] {
  if (separator === NEW_LINE) return text.split('\n');
  if (!/^\p{L}/u.test(separator)) return text.split(separator);
  const names = [''];
  for (const word of text.split(' ')) {
    if (wordBetween(word, text) === separator.toLowerCase()) names.push('');
    else names.push(`${names.pop()} ${word}`);
  }
  return names;
}

/** The word in small letters; undefined for what may be an initial: `John A Smith` is one person, unlike `ADA A BO`. */
function wordBetween(word: string, text: string): string | undefined {
  const small = word.toLowerCase();
  return word.length > 1 || word === small || text === text.toUpperCase() ? small : undefined;
}

/** What may separate names in a text, and was not told; undefined: it is one name. */
export function separatorIn(
  text: string,
  told: readonly string[],
  isOneNameWithComma: boolean,
): string | undefined {
  if (told.includes(NONE)) return undefined;
  const [sign] = /[;/&+|\n]/.exec(text) ?? [];
  if (sign !== undefined) return sign === '\n' ? NEW_LINE : sign;
  const comma = text.indexOf(',');
  if (comma !== -1 && !(isOneNameWithComma && comma === text.lastIndexOf(','))) return ',';
  return text
    .split(/\s+/)
    .slice(1, -1)
    .map((word) => wordBetween(word, text) ?? '')
    .find((word) => BETWEEN.has(word));
}

const BETWEEN: ReadonlySet<string> = new Set(wordsOf(({ separators }) => separators));

/** Whether a text is not a name, or more than one: `Ada (till 14)`, `2x Ada`, `Ada or Bo`, `Bo?`, `closed`. */
export function saysMoreThanName(text: string): boolean {
  if (isNoPerson(text) || SIGNS.test(text) || TIME.test(text)) return true;
  const [times] = /\d.{0,60}\d/.exec(text.slice(0, MAX_RANGE_CHARACTERS)) ?? [];
  if (times !== undefined && readTimes(times) !== undefined) return true;
  const [, note = ''] = /(?:–|\s-\s)\s?([^–]{1,40})$/.exec(text) ?? [];
  if (saysAbsence(note)) return true;
  // `Ada Frei` is a name, and `Per` and `SEM` are, too.
  if (text === text.toUpperCase()) return LOUD.test(text);
  return (SMALL_START.test(text) && SMALL.test(text)) || FIRST.test(text);
}

/** Whether all of a text says that somebody does not come, that the house is closed or open, or what else is then. */
export function isNoPerson(text: string): boolean {
  return CLOSED.has(plainWord(text)) || saysAbsence(text);
}

const CLOSED = plainWords(({ people, otherHeadings }) => `${people.closed}, ${otherHeadings.breaks}`);

/** The names that may be meant by a text that is more than one. */
export function namesWithin(text: string): readonly string[] {
  return text
    .replace(/^[^\p{L}]*\d\s?[.x×]?\s/u, '')
    .split(BETWEEN_NAMES)
    .map((name) => name.trim())
    .filter((name) => /^\p{L}{2}/u.test(name) && !saysMoreThanName(name));
}

/** What no name has: most signs, and a number in front. An address of mail may be a name. */
const SIGNS =
  /(?![+|`´])\p{S}|[?？!()（）[\]{}*#%\\…†‡•§¶]|\.\.|:\s{0,9}\S|^[^\p{L}\p{N}]{0,9}\d|(?<![\p{L}\p{N}])[x×]\s?\d|\d\s?[x×](?!\p{L})/u;

const besideNames = wordsOf(({ times }) => times.besideNames);
const alternatives = wordsOf(({ people }) => people.or);
const remarks = [
  ...wordsOf(({ people: { maybe, instead, no, closed } }) => [maybe, instead, no, closed].join(', ')),
  // `do` is a part of names, too.
  ...besideNames.filter((word) => word.length > 2),
].map((word) => word.toLowerCase());

/** In capitals, and at the beginning, shorter words may be names, and so may `Till`. */
const longRemarks = oneOf(remarks.filter((word) => word.length > (besideNames.includes(word) ? 4 : 3)));
const END = `(?![\\p{L}\\p{N}-]|['’]\\p{Lu})`;

/** A regular expression of whole words. What stands between two names is a word only there. */
function wordsIn(remark: string, between: readonly string[]): string {
  const inside = `(?<=\\p{L}\\.?\\s{1,9})${oneOf(between)}(?=\\.?\\s{1,9}\\p{L})`;
  return `${inside}|(?<![\\p{L}\\p{N}'’-])${remark}${END}`;
}

const small = wordsIn(oneOf([...remarks, ...ABSENCES]), alternatives);
const SMALL = new RegExp(small, 'u');
/** Most names have no word in small letters, and looking for so many is slow. */
const SMALL_START = /(?<![\p{L}\p{N}'’-])\p{Ll}/u;
const FIRST = new RegExp(`^${longRemarks}${END}`, 'iu');
const longAlternatives = alternatives.filter((word) => word.length > 1);
const LOUD = new RegExp(wordsIn(longRemarks, longAlternatives), 'iu');
const BETWEEN_NAMES = new RegExp(`${SIGNS.source}|\\s-\\s|–|${small}`, 'u');

const TIME = new RegExp(
  `(?<!\\d)(?:[01]?\\d|2[0-4])(?::|h)[0-5]\\d(?!\\d)|(?<!\\p{L})${oneOf(besideNames)}\\s?\\d`,
  'iu',
);

/** How the words of a name are written, such as `Aa Aa`; of several names, those of the first. */
export function shapeOfName(text: string): string {
  const [name = ''] = text.slice(0, MAX_NAME_CHARACTERS).split(BETWEEN_SIGNS);
  const words = name.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  return words
    .map((word) => (word === word.toLowerCase() ? 'a' : word === word.toUpperCase() ? 'A' : 'Aa'))
    .join(' ');
}

const MAX_NAME_CHARACTERS = 60;
const BETWEEN_SIGNS = /[;/&+|\n]/;

/** Whether a cell for a person says that there is none. */
export function isNobody(text: string): boolean {
  return NOBODY.has(plainWord(text)) || isNothing(text);
}

const NOBODY = plainWords(({ cells }) => cells.nobody);
