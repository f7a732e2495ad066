/** Turns the options of an import into what it should do, or says why they contradict each other. */

import { InvalidArgumentError } from 'commander';
import type { ImportOptions } from '../../import/job.ts';
import { isEncoding } from '../../import/sheet/bytes/encoding.ts';
import type { SheetOptions } from '../../import/sheet/options.ts';
import { DATE_FORMAT_RULE, parseDateFormat } from '../../import/sheet/words/date.ts';
import { TABLE_COLUMNS, type TableColumn } from '../../import/sheet/words/headings.ts';
import { readTimes } from '../../import/sheet/words/time.ts';
import { quote } from '../../quote.ts';
import { SLUG, SLUG_RULE } from '../../store/slug.ts';
import { Failure } from '../failure.ts';

export type Format = 'json' | 'sheet';
/** The content of the file decides which of these kinds of sheet it is. */
export const SHEET_FORMATS = ['csv', 'xlsx', 'ods'] as const;
export const FORMATS = ['json', ...SHEET_FORMATS] as const;
/** The years that dates may have. */
export const YEARS = [1000, 9999] as const;

export interface ImportCommandOptions {
  readonly database: string;
  readonly format?: (typeof FORMATS)[number];
  readonly account?: string;
  readonly replace?: boolean;
  /** A date, or "today". */
  readonly from?: string;
  readonly to?: string;
  readonly allowEmpty?: boolean;
  readonly allowRemovals?: boolean;
  readonly dryRun?: boolean;
  readonly show?: boolean;
  readonly quiet?: boolean;
  readonly allProblems?: boolean;
  readonly watch?: boolean;
  /** A file. */
  readonly report?: string;
  readonly columns?: ReadonlyMap<TableColumn, string>;
  readonly ignoreColumns?: readonly string[];
  readonly dateFormat?: string;
  readonly encoding?: string;
  readonly fillDown?: readonly TableColumn[];
  readonly group?: string;
  readonly sheet?: string;
  readonly year?: number;
  readonly codes?: ReadonlyMap<string, string>;
  /** A date, or "today". */
  readonly publishedFrom?: string;
  readonly timeZone?: string;
  readonly premium?: boolean;
  /** Files. */
  readonly recipe?: string;
  readonly saveRecipe?: string;
}

/** Chooses the format by the name of the file. Throws a Failure if options contradict each other. */
export function formatOf(file: string, options: ImportCommandOptions): Format {
  const named = options.format ?? formatByName(file);
  const format = named === 'json' ? 'json' : 'sheet';
  checkTogether(options, format);
  if (options.watch) checkWatch(file, options, format);
  return format;
}

/** What the operator says about a sheet because its cells cannot. */
export function sheetOptions(options: ImportCommandOptions): SheetOptions {
  const {
    account: slug = '',
    timeZone,
    premium,
    dateFormat,
    publishedFrom,
    encoding,
    fillDown,
    group,
    sheet,
    year,
    codes,
  } = options;
  return {
    account: { slug, ...(timeZone && { time_zone: timeZone }), ...(premium !== undefined && { premium }) },
    columnNames: options.columns ?? new Map(),
    ignoredColumns: options.ignoreColumns ?? [],
    dateFormat,
    publishedFrom,
    encoding,
    fillDown,
    group,
    sheet,
    year,
    codes,
  };
}

/**
 * What --replace removes. A sheet contains only groups, locations and people that have shifts in it, and so does a part
 * of the time. In these cases only shifts are removed.
 */
export function removals(
  { replace = false, from, to, allowEmpty = false, allowRemovals = false }: ImportCommandOptions,
  format: Format,
): Pick<ImportOptions, 'replace' | 'replaceShifts' | 'refuseEmpty' | 'refuseRemovals'> {
  const isPart = format === 'sheet' || from !== undefined || to !== undefined;
  return {
    replace: replace && !isPart,
    replaceShifts: replace && isPart ? { from, to } : undefined,
    refuseEmpty: !allowEmpty,
    refuseRemovals: format === 'sheet' && !allowRemovals,
  };
}

function formatByName(file: string): (typeof FORMATS)[number] {
  if (file === '-') throw wrongUse('Say with --format what standard input is: json, csv, xlsx or ods.');
  if (/\.json$/i.test(file)) return 'json';
  if (/\.(csv|tsv|txt)$/i.test(file)) return 'csv';
  // Which of these it is, is told by the content; if it cannot be read, the error says why.
  if (/\.(xlsx|xlsm|xls|ods|numbers)$/i.test(file)) return 'xlsx';
  throw new Failure(
    `${file} is neither a spreadsheet (.xlsx, .ods, .csv) nor a .json file: save it as .xlsx, or say with --format what it is.`,
  );
}

const FOR_SHEETS = [
  ['recipe', '--recipe'],
  ['saveRecipe', '--save-recipe'],
  ['columns', '--columns'],
  ['ignoreColumns', '--ignore-columns'],
  ['dateFormat', '--date-format'],
  ['encoding', '--encoding'],
  ['fillDown', '--fill-down'],
  ['group', '--group'],
  ['sheet', '--sheet'],
  ['year', '--year'],
  ['codes', '--codes'],
  ['publishedFrom', '--published-from'],
  ['timeZone', '--time-zone'],
  ['premium', '--premium'],
] as const;

function checkTogether(options: ImportCommandOptions, format: Format): void {
  const { replace, from, to, allowEmpty, allowRemovals, dryRun, show, quiet } = options;
  const wrong = FOR_SHEETS.find(([name]) => format === 'json' && options[name] !== undefined);
  if (wrong !== undefined) throw wrongUse(`${wrong[1]} is for sheets: a JSON document says this itself.`);
  if ((from !== undefined || to !== undefined) && !replace) {
    throw wrongUse('--from and --to say what --replace may remove: give --replace as well.');
  }
  if (allowEmpty && !replace) throw wrongUse('--allow-empty is for --replace: give both.');
  if (allowRemovals && format === 'json') {
    throw wrongUse('--allow-removals is for sheets: a JSON document may remove any number of shifts.');
  }
  if (allowRemovals && !replace) throw wrongUse('--allow-removals is for --replace: give both.');
  checkRange(options);
  if (format === 'json' && options.account === undefined && [from, to].includes('today')) {
    throw wrongUse('With a JSON document, today needs --account, whose time zone says what today is.');
  }
  if (dryRun && options.saveRecipe !== undefined) {
    throw wrongUse('--save-recipe writes a file, and --dry-run writes nothing: give one of them.');
  }
  if (options.report !== undefined && (dryRun || options.allProblems)) {
    throw wrongUse(
      '--report is for imports, and tells the first 20 problems: leave out --dry-run and --all-problems.',
    );
  }
  if (show && !dryRun) throw wrongUse('--show is for --dry-run: give both.');
  if (show && quiet) throw wrongUse('--show and --quiet say the opposite.');
}

function checkWatch(
  file: string,
  { dryRun, saveRecipe, account }: ImportCommandOptions,
  format: Format,
): void {
  if (file === '-') throw wrongUse('--watch is for a file: standard input is read once.');
  if (dryRun) throw wrongUse('--watch imports, and --dry-run does not: give one of them.');
  if (saveRecipe !== undefined) {
    throw wrongUse(
      '--save-recipe is for a single import: save the recipe first, and give --recipe with --watch.',
    );
  }
  if (format === 'sheet' && account === undefined) throw wrongUse(ACCOUNT_MISSING);
}

/** `today` is checked later, when its date is known. */
export function checkRange({ from, to }: ImportCommandOptions): void {
  if (from === undefined || to === undefined || [from, to].includes('today')) return;
  if (from > to) throw wrongUse(`--from ${from} comes after --to ${to}.`);
}

export const ACCOUNT_MISSING = 'Say with --account whose shifts these are: a sheet does not tell.';

function wrongUse(sentence: string): Failure {
  return new Failure(sentence, { exitCode: 2 });
}

export function parseSlug(text: string): string {
  if (!SLUG.test(text)) throw new InvalidArgumentError(`Expected ${SLUG_RULE}.`);
  return text;
}

/** Returns the name of the format, because a name can be sent between threads. */
export function parseFormatOfDates(text: string): string {
  const format = parseDateFormat(text);
  if (format === undefined) throw new InvalidArgumentError(`Expected ${DATE_FORMAT_RULE}.`);
  return format.name;
}

export function parseEncoding(text: string): string {
  if (isEncoding(text)) return text;
  throw new InvalidArgumentError('Expected a label such as windows-1252, macintosh or utf-16le.');
}

/** `E=06:00-14:00,off=`; may be given several times. */
export function parseCodes(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const codes = new Map(before);
  for (const pair of text.split(',')) {
    const [, code = '', times = ''] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
    addCode(codes, code, times, pair);
  }
  return codes;
}

/** `what` is quoted in the error if it is no code. */
export function addCode(
  codes: Map<string, string>,
  code: string,
  times: string,
  what = `${code}=${times}`,
): void {
  if (code.trim() === '' || (times.trim() !== '' && readTimes(times.trim()) === undefined)) {
    throw new InvalidArgumentError(
      `${quote(what)} is not CODE=TIMES, such as E=06:00-14:00, or off= for no shift.`,
    );
  }
  codes.set(code.trim(), times.trim());
}

/** `date,group`; may be given several times. */
export function parseColumnList(text: string, before: readonly TableColumn[] = []): readonly TableColumn[] {
  return [...before, ...text.split(',').map(parseColumnName)];
}

export function parseColumnName(name: string): TableColumn {
  return parseColumn(name, name);
}

/** `what` is quoted in the error if there is no such column. */
function parseColumn(name: string, what: string, form = 'COLUMN, which'): TableColumn {
  const column = TABLE_COLUMNS.find((candidate) => candidate === name.trim());
  if (column !== undefined) return column;
  throw new InvalidArgumentError(`${quote(what)} is not ${form} is one of ${TABLE_COLUMNS.join(', ')}.`);
}

/** `date=Datum,group=Ploeg`; may be given several times. */
export function parseColumns(
  text: string,
  before: ReadonlyMap<TableColumn, string> = new Map(),
): ReadonlyMap<TableColumn, string> {
  const columns = new Map(before);
  for (const pair of text.split(',')) {
    const [, name = '', heading = ''] = /^([^=]+)=(.+)$/.exec(pair.trim()) ?? [];
    addColumn(columns, name, heading, pair);
  }
  return columns;
}

/** `what` is quoted in the error if it is no column. */
export function addColumn(
  columns: Map<TableColumn, string>,
  name: string,
  heading: string,
  what = `${name}=${heading}`,
): void {
  const column = parseColumn(name, what, 'COLUMN=HEADING, where COLUMN');
  if (columns.has(column)) throw new InvalidArgumentError(`It names two headings for ${column}.`);
  columns.set(column, heading.trim());
}

export function parseHeadings(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map(parseHeading)];
}

export function parseHeading(text: string): string {
  const heading = text.trim();
  if (heading === '') throw new InvalidArgumentError('Expected headings, separated by commas.');
  return heading;
}
