/** In which language a page speaks: dates in any that `Intl` knows, words in those that are written down. */

import type { BoardMessages, Messages, PageMessages } from '@shiftfeed/common/languages/en';
import { LANGUAGES, LANGUAGES_ON_BOARD, LANGUAGES_ON_PAGE } from '@shiftfeed/common/languages/languages';
import { acceptedIn, rememberByHeader } from '../accept.ts';

export interface Language {
  /** In which dates and times are written. */
  readonly locale: string;
  /** In which the words are written. */
  readonly wordsLocale: string;
  readonly words: Words;
}

const MAX_TAG_LENGTH = 20;

/** The same language without a region, or English where the words are. */
export function plainLanguage({ locale }: Language): Language {
  const { language } = new Intl.Locale(locale);
  return chooseLanguage(language in WORDS ? language : 'en');
}

/** The first language of `Accept-Language`, by preference, in which `Intl` can write dates. */
export const chooseLanguage = rememberByHeader((header): Language => {
  const tags = acceptedIn(header)
    .filter(({ name, weight }) => name.length <= MAX_TAG_LENGTH && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => supported(name));
  const locale = tags.find((tag) => tag !== undefined) ?? 'en';
  const words = wordsOf(locale);
  return { locale, wordsLocale: words === undefined ? 'en' : locale, words: words ?? ENGLISH };
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
