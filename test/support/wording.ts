/**
 * Dates as browsers write them. Which commas, spaces and dashes they have differs with the Unicode data that a browser
 * brings along: "16–22 November" and "16 – 22 November", "Sun 15 Nov" and "Sun, 15 Nov". Tests compare what does not.
 */

/** A text without what differs. */
export function plain(text: string): string {
  return text
    .replaceAll(',', '')
    .replace(/\s+/g, ' ')
    .replace(/ ?[–-] ?/g, '–')
    .trim();
}

export function allPlain(texts: readonly string[]): string[] {
  return texts.map(plain);
}

/** Finds whatever reads like this text, as a part of something or, if it is to be exact, as all of it. */
export function loosely(text: string, { exact = false } = {}): RegExp {
  const pattern = plain(text)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(' ', ',?\\s+')
    .replaceAll('–', '\\s*[–-]\\s*');
  return new RegExp(exact ? `^${pattern}$` : pattern);
}
