/** Memoizes parsers: a large document has few different dates and times, so a look-up is faster than parsing again. */

/** At this many values, all of them are forgotten. A row of a sheet has fewer cells. */
const MAX_REMEMBERED = 20_000;
const MAX_CHARACTERS = 100;

/** Memoizes `read`. Texts for which it returns undefined may be long, and only short ones are kept. */
export function remembered<Value>(
  read: (text: string) => Value | undefined,
): (text: string) => Value | undefined {
  const values = new Map<string, Value | undefined>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined || values.has(text)) return known;
    const value = read(text);
    if (value === undefined && text.length > MAX_CHARACTERS) return undefined;
    if (values.size >= MAX_REMEMBERED) values.clear();
    values.set(text, value);
    return value;
  };
}

/** More different questions than anybody answers one by one. */
const MAX_QUESTIONS = 1_000;

/**
 * Whether a question is new: each is asked once. Of more than are kept, all are, so that what is counted is never less
 * than there is.
 */
export function newQuestions(): (question: string) => boolean {
  const asked = new Set<string>();
  return (question) => {
    if (asked.has(question)) return false;
    if (asked.size < MAX_QUESTIONS) asked.add(question);
    return true;
  };
}
