/** Finds the character that separates the cells of a CSV. */

import { countKnown, type HeaderOptions } from '../table/columns.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The headings are expected within this many lines. */
const LINES = 50;

/** Chooses the delimiter that gives a line the most known headings, or else the most cells. */
export function findDelimiter(beginning: string, options: HeaderOptions): Delimiter {
  const lines = beginning.split(/[\r\n]+/, LINES).filter((line) => line !== '');
  const named = DELIMITERS.find((delimiter) => /^"?sep=(.)"?/i.exec(lines[0] ?? '')?.[1] === delimiter);
  if (named !== undefined) return named;
  const score = (delimiter: Delimiter) =>
    Math.max(
      0,
      ...lines.map((line) => {
        const cells = line.split(delimiter).map((cell) => cell.replaceAll('"', '').trim());
        return 1_000 * countKnown(cells, options) + Math.min(cells.length, 999);
      }),
    );
  return DELIMITERS.map((delimiter) => ({ delimiter, score: score(delimiter) })).reduce((best, one) =>
    one.score > best.score ? one : best,
  ).delimiter;
}
