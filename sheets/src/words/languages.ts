/** The languages that are understood. The words of each are in a file of its own, separated by commas. */

import cs from '../../languages/cs.json' with { type: 'json' };
import da from '../../languages/da.json' with { type: 'json' };
import de from '../../languages/de.json' with { type: 'json' };
import en from '../../languages/en.json' with { type: 'json' };
import es from '../../languages/es.json' with { type: 'json' };
import fr from '../../languages/fr.json' with { type: 'json' };
import it from '../../languages/it.json' with { type: 'json' };
import nl from '../../languages/nl.json' with { type: 'json' };
import no from '../../languages/no.json' with { type: 'json' };
import pl from '../../languages/pl.json' with { type: 'json' };
import pt from '../../languages/pt.json' with { type: 'json' };
import sv from '../../languages/sv.json' with { type: 'json' };

export type Language = typeof en;

/** In the order in which docs/importing.md shows them. */
export const LANGUAGES: readonly Language[] = [en, nl, de, fr, es, it, pt, pl, cs, da, sv, no];

/** Some words of a language. */
type Of = (language: Language) => string;

/** Those of all languages, as they are written. */
export function wordsOf(of: Of): readonly string[] {
  return [...new Set(LANGUAGES.flatMap((language) => of(language).split(', ')))].filter(
    (word) => word !== '',
  );
}

/** Those of all languages, to be compared with `plainWord`. */
export function plainWords(of: Of): ReadonlySet<string> {
  return new Set(wordsOf(of).map(plainWord));
}

/** A part of a regular expression for one of these words. */
export function anyOf(of: Of): string {
  return oneOf(wordsOf(of));
}

export function oneOf(words: readonly string[]): string {
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  return `(?:${longestFirst.map((word) => RegExp.escape(word)).join('|')})`;
}

/** `Début`, `DEBUT` and `début:` are the same word: case, accents, spaces and punctuation do not count. */
export function plainWord(written: string): string {
  if (/^[a-z0-9]+$/.test(written)) return written;
  if (written.length > MAX_WORD_CHARACTERS) return '';
  // Most texts need none of what follows, and many are compared.
  if (/^[ -~]*$/.test(written)) return written.toLowerCase().replaceAll(/[^a-z0-9]+/g, '');
  return written
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** A longer text is no word that is known. */
export const MAX_WORD_CHARACTERS = 200;
