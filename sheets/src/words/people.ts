/** The name or the names in a cell, and words that stand for nobody. */

import { anyOf, plainWord, plainWords, wordsOf } from './languages.ts';
import { saysAbsence } from './status.ts';
import { MAX_RANGE_CHARACTERS, readTimes } from './time.ts';
import { isNothing } from './words.ts';

export const SEPARATORS_RULE =
  'what stands between names, such as ; or / or "und", several with spaces between them, newline for a line break, or none';

/** Says that nothing else separates names. */
const NONE = 'none';
const NEW_LINE = 'newline';

/** undefined: it is none. */
export function parseSeparators(text: string): readonly string[] | undefined {
  const separators = text.trim().split(/\s+/);
  return separators.every((one) => /^(?:[;,/&+|]|\p{L}{1,10})$/u.test(one)) ? separators : undefined;
}

/** The names in a cell, if it holds several. */
export function namesIn(text: string, separators: readonly string[]): readonly string[] | undefined {
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

/** Whether a text says more than a name: `Ada (till 14)`, `Cy 16-23`, `Bo (sick)`, `Bo?`. */
export function saysMoreThanName(text: string): boolean {
  if (/\p{L}.{0,60}\?$/u.test(text) || NOTE_OF_TIME.test(text)) return true;
  const [times] = /\d.{0,60}\d/.exec(text.slice(0, MAX_RANGE_CHARACTERS)) ?? [];
  if (times !== undefined && readTimes(times) !== undefined) return true;
  // Without a sign between them, "Ada Frei" is a name.
  if (/[-=]>|→/.test(text)) return true;
  const [before = '', after] = text.split(': ', 2);
  if (after !== undefined && saysAbsence(before)) return true;
  const [, note = ''] = /(?:[(:–]|\s-\s)\s?([^(:–)]{1,40})\)?$/.exec(text) ?? [];
  return saysAbsence(note);
}

const NOTE_OF_TIME = new RegExp(
  `(?<!\\d)(?:[01]?\\d|2[0-4])(?::|h)[0-5]\\d(?!\\d)|(?<!\\p{L})${anyOf(({ times }) => times.besideNames)}\\s?\\d`,
  'iu',
);

/** Whether a cell for a person says that there is none. */
export function isNobody(text: string): boolean {
  return NOBODY.has(plainWord(text)) || isNothing(text);
}

const NOBODY = plainWords(({ cells }) => cells.nobody);

/** Whether a row that should be of a person may be of the house instead. */
export function isOpeningHours(text: string): boolean {
  return OPENING_HOURS.has(plainWord(text));
}

const OPENING_HOURS = plainWords(({ cells }) => cells.openingHours);
