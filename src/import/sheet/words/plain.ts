/** `Début`, `DEBUT` and `début:` are the same word: case, accents, spaces and punctuation do not count. */
export function plainWord(written: string): string {
  if (/^[a-z0-9]+$/.test(written)) return written;
  if (written.length > MAX_CHARACTERS) return '';
  return written
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** A longer text is no word that is known. */
const MAX_CHARACTERS = 200;

/** `Start` of `Start (24h)`. */
export function beforeBracket(heading: string): string {
  return heading.split(/[([]/, 1)[0] ?? '';
}
