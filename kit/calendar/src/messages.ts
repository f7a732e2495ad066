/** What the calendar says, in the languages that it brings along. */

import { ARABIC } from './messages/ar.ts';
import { GERMAN } from './messages/de.ts';
import { ENGLISH } from './messages/en.ts';
import { SPANISH } from './messages/es.ts';
import { FRENCH } from './messages/fr.ts';
import { HEBREW } from './messages/he.ts';
import { ITALIAN } from './messages/it.ts';
import { DUTCH } from './messages/nl.ts';
import { POLISH } from './messages/pl.ts';
import { PORTUGUESE } from './messages/pt.ts';

export type MessageKey = keyof typeof ENGLISH;
/** How shifts are counted in languages that have more than one and many, as `Intl.PluralRules` names it. */
type PluralKey = 'shifts_zero' | 'shifts_two' | 'shifts_few' | 'shifts_many';
export type Messages = Readonly<Record<MessageKey, string> & Partial<Record<PluralKey, string>>>;

/** The gateway's page speaks the same. */
export const LANGUAGES: Readonly<Record<string, Messages>> = {
  ar: ARABIC,
  de: GERMAN,
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  he: HEBREW,
  it: ITALIAN,
  nl: DUTCH,
  pl: POLISH,
  pt: PORTUGUESE,
};

/** The messages of a language, or else English, with those in their place that the page brings along. */
export function messagesIn(language: string, own: Readonly<Record<string, unknown>>): Messages {
  const texts = Object.entries(own).filter(([, text]) => typeof text === 'string');
  return { ...(LANGUAGES[language] ?? ENGLISH), ...Object.fromEntries(texts) };
}
