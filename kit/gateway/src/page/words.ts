/** What a page says, in the languages that it knows. The calendar knows the same. */

import { LANGUAGES, LANGUAGES_ON_PAGE } from '@shiftfeed/common/languages/languages';
import type { Messages, PageMessages } from '@shiftfeed/common/languages/messages';

/** Of what the calendar says, a page has what sets a shift apart. */
export type Words = PageMessages & Pick<Messages, 'open' | 'cancelled' | 'noshow' | 'starred'>;

/** The words of a language such as "nl" or "nl-BE", if they are written down. */
export function wordsOf(tag: string): Words | undefined {
  const language = tag.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
}

export const WORDS: Readonly<Record<string, Words>> = Object.fromEntries(
  Object.entries(LANGUAGES_ON_PAGE).map(([language, onPage]) => {
    const { open, cancelled, noshow, starred } = LANGUAGES[language] as Messages;
    return [language, { open, cancelled, noshow, starred, ...onPage }];
  }),
);

export const ENGLISH = WORDS.en as Words;
