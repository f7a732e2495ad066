/** Columns that change what a row means, such as `Status` and `Time zone`, and the words in them. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import type { Reason } from '../problem.ts';
import { monthNamed } from './date.ts';
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
  if (text.length > MAX_CHARACTERS || !mayBeStatus(text)) return false;
  const meaning = readStatus(text);
  return meaning !== undefined && meaning !== 'shift';
}

/** A shift may not count if such a column says no. */
const AGREEMENTS = plainWords(({ otherHeadings }) => otherHeadings.agreement);
const CHANGES = plainWords(({ otherHeadings }) => otherHeadings.change);
/** Whether a word says that numbers beside it are those of people who are needed. */
export function isCountWord(text: string): boolean {
  return COUNTS.has(plainWord(text));
}

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

/** Whether a text begins as words do that are looked for beside rows. Most do not, and many columns are looked at. */
export function mayBeStatus(text: string): boolean {
  const start = plainWord(text.slice(0, START).toLowerCase());
  return start.length !== START || STARTS.has(start);
}

/** In small letters. */
export const ABSENCES: readonly string[] = wordsOf(({ status: { none, cancelled, noshow }, cells }) =>
  [none, cancelled, noshow, cells.free].join(', '),
).map((word) => word.toLowerCase());

const AVAILABLE = plainWords(({ status }) => status.available);

/** What is known of a word such as `Plan` or `Actual`, beside rows or columns; undefined: it is another word. */
export function planMeaning(
  word: string,
  statuses: ReadonlyMap<string, StatusMeaning> | undefined,
): StatusMeaning | 'asked' | undefined {
  const plain = plainWord(word);
  const isOther = ACTUAL.has(plain) || NOT_PLAN.has(plain);
  if (!isOther && !PLAN.has(plain)) return undefined;
  const told = [...(statuses ?? [])].map(([one, meaning]) => [plainWord(one), meaning] as const);
  const own = told.find(([one]) => one === plain)?.[1];
  // If the other one is the plan, this one may be none.
  const isOtherPlan = told.some(
    ([one, meaning]) => meaning === 'shift' && (ACTUAL.has(one) || NOT_PLAN.has(one)),
  );
  return own ?? (isOther || isOtherPlan ? 'asked' : 'shift');
}

/** Whether it was told that a sign such as a cross stands for a shift, or for none; undefined: nothing was told. */
export function saysShift(
  sign: string,
  statuses: ReadonlyMap<string, StatusMeaning> | undefined,
): boolean | undefined {
  const [, meaning] = [...(statuses ?? [])].find(([one]) => one.toLowerCase() === sign.toLowerCase()) ?? [];
  return meaning && meaning === 'shift';
}

/** Whether a word says that a row is of another plan, or that somebody does not come. */
export function saysHowRowCounts(word: string): boolean {
  return saysAbsence(word) || planMeaning(word, undefined) !== undefined;
}

/** What is asked about such a word. */
export function whichPlan(word: string): Reason {
  const [first, other] = PLAN.has(plainWord(word)) ? ['shift', 'none'] : ['none', 'shift'];
  return {
    message: `${quote(word)} may be another plan of the same days`,
    advice: `; say --status ${quote(`${word}=none`)} if it does not count, or --status ${quote(`${word}=shift`)} if it is the plan`,
    fix: byOption('status', `${word}=${first}`, `${word}=${other}`),
  };
}

/** The word of a title that says that the sheet is no plan: `Availability`, or `Holidays 2027` if it stands alone. */
export function notPlanIn(title: string, isAlone = false): string | undefined {
  const words = title.slice(0, MAX_TITLE_CHARACTERS).match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  const word = words.find((one) => NOT_PLAN.has(plainWord(one)));
  if (word !== undefined || !isAlone) return word;
  const others = words.filter((one) => monthNamed(one) === undefined);
  return others.every(saysAbsence) ? others[0] : undefined;
}

const MAX_TITLE_CHARACTERS = 200;
const PLAN = plainWords(({ status }) => status.plan);
const ACTUAL = plainWords(({ status }) => status.actual);
const NOT_PLAN = plainWords(({ status }) => status.notPlan);
const STARTS: ReadonlySet<string> = new Set(
  [WORDS.none, WORDS.cancelled, WORDS.noshow, FREE, PLAN, ACTUAL, NOT_PLAN].flatMap((words) =>
    [...words].map((word) => word.slice(0, START)),
  ),
);

/** Whether a heading names a column of time zones. */
export function isZoneHeading(heading: string): boolean {
  return ZONE_HEADINGS.has(plainWord(heading));
}

const ZONE_HEADINGS = plainWords(({ otherHeadings }) => otherHeadings.zone);

/** Whether a heading says that its times are not those of the place: `Start (UTC)`, `End GMT+1`. */
export function namesZone(heading: string): boolean {
  return /(?:^|[^\p{L}])(?:utc|gmt|zulu)(?:$|[^\p{L}])|[+-]\d\d:?\d\d\b/iu.test(heading);
}
