/** What the beginning of a file tells: which character separates its cells, or that it is no CSV at all. */

import { SHEET_COLUMNS } from '../../store/records.ts';
import { plainly } from '../misspelt.ts';
import { folded, type HeaderOptions } from './columns.ts';
import { IS_A_SPREADSHEET } from './sheet.ts';

const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The one that gives the most columns that are known, or else the most columns. */
export function findDelimiter(firstLine: string, { columnNames, ignoredColumns }: HeaderOptions): Delimiter {
  const known = new Set<string>([...SHEET_COLUMNS.map(plainly)]);
  const named = new Set([...columnNames.values(), ...ignoredColumns].map(folded));
  const isKnown = (heading: string) => known.has(plainly(heading)) || named.has(folded(heading));
  const score = (delimiter: Delimiter) => {
    const headings = firstLine.split(delimiter).map((heading) => heading.replaceAll('"', ''));
    return 1_000 * headings.filter(isKnown).length + Math.min(headings.length, 999);
  };
  return DELIMITERS.reduce((best, delimiter) => (score(delimiter) > score(best) ? delimiter : best));
}

/** Why these bytes, with which a file begins, are no CSV in UTF-8; undefined when they may be. */
export function whyNoCsv(bytes: Uint8Array): string | undefined {
  const begins = (...signature: number[]) => signature.every((byte, i) => bytes[i] === byte);
  if (begins(0x50, 0x4b, 0x03, 0x04) || begins(0xd0, 0xcf, 0x11, 0xe0)) return `the file ${IS_A_SPREADSHEET}`;
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff) || bytes.subarray(0, 1_000).includes(0))
    return UTF_16_SENTENCE;
  return undefined;
}

const UTF_16_SENTENCE =
  'the file is text in UTF-16 and not in UTF-8: save the sheet as "CSV UTF-8", and import that file';
