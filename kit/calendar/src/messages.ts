/** What the calendar says, in the languages that it brings along or in the words of the page. */

import { LANGUAGES } from '@shiftfeed/common/languages/languages';
import type { Messages } from '@shiftfeed/common/languages/messages';

/** The messages of a language, or else English, with those in their place that the page brings along. */
export function messagesIn(language: string, own: Readonly<Record<string, unknown>>): Messages {
  const texts = Object.entries(own).filter(([, text]) => typeof text === 'string');
  return { ...((LANGUAGES[language] ?? LANGUAGES.en) as Messages), ...Object.fromEntries(texts) };
}
