/** What the calendar says, in the languages that it brings along or in the words of the page. */

/** The messages of a language, or else English, with those in their place that the page brings along. */
export function messagesIn<Messages extends object>(
  languages: Readonly<Record<string, Messages>>,
  language: string,
  own: Readonly<Record<string, unknown>>,
): Messages {
  const texts = Object.entries(own).filter(([, text]) => typeof text === 'string');
  return { ...((languages[language] ?? languages.en) as Messages), ...Object.fromEntries(texts) };
}
