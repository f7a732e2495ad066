/**
 * The door of this package: a file is read, an excerpt of it is cut, and what the options of reading take. Code that reads
 * is loaded when it is needed: whoever only asks about options starts faster without it.
 */

import type { cutExcerpt } from './excerpt.ts';
import type { layoutOf } from './layout.ts';
import type { readParts } from './read.ts';

/** If the file cannot be read to its end, the parts end with what was read so far. */
export const readSheet: typeof readParts = async function* (...given) {
  yield* (await import('./read.ts')).readParts(...given);
};

/** The rows around places. What cannot be read again is left out. */
export const excerptOf: typeof cutExcerpt = async (...given) =>
  (await import('./excerpt.ts')).cutExcerpt(...given);

/** A text that is equal for files of one layout: their shapes and headings are the same. undefined: it cannot be told. */
export const findLayout: typeof layoutOf = async (...given) =>
  (await import('./layout.ts')).layoutOf(...given);

export { Utf8Reader } from './bytes/utf8.ts';
export type { Excerpt, ProblemCell, SheetExcerpt } from './excerpt.ts';
export type { SheetAsRead } from './ledger.ts';
export {
  columnLetters,
  describePlace,
  inWords,
  naming,
  orWithoutIds,
  type ProblemPlace,
  placeAt,
  placeInSheet,
  type SheetProblem,
} from './problem.ts';
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
