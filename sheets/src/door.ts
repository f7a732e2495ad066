/**
 * The door of this package: a file is read, an excerpt of it is cut, and what the options of reading take. Code that reads
 * is loaded when it is needed: whoever only asks about options starts faster without it.
 */

import type { Excerpt } from './excerpt.ts';
import type { ProblemPlace } from './place.ts';
import type { SheetPart } from './read.ts';
import type { SheetFields, SheetOptions } from './sheet-options.ts';

/** If the file cannot be read to its end, the parts end with what was read so far. */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
  fields: SheetFields,
): AsyncGenerator<SheetPart> {
  const { readParts } = await import('./read.ts');
  yield* readParts(bytes, options, fields);
}

/** The rows around places. What cannot be read again is left out. */
export async function excerptOf(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
  places: readonly (ProblemPlace | undefined)[],
): Promise<Excerpt> {
  const { cutExcerpt } = await import('./excerpt.ts');
  return cutExcerpt(bytes, options, places);
}

/** A text that is equal for files of one layout: their shapes and headings are the same. undefined: it cannot be told. */
export async function findLayout(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  options: Pick<SheetOptions, 'sheet' | 'year'>,
): Promise<string | undefined> {
  const { layoutOf } = await import('./layout.ts');
  return layoutOf(open, options);
}

export { Utf8Reader } from './bytes/utf8.ts';
export type { Excerpt, ProblemCell, SheetExcerpt } from './excerpt.ts';
export type { SheetAsRead } from './ledger.ts';
export { columnLetters, describePlace, type ProblemPlace, placeAt, placeInSheet } from './place.ts';
export { inWords, naming, orWithoutIds, type SheetProblem } from './problem.ts';
export type { SheetPart, SheetRows } from './read.ts';
export type { Coverage, SheetReport, SheetRow } from './report.ts';
export {
  ALL_SHEETS,
  isEncoding,
  KEEP_EMPTY,
  SECTION_MEANINGS,
  type SheetFields,
  type SheetOptions,
  TAB_MEANINGS,
} from './sheet-options.ts';
export { DATE_FORMAT_RULE, parseDateFormat } from './words/date.ts';
export { TABLE_COLUMNS, type TableColumn } from './words/headings.ts';
export { parseSeparators, SEPARATORS_RULE } from './words/people.ts';
export { STATUS_MEANINGS, type StatusMeaning } from './words/status.ts';
export { readTimes } from './words/time.ts';
