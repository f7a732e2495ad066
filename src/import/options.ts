/**
 * Every option of an import, described once: the command line makes its options of this table, and recipes their keys.
 */

import { parseDate } from '@shiftfeed/common/days';
import { foldName } from '@shiftfeed/common/names';
import { quote } from '@shiftfeed/common/quote';
import {
  ALL_SHEETS,
  DATE_FORMAT_RULE,
  inWords,
  isEncoding,
  KEEP_EMPTY,
  parseDateFormat,
  parseSeparators,
  readTimes,
  SECTION_MEANINGS,
  SEPARATORS_RULE,
  type SheetOptions,
  STATUS_MEANINGS,
  type StatusMeaning,
  TAB_MEANINGS,
  TABLE_COLUMNS,
  type TableColumn,
} from '@shiftfeed/sheets';
import { SLUG, SLUG_RULE } from '../store/account.ts';
import { type GivenAccount, InvalidValue, readFlag, readInteger, readName, readTimeZone } from './fields.ts';
import type { ImportOptions } from './import.ts';

export interface ImportOption<Value> extends Kind<Value> {
  /** What it takes on the command line, such as `<slug>`; a flag takes nothing. */
  readonly takes?: string;
  readonly help: string;
  /** The values that it takes, if they are few. */
  readonly choices?: readonly string[];
  /** A JSON document says this itself. */
  readonly isForSheets?: true;
  /** A date, or `today`. */
  readonly isDay?: true;
  /**
   * Whether a recipe may have it. A recipe has neither the account and its settings nor permissions for a single import.
   */
  readonly isInRecipe?: true;
  /** Each value is one pair, which may have commas in it, and equals signs in its first part. */
  readonly isOnePair?: true;
  /** What stands for the rest of a value that only a human knows, and an example of it. */
  readonly gap?: { readonly shown: string; readonly example: string };
  /** How a page asks for it. A page can give no other options. */
  readonly field?: PageField;
}

/** A field of a page. Of a pair, `item` is the first part, such as a code; otherwise it is empty. */
export interface PageField {
  label(item: string): string;
  /** What a value means, in the words of a planner. `about` is the text in question. */
  means?(value: string, item: string, about: string): string;
  /** The question itself, if it can be asked better than by the problem. */
  asks?(about: string, meanings: readonly string[]): string;
  /** The values that can be chosen, beside those that would solve a problem. */
  readonly values?: readonly string[];
  /** What is typed into its gap. */
  readonly typed?: InputKind;
}

export type InputKind = 'text' | 'people' | 'times' | 'year' | 'date' | 'zone';

/** How values are read. Both ways throw InvalidValue. */
interface Kind<Value> {
  /** Reads what was typed. `before` is what was typed earlier, for an option that may be given several times. */
  fromText(text: string, before?: Value): Value;
  /** Reads a JSON value. Lists and pairs may also be written as they are typed. */
  fromJson(value: unknown): Value;
  /** Adds to the value of a recipe. Options without this replace it. */
  join?(before: Value, after: Value): Value;
}

/** The content of the file decides which of these kinds of sheet it is. */
const SHEET_FORMATS = ['csv', 'xlsx', 'ods'] as const;
const FORMATS = ['json', ...SHEET_FORMATS] as const;
const CLOCKS = ['12', '24'] as const;
/** The years that dates may have. */
const FIRST_YEAR = 1000;
const LAST_YEAR = 9999;
/** Stands for the date of the import, in the time zone of the account. */
const TODAY = 'today';

const FLAG: Kind<boolean> = { fromText: readFlag, fromJson: (value) => readFlag(JSON.stringify(value)) };
const DAY = {
  ...text(
    (typed) => (typed === TODAY || parseDate(typed) !== undefined ? typed : undefined),
    'a date YYYY-MM-DD, or today',
  ),
  takes: '<date|today>',
  isDay: true,
} as const;

const HEADING = text((typed) => typed.trim() || undefined, 'headings, separated by commas');
const FILLED = text((name) =>
  name.trim() === KEEP_EMPTY ? KEEP_EMPTY : readColumn(name, name, 'COLUMN, which', [KEEP_EMPTY]),
);

const NAME = { shown: 'NAME', example: 'name' };
const REMOVALS: PageField = { label: () => 'Removals', means: () => 'Remove them' };
const STATUS_IN_WORDS: Readonly<Record<StatusMeaning, string>> = {
  shift: 'An ordinary shift',
  none: 'There is no shift',
  cancelled: 'The shift is cancelled',
  noshow: 'The person did not come',
};

function nameInWords(meaning: string): string {
  return meaning === 'nothing' ? 'None of these' : `They are the ${meaning} of the shifts`;
}

/** Such as `the 3rd of June`; undefined if the text is no such date. The year is told if the text leaves it open. */
function dayInWords(text: string, pattern: string): string | undefined {
  const date = parseDateFormat(pattern)?.read(text);
  if (date === undefined) return undefined;
  const [year = '', , day] = date.split('-');
  const month = new Date(`${date}T00:00Z`).toLocaleDateString('en', { month: 'long', timeZone: 'UTC' });
  const number = Number(day);
  const isTeen = number > 10 && number < 14;
  const ending = (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]) ?? 'th';
  return `the ${number}${ending} of ${month}${text.includes(year) ? '' : ` ${year}`}`;
}

/** Such as `day/month/year`. */
function patternInWords(pattern: string): string {
  if (pattern === 'serial') return 'They are numbers, as spreadsheets count days';
  return pattern.replace(/D+/, 'day').replace(/M+/, 'month').replace(/Y+/, 'year');
}

/** In the order in which they are shown. */
export const IMPORT_OPTIONS = {
  format: {
    fromText: (name: string) => oneOf(FORMATS, name),
    // A recipe is for sheets.
    fromJson: (name: unknown) => oneOf(SHEET_FORMATS, name),
    takes: '<format>',
    choices: FORMATS,
    help: 'what the file is, if its name does not tell',
    isInRecipe: true,
  },
  account: {
    ...text((typed) => SLUG.exec(typed)?.[0], SLUG_RULE),
    takes: '<slug>',
    gap: NAME,
    help: 'the account of a sheet; a JSON document for another one is refused',
  },
  replace: {
    ...FLAG,
    help: 'also remove what the file does not have; of a sheet, only shifts',
    isInRecipe: true,
  },
  from: {
    ...DAY,
    help: 'with --replace: remove only shifts that start on this day or later',
    isInRecipe: true,
  },
  to: {
    ...DAY,
    help: 'with --replace: remove only shifts that start on this day or earlier',
    isInRecipe: true,
  },
  replaceDays: {
    ...FLAG,
    help: 'also remove shifts that the file lacks, of its days and groups only',
    isInRecipe: true,
    field: {
      label: () => 'Shifts that are not in the file',
      means: (value) =>
        value === 'true'
          ? 'Remove them: the file is the plan of these days'
          : 'Keep them: the file adds to the plan',
    },
  },
  allowEmpty: {
    ...FLAG,
    help: 'with --replace or --replace-days: remove shifts even if the file has none at all',
    field: REMOVALS,
  },
  allowRemovals: {
    ...FLAG,
    help: 'with either, by a sheet: remove even more than half of the shifts',
    field: REMOVALS,
  },
  dryRun: { ...FLAG, help: 'check everything and say what would change, but change nothing' },
  columns: {
    ...pairs<TableColumn>(addColumn, '{"date": "Datum"}'),
    ...ofSheet('<pairs>', 'sheets: what the sheet calls columns, such as date=Datum,group=Ploeg'),
    field: {
      label: (column) => `Column of the ${inWords(column)}`,
      means: (heading, column) => `${heading} is the ${inWords(column)}`,
    },
  },
  ignoreColumns: {
    ...list(HEADING, '["Uren"]'),
    ...ofSheet('<headings>', 'sheets: columns of the sheet that are not read'),
    field: { label: () => 'Columns that are left out', means: (heading) => `Leave out ${heading}` },
  },
  dateFormat: {
    // Its name, because a name can be sent between threads.
    ...text((typed) => parseDateFormat(typed)?.name, DATE_FORMAT_RULE),
    ...ofSheet('<pattern>', 'sheets: how dates are written, such as DD-MM-YYYY'),
    field: {
      label: () => 'How dates are written',
      means: (pattern, _item, about) => dayInWords(about, pattern) ?? patternInWords(pattern),
      asks: (about, meanings) => `Is ${about} ${meanings.join(' or ')}?`,
    },
  },
  encoding: {
    ...text(
      (label) => (isEncoding(label) ? label : undefined),
      'a label such as windows-1252, macintosh or utf-16le',
    ),
    ...ofSheet('<label>', 'sheets: how characters are written, such as windows-1252'),
    field: { label: () => 'How characters are written' },
  },
  fillDown: {
    ...list(FILLED, '["date"]'),
    ...ofSheet('<columns>', 'sheets: columns whose empty cells are as the one above, or none'),
    field: {
      label: () => 'Empty cells',
      means: (columns) =>
        columns === KEEP_EMPTY ? 'They are meant to be empty' : 'They are as the one above',
    },
  },
  sheet: {
    fromText: (name: string) => name,
    fromJson: (name: unknown) => readText(Number.isInteger(name) ? String(name) : name),
    ...ofSheet('<name|number|all>', 'sheets: which one of a workbook is read, or all with shifts'),
    field: { label: () => 'Sheet', means: (name) => (name === ALL_SHEETS ? 'All of them' : name) },
  },
  year: {
    fromText: (year: string) => readInteger(year, FIRST_YEAR, LAST_YEAR),
    fromJson: (year: unknown) => readInteger(String(year), FIRST_YEAR, LAST_YEAR),
    ...ofSheet('<year>', 'sheets: the year of dates that lack it, as in a roster'),
    gap: { shown: 'YEAR', example: '2027' },
    field: { label: () => 'Year', typed: 'year' },
  },
  codes: {
    ...pairs<string>(addCode, '{"E": "06:00-14:00", "off": ""}'),
    ...ofSheet('<pairs>', 'sheets: what stands for times in a roster, such as E=06:00-14:00,off='),
    field: {
      label: (code) => `Times of ${code}`,
      means: (times, code) => (times === '' ? `${code} is no shift` : times),
      typed: 'times',
    },
    gap: { shown: 'HH:MM-HH:MM', example: '09:00-17:00' },
  },
  status: {
    ...pairs<string, StatusMeaning>(addStatus, '{"declined": "none"}'),
    ...ofSheet('<pairs>', 'sheets: what words of a status mean, such as declined=none,booked=shift'),
    field: {
      label: (word) => `What ${word} means`,
      means: (meaning) => STATUS_IN_WORDS[meaning as StatusMeaning] ?? meaning,
      values: STATUS_MEANINGS,
    },
  },
  peopleSeparator: {
    ...text((typed) => parseSeparators(typed)?.join(' '), SEPARATORS_RULE),
    ...ofSheet('<text>', 'sheets: what stands between the people in a cell, such as ; or none'),
    field: {
      label: () => 'People in a cell',
      means: (separators) =>
        /\bnone$/.test(separators) ? 'Every cell of people is one name' : 'They are several people',
    },
  },
  people: {
    ...pairs<string>(addPerson, '{"Ada/Bo": "Ada; Bo", "closed": ""}', true),
    ...ofSheet('<pair>', 'sheets: who a text in a cell of people is, such as "Ada?=Ada"; also several times'),
    isOnePair: true,
    field: {
      label: (text) => `Who is meant by ${quote(text)}`,
      means: (names, text) =>
        names === ''
          ? 'Nobody: the shift is open'
          : names === text
            ? 'A person of this name'
            : namesOf(names).join(' and '),
      typed: 'people',
    },
    gap: NAME,
  },
  tabs: {
    ...text((typed) => oneOf(TAB_MEANINGS, typed)),
    ...ofSheet('<meaning>', 'sheets: what their names are: person, group, location or nothing'),
    field: { label: () => 'Names of the sheets', means: nameInWords },
  },
  sections: {
    ...text((typed) => oneOf(SECTION_MEANINGS, typed)),
    ...ofSheet('<meaning>', 'sheets: what names above rows or columns are: group, location or nothing'),
    field: { label: () => 'Names above rows or columns', means: nameInWords },
  },
  clock: {
    fromText: (hours: string) => Number(oneOf(CLOCKS, hours)) as 12 | 24,
    fromJson: (hours: unknown) => Number(oneOf(CLOCKS, String(hours))) as 12 | 24,
    ...ofSheet('<12|24>', 'sheets: the clock of times without am and pm'),
    field: { label: () => 'Clock', means: (hours) => `The sheet has a ${hours}-hour clock` },
  },
  group: {
    ...text(readName),
    ...ofSheet('<name>', 'sheets: the group of rows that have none'),
    gap: NAME,
    field: { label: () => 'Group of all rows', typed: 'text' },
  },
  publishedFrom: {
    ...DAY,
    ...ofSheet(DAY.takes, 'sheets: the publish date of rows that have none'),
    field: {
      label: () => 'Published from',
      means: (day) => (day === TODAY ? 'Today' : day),
      typed: 'date',
    },
  },
  timeZone: {
    ...text(readTimeZone),
    takes: '<zone>',
    help: 'sheets: the IANA time zone of the account',
    field: { label: () => 'Time zone', typed: 'zone' },
    isForSheets: true,
  },
  premium: {
    ...FLAG,
    takes: '<true|false>',
    help: 'sheets: whether tokens of the account are live',
    isForSheets: true,
  },
} satisfies Readonly<Record<string, ImportOption<unknown>>>;

/** How a sheet is read, which a recipe may say. */
function ofSheet(takes: string, help: string) {
  return { takes, help, isForSheets: true, isInRecipe: true } as const;
}

export type OptionName = keyof typeof IMPORT_OPTIONS;

export type ImportValues = {
  readonly [Name in OptionName]?: ReturnType<(typeof IMPORT_OPTIONS)[Name]['fromText']> | undefined;
};

export const OPTION_NAMES = Object.keys(IMPORT_OPTIONS) as readonly OptionName[];

export function optionOf(name: OptionName): ImportOption<unknown> {
  return IMPORT_OPTIONS[name];
}

/** Such as `ignore-columns`: the key in a recipe, and the option without its dashes. */
export function keyOf(name: OptionName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const BY_KEY: ReadonlyMap<string, NamedOption> = new Map(
  OPTION_NAMES.map((name) => [keyOf(name), { ...optionOf(name), name }]),
);

interface NamedOption extends ImportOption<unknown> {
  readonly name: OptionName;
}

/** undefined: there is no such option. */
export function optionByKey(key: string): NamedOption | undefined {
  return BY_KEY.get(key);
}

/** Those of `given` win over those of a recipe, or add to them. */
export function joinValues(recipe: ImportValues, given: ImportValues): ImportValues {
  const joined = OPTION_NAMES.map((name) => {
    const { join } = optionOf(name);
    const [before, after] = [recipe[name], given[name]];
    const value =
      join && before !== undefined && after !== undefined ? join(before, after) : (after ?? before);
    return [name, value] as const;
  });
  return Object.fromEntries(joined.filter(([, value]) => value !== undefined));
}

export type Format = 'json' | 'sheet';

/** undefined: neither is known by such a name. */
export function formatByName(file: string): Format | undefined {
  if (/\.json$/i.test(file)) return 'json';
  // Which kind of sheet it is, is told by the content; if it cannot be read, the error says why.
  return /\.(csv|tsv|txt|xlsx|xlsm|xls|ods|numbers)$/i.test(file) ? 'sheet' : undefined;
}

/** Says why these values do not fit together; undefined if they do. */
export function contradictionIn(values: ImportValues, format: Format): string | undefined {
  const { account, replace, replaceDays, from, to, allowEmpty, allowRemovals } = values;
  const isRemoving = replace || replaceDays;
  const wrong = OPTION_NAMES.find((name) => optionOf(name).isForSheets && values[name] !== undefined);
  if (format === 'json' && wrong !== undefined) return forSheetsOnly(keyOf(wrong));
  if (replaceDays && (replace || from !== undefined || to !== undefined))
    return '--replace-days takes the days from the file: leave out --replace, --from and --to.';
  if ((from !== undefined || to !== undefined) && !replace)
    return '--from and --to say what --replace may remove: give --replace as well.';
  if (allowEmpty && !isRemoving)
    return '--allow-empty is for --replace and --replace-days: give one of these, too.';
  if (allowRemovals && format === 'json' && !replaceDays)
    return '--allow-removals is for sheets: a JSON document may remove any number of shifts.';
  if (allowRemovals && !isRemoving)
    return '--allow-removals is for --replace and --replace-days: give one of these, too.';
  const hasToday = from === TODAY || to === TODAY;
  if (!hasToday && from !== undefined && to !== undefined && from > to)
    return `--from ${from} comes after --to ${to}.`;
  if (format === 'json' && account === undefined && hasToday)
    return 'With a JSON document, today needs --account, whose time zone says what today is.';
  return undefined;
}

export function forSheetsOnly(key: string): string {
  return `--${key} is for sheets: a JSON document says this itself.`;
}

/** Replaces `today` by the date, which is asked for only then. */
export async function withToday<Values extends ImportValues>(
  values: Values,
  askToday: () => Promise<string>,
): Promise<Values> {
  const days = OPTION_NAMES.filter((name) => optionOf(name).isDay && values[name] === TODAY);
  if (days.length === 0) return values;
  const today = await askToday();
  return { ...values, ...Object.fromEntries(days.map((name) => [name, today])) };
}

/** A sheet, and whose shifts it has. */
export interface SheetTask extends SheetOptions {
  readonly account: GivenAccount;
}

/** What the operator says about a sheet because its cells cannot. */
export function sheetOptions(values: ImportValues): SheetTask {
  const { account: slug = '', timeZone, premium, columns = new Map(), ignoreColumns = [] } = values;
  return {
    account: { slug, ...(timeZone && { time_zone: timeZone }), ...(premium !== undefined && { premium }) },
    timeZone,
    columnNames: columns,
    ignoredColumns: ignoreColumns,
    dateFormat: values.dateFormat,
    publishedFrom: values.publishedFrom,
    encoding: values.encoding,
    fillDown: values.fillDown,
    group: values.group,
    sheet: values.sheet,
    year: values.year,
    codes: values.codes,
    clock: values.clock,
    tabs: values.tabs,
    sections: values.sections,
    statuses: values.status,
    peopleSeparators: values.peopleSeparator?.split(' '),
    people:
      values.people && new Map([...values.people].map(([text, names]) => [foldName(text), namesOf(names)])),
  };
}

/**
 * What --replace and --replace-days remove. A sheet contains only groups, locations and people that have shifts in it, and so does a part
 * of the time. In these cases only shifts are removed.
 */
export function removals(
  { replace = false, replaceDays, from, to, allowEmpty = false, allowRemovals = false }: ImportValues,
  format: Format,
): Pick<ImportOptions, 'replace' | 'replaceShifts' | 'replaceDays' | 'refuseEmpty' | 'refuseRemovals'> {
  const isPart = format === 'sheet' || from !== undefined || to !== undefined;
  return {
    replace: replace && !isPart,
    replaceShifts: replace && isPart ? { from, to } : undefined,
    replaceDays,
    refuseEmpty: !allowEmpty,
    refuseRemovals: (format === 'sheet' || replaceDays) && !allowRemovals,
  };
}

/** For a text that is not what was `expected`, `read` returns undefined or throws InvalidValue. */
function text<T>(read: (text: string) => T | undefined, expected = ''): Kind<T> {
  const fromText = (typed: string) => {
    const value = read(typed);
    if (value === undefined) throw new InvalidValue(`Expected ${expected}.`);
    return value;
  };
  return { fromText, fromJson: (value) => fromText(readText(value)) };
}

function readText(value: unknown): string {
  if (isText(value)) return value;
  throw new InvalidValue('Expected a text in quotes.');
}

/** Texts, separated by commas when they are typed. */
function list<T>(item: Kind<T>, example: string): Kind<readonly T[]> {
  const readItem = (text: string) => item.fromText(text);
  return {
    fromText: (typed, before = []) => [...before, ...typed.split(',').map(readItem)],
    fromJson(value) {
      const items = isText(value) ? value.split(',') : value;
      if (Array.isArray(items) && items.every(isText)) return items.map(readItem);
      throw new InvalidValue(`Expected a list such as ${example}.`);
    },
    join: (before, after) => [...before, ...after],
  };
}

/** `add` gets the pair as it was typed, too, to quote it. */
function pairs<K extends string, V extends string = string>(
  add: (to: Map<K, V>, name: string, value: string, pair: string) => void,
  example: string,
  isOnePair = false,
): Kind<ReadonlyMap<K, V>> {
  const fromText = (typed: string, before: ReadonlyMap<K, V> = new Map()) => {
    const map = new Map(before);
    for (const pair of isOnePair ? [typed] : typed.split(',')) {
      const equals = isOnePair ? pair.lastIndexOf('=') : pair.indexOf('=');
      add(map, pair.slice(0, Math.max(0, equals)).trim(), pair.slice(equals + 1).trim(), pair);
    }
    return map;
  };
  return {
    fromText,
    fromJson(value) {
      if (isText(value)) return fromText(value);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isObject || !Object.values(value).every(isText))
        throw new InvalidValue(`Expected pairs such as ${example}.`);
      const map = new Map<K, V>();
      for (const [name, content] of Object.entries(value as Readonly<Record<string, string>>))
        add(map, name.trim(), content.trim(), `${name}=${content}`);
      return map;
    },
    join: (before, after) => new Map([...before, ...after]),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function addColumn(columns: Map<TableColumn, string>, name: string, heading: string, pair: string): void {
  const column = readColumn(heading === '' ? '' : name, pair, 'COLUMN=HEADING, where COLUMN');
  if (columns.has(column)) throw new InvalidValue(`It names two headings for ${column}.`);
  columns.set(column, heading);
}

function addCode(codes: Map<string, string>, code: string, times: string, pair: string): void {
  if (code === '' || (times !== '' && readTimes(times) === undefined)) {
    throw new InvalidValue(`${quote(pair)} is not CODE=TIMES, such as E=06:00-14:00, or off= for no shift.`);
  }
  codes.set(code, times);
}

function addStatus(statuses: Map<string, StatusMeaning>, word: string, meant: string, pair: string): void {
  const meaning = STATUS_MEANINGS.find((one) => one === meant);
  if (word === '' || meaning === undefined)
    throw new InvalidValue(
      `${quote(pair)} is not WORD=MEANING, where MEANING is one of ${STATUS_MEANINGS.join(', ')}.`,
    );
  statuses.set(word, meaning);
}

function addPerson(people: Map<string, string>, text: string, names: string, pair: string): void {
  if (text === '')
    throw new InvalidValue(`${quote(pair)} is not TEXT=NAME, such as Ada?=Ada, or closed= for nobody.`);
  for (const name of namesOf(names)) readName(name);
  people.set(text, names);
}

/** Several have a semicolon between them. */
export function namesOf(names: string): readonly string[] {
  return names
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** `what` is quoted if there is no such column. */
function readColumn(name: string, what: string, form: string, others: readonly string[] = []): TableColumn {
  const column = TABLE_COLUMNS.find((candidate) => candidate === name.trim());
  if (column !== undefined) return column;
  throw new InvalidValue(
    `${quote(what)} is not ${form} is one of ${[...TABLE_COLUMNS, ...others].join(', ')}.`,
  );
}

function oneOf<Choice extends string>(choices: readonly Choice[], given: unknown): Choice {
  const choice = choices.find((candidate) => candidate === given);
  if (choice === undefined) throw new InvalidValue(`Expected ${choices.join(', ')}.`);
  return choice;
}
