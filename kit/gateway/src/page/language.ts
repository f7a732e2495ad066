/** In which language a page speaks, of those whose words are written down. */

import { acceptedIn } from '@shiftfeed/common/accept';
import { type Language as CalendarLanguage, speak } from '@shiftfeed/common/calendar/language';
import type { BoardMessages, Messages, PageMessages } from '@shiftfeed/common/languages/en';
import { LANGUAGES, LANGUAGES_ON_BOARD, LANGUAGES_ON_PAGE } from '@shiftfeed/common/languages/languages';
import { memoize } from '@shiftfeed/common/memoize';

/** As the calendar speaks it, with the words of the page. */
export interface Language extends CalendarLanguage {
  readonly words: Words;
}

const MAX_TAG_LENGTH = 20;
/** Browsers send few different headers. */
const MAX_MEMOIZED = 100;

/** The same language without a region. */
export function plainLanguage({ tag }: Language): Language {
  return languageOf(new Intl.Locale(tag).language);
}

/**
 * The first language of `Accept-Language`, by preference, in which there are words, or else English as it is written where
 * the visitor is.
 */
export const chooseLanguage = (header = ''): Language => chosenBy(header);

const chosenBy = memoize((header): Language => {
  const tags = acceptedIn(header)
    .filter(({ name, weight }) => name.length <= MAX_TAG_LENGTH && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .flatMap(({ name }) => supported(name) ?? []);
  return languageOf(tags.find((tag) => wordsOf(tag) !== undefined) ?? tags[0] ?? 'en');
}, MAX_MEMOIZED);

/** There are as many as `Intl` knows: to make one takes far longer than to use it. */
const languageOf = memoize((tag): Language => {
  const language = speak({ chosen: tag, page: null, visitor: [] }, {});
  return { ...language, words: wordsOf(language.tag) ?? ENGLISH };
});

/**
 * The locale in which `Intl` writes for a tag. Tags that it writes alike share a page: visitors can make up thousands
 * of regions.
 */
function supported(tag: string): string | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag);
    const plain = [language, script, region].filter((part) => part !== undefined).join('-');
    const [known] = Intl.DateTimeFormat.supportedLocalesOf(plain);
    return known && new Intl.DateTimeFormat(known).resolvedOptions().locale;
  } catch {
    return undefined;
  }
}

export type Words = Messages & PageMessages & BoardMessages;

/** The words of a language such as "nl" or "nl-BE", if they are written down. */
export function wordsOf(tag: string): Words | undefined {
  const language = tag.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
}

export const WORDS: Readonly<Record<string, Words>> = Object.fromEntries(
  Object.entries(LANGUAGES).map(([tag, messages]) => {
    const words = { ...messages, ...LANGUAGES_ON_PAGE[tag], ...LANGUAGES_ON_BOARD[tag] };
    return [tag, words as Words];
  }),
);

export const ENGLISH = WORDS.en as Words;
