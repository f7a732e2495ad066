/** Whether a language is written from left to right or from right to left. */

/** The interfaces of the standard and of browsers that came before it. */
interface TextInfo {
  getTextInfo?(): { direction?: string };
  readonly textInfo?: { direction?: string };
}

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'ug', 'ur', 'yi']);

export function directionOf(locale: Intl.Locale & TextInfo): 'ltr' | 'rtl' {
  const known = (locale.getTextInfo?.() ?? locale.textInfo)?.direction;
  if (known === 'rtl' || known === 'ltr') return known;
  return RIGHT_TO_LEFT.has(locale.language) ? 'rtl' : 'ltr';
}
