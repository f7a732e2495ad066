/** The words of the plugin are those of the calendar, whose place the list takes where there are no scripts. */

import { join } from 'node:path';
import { test } from 'node:test';
import {
  directionOf,
  LANGUAGES,
  LANGUAGES_ON_BOARD,
  LANGUAGES_ON_PAGE,
} from '@shiftfeed/common/languages/languages';

const FILE = join(import.meta.dirname, '../../../kit/wordpress/words.json');
const WORDS = ['calendar', 'shift', 'empty_day', 'cancelled', 'open', 'starred', 'noshow'] as const;

test('kit/wordpress/words.json has the words of all languages; when they change, "npm run wordpress-words" writes it anew', (context) => {
  const languages = Object.entries(LANGUAGES).map(([tag, words]) => [
    tag,
    {
      tag,
      direction: directionOf(new Intl.Locale(tag)),
      ...Object.fromEntries(WORDS.map((key) => [key, words[key]])),
      unavailable: LANGUAGES_ON_PAGE[tag]?.unavailable,
      updated: LANGUAGES_ON_BOARD[tag]?.updated,
      ...datesIn(tag),
    },
  ]);
  // A line for each language.
  const lines = languages.map(([tag, words]) => `${JSON.stringify(tag)}: ${JSON.stringify(words)}`);
  const serializers = [() => `{\n${lines.join(',\n')}\n}\n`];
  context.assert.fileSnapshot(languages, FILE, { serializers });
});

/** How a date such as "Wednesday 18 November" is put together, and of what. */
function datesIn(tag: string) {
  const options = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  const format = new Intl.DateTimeFormat(`${tag}-u-nu-latn`, options);
  const partsOf = (month: number, day: number) => format.formatToParts(Date.UTC(2024, month, day));
  const partOf = (wanted: string, month: number, day: number) =>
    partsOf(month, day).find(({ type }) => type === wanted)?.value;
  return {
    date: partsOf(0, 1)
      .map(({ type, value }) => (type === 'literal' ? value : `{${type}}`))
      .join(''),
    // The first of January 2024 is a Monday.
    weekdays: Array.from({ length: 7 }, (_, day) => partOf('weekday', 0, 1 + day)),
    months: Array.from({ length: 12 }, (_, month) => partOf('month', month, 1)),
  };
}
