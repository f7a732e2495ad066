/** How words are compared, and the words that cells hold beside dates and times, in the languages that are understood. */

export const LANGUAGES = [
  'English',
  'Dutch',
  'German',
  'French',
  'Spanish',
  'Italian',
  'Portuguese',
  'Polish',
  'Czech',
  'Danish',
] as const;
export type Language = (typeof LANGUAGES)[number];

export type InLanguages<Words> = Readonly<Record<Language, Words>>;

/** `Début`, `DEBUT` and `début:` are the same word: case, accents, spaces and punctuation do not count. */
export function plainWord(written: string): string {
  if (/^[a-z0-9]+$/.test(written)) return written;
  if (written.length > MAX_CHARACTERS) return '';
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
const MAX_CHARACTERS = 200;

/** The words of all languages, which are separated by commas. */
export function plainWords(words: InLanguages<string>): ReadonlySet<string> {
  return new Set(Object.values(words).flatMap((some) => some.split(', ').map(plainWord)));
}

export const FLAG_RULE = 'yes or no, true or false, 1 or 0, x or empty';

/** undefined: it says neither yes nor no. */
export function readFlag(text: string): boolean | undefined {
  return FLAGS.get(text) ?? FLAGS.get(plainWord(text));
}

const YES = plainWords({
  English: 'yes, y, true, t',
  Dutch: 'ja, j, waar',
  German: 'ja, j, wahr',
  French: 'oui, o, vrai',
  Spanish: 'sí, s, verdadero',
  Italian: 'sì, s, vero',
  Portuguese: 'sim, s, verdadeiro',
  Polish: 'tak, t, prawda',
  Czech: 'ano, a, pravda',
  Danish: 'ja, j, sand',
});

const NO = plainWords({
  English: 'no, n, false, f',
  Dutch: 'nee, n, onwaar',
  German: 'nein, n, falsch',
  French: 'non, n, faux',
  Spanish: 'no, n, falso',
  Italian: 'no, n, falso',
  Portuguese: 'não, n, falso',
  Polish: 'nie, n, fałsz',
  Czech: 'ne, n, nepravda',
  Danish: 'nej, n, falsk',
});

/** Signs, which are compared as they are. */
const YES_SIGNS: readonly string[] = ['1', 'x', 'X', '×', '✓', '✔', '✔️', '☑', '☒', '✅', '★'];
const NO_SIGNS: readonly string[] = ['0', '-', '–', '✗', '✘', '☐', '❌'];

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...[...YES, ...YES_SIGNS].map((word) => [word, true] as const),
  ...[...NO, ...NO_SIGNS].map((word) => [word, false] as const),
]);

/** Whether a cell says, in place of times, that somebody has no shift. */
export function isFree(text: string): boolean {
  if (/^\d/.test(text)) return false;
  return FREE.has(plainWord(text)) || FREE_SIGNS.includes(text);
}

export const FREE = plainWords({
  English: 'off, day off, free, holiday, vacation, annual leave, leave, sick, sick leave, PTO',
  Dutch: 'vrij, verlof, vakantie, ziek',
  German: 'frei, Urlaub, krank',
  French: 'repos, congé, congés, vacances, maladie',
  Spanish: 'libre, vacaciones, descanso, enfermo, baja',
  Italian: 'riposo, ferie, malattia, permesso, libero, congedo',
  Portuguese: 'folga, férias, doente, baixa, livre, licença',
  Polish: 'wolne, urlop, chorobowe, zwolnienie, L4',
  Czech: 'volno, dovolená, nemoc, nemocenská',
  Danish: 'fri, ferie, syg, fridag, orlov',
});

/** Dashes, which are compared as they are. */
const FREE_SIGNS: readonly string[] = ['-', '–', '—', '--', '---'];

/** Whether a cell says that it has no content, as programs and people write it. */
export function isNothing(text: string): boolean {
  return NOTHING.has(text);
}

/** `Nan` and `Na` are names. */
const NOTHING: ReadonlySet<string> = new Set(
  '- – — -- --- . .. ... … ? ?? ??? * n/a N/A n.a. N.A. #N/A NaN nan null NULL None none'.split(' '),
);

/** Whether a cell says that it is as the one above. */
export function isDitto(text: string): boolean {
  // Most cells that are so short are times.
  if (text.length > MAX_DITTO_CHARACTERS || text === '' || /^\d/.test(text)) return false;
  return DITTOS.has(text.toLowerCase());
}

const MAX_DITTO_CHARACTERS = 5;
const DITTOS: ReadonlySet<string> = new Set(`" '' ″ 〃 “ ” „ -"- "-" dito ditto idem`.split(' '));

/** Whether a cell says that its row adds up others: `Total`, `Summe:`, `Total: 14.5`. */
export function isTotalWord(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  let end = text.length;
  while (end > 0 && /[\d.,:\s]/.test(text[end - 1] ?? '')) end--;
  return TOTALS.has(plainWord(text.slice(0, end)));
}

const TOTALS = plainWords({
  English: 'total, totals, grand total, subtotal, sum, total hours',
  Dutch: 'totaal, subtotaal, som, totaal uren',
  German: 'summe, gesamt, gesamtsumme, zwischensumme, total, gesamtstunden',
  French: 'total, sous-total, somme, total général, total heures',
  Spanish: 'total, subtotal, suma, total general, total horas',
  Italian: 'totale, subtotale, somma, totale generale, totale ore',
  Portuguese: 'total, subtotal, soma, total geral, total de horas',
  Polish: 'suma, razem, łącznie, suma godzin',
  Czech: 'celkem, součet, mezisoučet, celkem hodin',
  Danish: 'total, i alt, sum, subtotal, timer i alt',
});

/** What spreadsheets show in a cell whose formula failed. */
export const ERROR_VALUES: ReadonlySet<string> = new Set(
  `#REF! #N/A #NAME? #VALUE! #DIV/0! #NULL! #NUM! #SPILL! #CALC! #FIELD! #GETTING_DATA #ERROR! #BLOCKED! #CONNECT!
   #BEZUG! #NV #WERT! #ZAHL! #ÜBERLAUF! #VERW! #N/B #NAAM? #WAARDE! #DEEL/0! #LEEG! #GETAL! #OVERLOOP!
   #NOM? #VALEUR! #NOMBRE! #NUL! #EPARS! #¡REF! #¿NOMBRE? #¡VALOR! #¡DIV/0! #¡NULO! #¡NUM! #¡DESBORDAMIENTO!
   #N/D #VERWEIS!`.split(/\s+/),
);
