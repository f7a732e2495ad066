/** The languages that calendar and page speak, each in a file of its own. */

import { ARABIC, ARABIC_ON_BOARD, ARABIC_ON_PAGE } from './ar.ts';
import { GERMAN, GERMAN_ON_BOARD, GERMAN_ON_PAGE } from './de.ts';
import {
  type BoardMessages,
  ENGLISH,
  ENGLISH_ON_BOARD,
  ENGLISH_ON_PAGE,
  type Messages,
  type PageMessages,
} from './en.ts';
import { SPANISH, SPANISH_ON_BOARD, SPANISH_ON_PAGE } from './es.ts';
import { FRENCH, FRENCH_ON_BOARD, FRENCH_ON_PAGE } from './fr.ts';
import { HEBREW, HEBREW_ON_BOARD, HEBREW_ON_PAGE } from './he.ts';
import { ITALIAN, ITALIAN_ON_BOARD, ITALIAN_ON_PAGE } from './it.ts';
import { DUTCH, DUTCH_ON_BOARD, DUTCH_ON_PAGE } from './nl.ts';
import { POLISH, POLISH_ON_BOARD, POLISH_ON_PAGE } from './pl.ts';
import { PORTUGUESE, PORTUGUESE_ON_BOARD, PORTUGUESE_ON_PAGE } from './pt.ts';

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

export const LANGUAGES_ON_PAGE: Readonly<Record<string, PageMessages>> = {
  ar: ARABIC_ON_PAGE,
  de: GERMAN_ON_PAGE,
  en: ENGLISH_ON_PAGE,
  es: SPANISH_ON_PAGE,
  fr: FRENCH_ON_PAGE,
  he: HEBREW_ON_PAGE,
  it: ITALIAN_ON_PAGE,
  nl: DUTCH_ON_PAGE,
  pl: POLISH_ON_PAGE,
  pt: PORTUGUESE_ON_PAGE,
};

export const LANGUAGES_ON_BOARD: Readonly<Record<string, BoardMessages>> = {
  ar: ARABIC_ON_BOARD,
  de: GERMAN_ON_BOARD,
  en: ENGLISH_ON_BOARD,
  es: SPANISH_ON_BOARD,
  fr: FRENCH_ON_BOARD,
  he: HEBREW_ON_BOARD,
  it: ITALIAN_ON_BOARD,
  nl: DUTCH_ON_BOARD,
  pl: POLISH_ON_BOARD,
  pt: PORTUGUESE_ON_BOARD,
};

/** The interfaces of the standard and of browsers that came before it. */
interface TextInfo {
  getTextInfo?(): { direction?: string };
  readonly textInfo?: { direction?: string };
}

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'ug', 'ur', 'yi']);

/** Whether a language is written from left to right or from right to left. */
export function directionOf(locale: Intl.Locale & TextInfo): 'ltr' | 'rtl' {
  const known = (locale.getTextInfo?.() ?? locale.textInfo)?.direction;
  if (known === 'rtl' || known === 'ltr') return known;
  return RIGHT_TO_LEFT.has(locale.language) ? 'rtl' : 'ltr';
}
