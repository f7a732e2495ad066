/** Columns that change what a row means, such as `Status` and `Time zone`, and the words in them. */

import { plainWord, plainWords, wordsOf } from './languages.ts';
import { FREE, isFree, isNothing, readFlag } from './words.ts';

/** What a word in such a column says about its row. */
export const STATUS_MEANINGS = ['shift', 'none', 'cancelled', 'noshow'] as const;
export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** Whether a heading names a column of such words. A `vague` one may as well hold something else. */
export function statusHeading(heading: string): 'sure' | 'vague' | undefined {
  const word = plainWord(heading);
  return STATUS_HEADINGS.has(word) ? 'sure' : VAGUE_HEADINGS.has(word) ? 'vague' : undefined;
}

const STATUS_HEADINGS = plainWords(({ otherHeadings }) => otherHeadings.status);
const VAGUE_HEADINGS = plainWords(({ otherHeadings }) => otherHeadings.maybeStatus);

/** Whether a cell changes its row in a way that is not read: it has another person or time, or counts more than once. */
export function changesRow(heading: string, text: string): boolean {
  const word = plainWord(heading);
  if (text === '' || isNothing(text)) return false;
  if (AGREEMENTS.has(word))
    return (
      readFlag(text) === false || (/^\p{L}/u.test(text) && !readFlag(text) && readStatus(text) !== 'shift')
    );
  if (readFlag(text) === false) return false;
  return CHANGES.has(word) || saysAbsence(heading) || (COUNTS.has(word) && text !== '1');
}

/** Whether a word says that somebody does not come. */
export function saysAbsence(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  // Most texts are something else, and many columns are looked at.
  const start = plainWord(text.slice(0, START).toLowerCase());
  if (start.length === START && !ABSENCE_STARTS.has(start)) return false;
  const meaning = readStatus(text);
  return meaning !== undefined && meaning !== 'shift';
}

/** A shift may not count if such a column says no. */
const AGREEMENTS = plainWords(({ otherHeadings }) => otherHeadings.agreement);
const CHANGES = plainWords(({ otherHeadings }) => otherHeadings.change);
const COUNTS = plainWords(({ otherHeadings }) => otherHeadings.count);

/** undefined: the word is not known. */
export function readStatus(text: string): StatusMeaning | undefined {
  const word = plainWord(text);
  // Signs tell nothing here.
  if (word === '') return 'shift';
  if (WORDS.cancelled.has(word)) return 'cancelled';
  if (WORDS.noshow.has(word)) return 'noshow';
  if (WORDS.shift.has(word)) return 'shift';
  // A free shift may be one that nobody has yet.
  return WORDS.none.has(word) || (isFree(text) && !AVAILABLE.has(word)) ? 'none' : undefined;
}

const WORDS = {
  cancelled: plainWords(({ status }) => status.cancelled),
  noshow: plainWords(({ status }) => status.noshow),
  shift: plainWords(({ status }) => status.shift),
  none: plainWords(({ status }) => status.none),
};

/** Longer texts are sentences. */
const MAX_CHARACTERS = 40;
const START = 3;
const ABSENCE_STARTS: ReadonlySet<string> = new Set(
  [WORDS.none, WORDS.cancelled, WORDS.noshow, FREE].flatMap((words) =>
    [...words].map((word) => word.slice(0, START)),
  ),
);

/** In small letters. */
export const ABSENCES: readonly string[] = wordsOf(({ status: { none, cancelled, noshow }, cells }) =>
  [none, cancelled, noshow, cells.free].join(', '),
).map((word) => word.toLowerCase());

const AVAILABLE = plainWords(({ status }) => status.available);

/** Whether a heading names a column of time zones. */
export function isZoneHeading(heading: string): boolean {
  return ZONE_HEADINGS.has(plainWord(heading));
}

const ZONE_HEADINGS = plainWords(({ otherHeadings }) => otherHeadings.zone);

/** Whether a heading says that its times are not those of the place: `Start (UTC)`, `End GMT+1`. */
export function namesZone(heading: string): boolean {
  return /(?:^|[^\p{L}])(?:utc|gmt|zulu)(?:$|[^\p{L}])|[+-]\d\d:?\d\d\b/iu.test(heading);
}
