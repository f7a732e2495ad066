/** `Début`, `DEBUT` and `début:` are the same word: case, accents, spaces and punctuation do not count. */
export function plainWord(written: string): string {
  if (/^[a-z0-9]+$/.test(written)) return written;
  return written
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
