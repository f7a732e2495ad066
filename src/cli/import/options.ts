/** The options of an import → what it is to do, or why they do not fit together. */

import { InvalidArgumentError } from 'commander';
import { DATE_FORMAT_RULE, type DateFormat, parseDateFormat } from '../../import/csv/date-format.ts';
import type { SheetOptions } from '../../import/csv/read.ts';
import { IS_A_SPREADSHEET, type SheetColumn } from '../../import/csv/sheet.ts';
import { parseDate } from '../../listing/calendar.ts';
import { quote } from '../../quote.ts';
import type { DateRange } from '../../store/import-store.ts';
import { SHEET_COLUMNS } from '../../store/records.ts';
import { SLUG, SLUG_RULE } from '../../store/slug.ts';
import { Failure } from '../failure.ts';

export type Format = 'json' | 'csv';
export const FORMATS: readonly Format[] = ['json', 'csv'];

export interface ImportCommandOptions {
  readonly database: string;
  readonly format?: Format;
  readonly account?: string;
  readonly replace?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly allowEmpty?: boolean;
  readonly dryRun?: boolean;
  readonly show?: boolean;
  readonly quiet?: boolean;
  readonly allProblems?: boolean;
  readonly columns?: ReadonlyMap<SheetColumn, string>;
  readonly ignoreColumns?: readonly string[];
  readonly dateFormat?: DateFormat;
  /** A date, or "today". */
  readonly publishedFrom?: string;
  readonly timeZone?: string;
  readonly premium?: boolean;
}

/** Chooses the format by the file's name, and throws a Failure for options that contradict each other. */
export function formatOf(file: string, options: ImportCommandOptions): Format {
  const format = options.format ?? formatByName(file);
  checkTogether(options, format);
  return format;
}

/** For a sheet: what its cells cannot say. */
export function sheetOptions(options: ImportCommandOptions, publishedFrom: string | undefined): SheetOptions {
  const { account: slug = '', timeZone, premium, dateFormat } = options;
  return {
    account: { slug, ...(timeZone && { time_zone: timeZone }), ...(premium !== undefined && { premium }) },
    columnNames: options.columns ?? new Map(),
    ignoredColumns: options.ignoreColumns ?? [],
    dateFormat,
    publishedFrom,
  };
}

/**
 * What --replace removes. A sheet tells only of groups, locations and people that have shifts in it, and a part of the
 * time does so, too: of those, only shifts are removed.
 */
export function removals(
  { replace = false, from, to }: ImportCommandOptions,
  format: Format,
): { readonly replace: boolean; readonly replaceShifts: DateRange | undefined } {
  const isPart = format === 'csv' || from !== undefined || to !== undefined;
  return { replace: replace && !isPart, replaceShifts: replace && isPart ? { from, to } : undefined };
}

function formatByName(file: string): Format {
  if (file === '-') throw wrongUse('Say with --format whether standard input is json or csv.');
  if (/\.json$/i.test(file)) return 'json';
  if (/\.(csv|tsv)$/i.test(file)) return 'csv';
  if (/\.(xlsx|xlsm|xls|ods|numbers)$/i.test(file)) {
    throw new Failure(`${file} ${IS_A_SPREADSHEET}.`);
  }
  throw new Failure(`${file} is neither a .json nor a .csv file: say with --format which of them it is.`);
}

const FOR_SHEETS = [
  ['columns', '--columns'],
  ['ignoreColumns', '--ignore-columns'],
  ['dateFormat', '--date-format'],
  ['publishedFrom', '--published-from'],
  ['timeZone', '--time-zone'],
  ['premium', '--premium'],
] as const;

function checkTogether(options: ImportCommandOptions, format: Format): void {
  const { account, replace, from, to, allowEmpty, dryRun, show, quiet } = options;
  const wrong = FOR_SHEETS.find(([name]) => format === 'json' && options[name] !== undefined);
  if (wrong !== undefined) throw wrongUse(`${wrong[1]} is for CSV: a JSON document says this itself.`);
  if (format === 'csv' && account === undefined) {
    throw wrongUse('Say with --account whose shifts these are: a CSV does not tell.');
  }
  if ((from !== undefined || to !== undefined) && !replace) {
    throw wrongUse('--from and --to say what --replace may remove: give --replace as well.');
  }
  if (allowEmpty && !replace) throw wrongUse('--allow-empty is for --replace: give both.');
  if (from !== undefined && to !== undefined && from > to) {
    throw wrongUse(`--from ${from} comes after --to ${to}.`);
  }
  if (show && !dryRun) throw wrongUse('--show is for --dry-run: give both.');
  if (show && quiet) throw wrongUse('--show and --quiet say the opposite.');
}

function wrongUse(sentence: string): Failure {
  return new Failure(sentence, { exitCode: 2 });
}

export function parseSlug(text: string): string {
  if (!SLUG.test(text)) throw new InvalidArgumentError(`Expected ${SLUG_RULE}.`);
  return text;
}

export function parseDay(text: string): string {
  if (parseDate(text) === undefined) throw new InvalidArgumentError('Expected a date YYYY-MM-DD.');
  return text;
}

export function parseFormatOfDates(text: string): DateFormat {
  const format = parseDateFormat(text);
  if (format === undefined) throw new InvalidArgumentError(`Expected ${DATE_FORMAT_RULE}.`);
  return format;
}

/** `date=Datum,group=Ploeg`; may be given several times. */
export function parseColumns(
  text: string,
  before: ReadonlyMap<SheetColumn, string> = new Map(),
): ReadonlyMap<SheetColumn, string> {
  const columns = new Map(before);
  for (const pair of text.split(',')) {
    const [, name = '', heading = ''] = /^([^=]+)=(.+)$/.exec(pair.trim()) ?? [];
    const column = SHEET_COLUMNS.find((candidate) => candidate === name.trim());
    if (column === undefined) {
      throw new InvalidArgumentError(
        `${quote(pair)} is not COLUMN=HEADING, where COLUMN is one of ${SHEET_COLUMNS.join(', ')}.`,
      );
    }
    if (columns.has(column)) throw new InvalidArgumentError(`It names two headings for ${column}.`);
    columns.set(column, heading.trim());
  }
  return columns;
}

export function parseHeadings(text: string, before: readonly string[] = []): readonly string[] {
  const headings = text.split(',').map((heading) => heading.trim());
  if (headings.includes('')) throw new InvalidArgumentError('Expected headings, separated by commas.');
  return [...before, ...headings];
}
