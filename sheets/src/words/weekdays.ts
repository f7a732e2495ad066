/**
 * Weekdays that stand side by side, as words or initials. Alone, `M` or `so` may be several weekdays, or a code; in a
 * row, all of them are weekdays of one language.
 */

import { type Day, parseDate, weekdayOf } from '@shiftfeed/common/days';
import { LANGUAGES, plainWord } from './languages.ts';

/** A weekday of Sunday = 1 to Saturday = 7. */
type Weekdays = ReadonlySet<number>;

/** The weekdays that each word may stand for, by language. */
const BY_LANGUAGE: readonly ReadonlyMap<string, Weekdays>[] = LANGUAGES.map((language) => {
  const weekdays = new Map<string, Set<number>>();
  // Some short forms count only in whole rows.
  for (const table of [language.weekdays, language.weekdaysInRows]) {
    for (const [i, ways] of table.split(', ').entries()) {
      for (const word of ways.split(' ')) weekdays.getOrInsert(plainWord(word), new Set()).add(i + 1);
    }
  }
  return weekdays;
});

/** What texts mean as weekdays, in each language in which all of them are some. */
export function weekdayReadings(texts: readonly string[]): readonly (readonly Weekdays[])[] {
  const plain = texts.map((text) => (text.length > MAX_CHARACTERS ? '' : plainWord(text)));
  return BY_LANGUAGE.flatMap((words) => {
    const reading = plain.flatMap((word) => words.get(word) ?? []);
    return reading.length === texts.length && reading.length > 0 ? [reading] : [];
  });
}

const MAX_CHARACTERS = 30;

/**
 * The index of the first text that is not the weekday of its date, in the language that fits best; undefined if all
 * are, and 'no weekdays' if the texts are something else.
 */
export function wrongWeekday(
  texts: readonly string[],
  dates: readonly string[],
): number | undefined | 'no weekdays' {
  const readings = weekdayReadings(texts);
  if (readings.length === 0) return 'no weekdays';
  const weekdays = dates.map((date) => weekdayOf(parseDate(date) as Day));
  const wrong = readings.map((reading) =>
    reading.findIndex((possible, i) => !possible.has(weekdays[i] as number)),
  );
  return wrong.includes(-1) ? undefined : Math.max(...wrong);
}

/** Whether a text is a single letter, which may well be a code. */
export function isInitial(text: string): boolean {
  return /^\p{L}\p{M}*\.?$/u.test(text);
}
