/**
 * Recipes: how a sheet is read and what it replaces, as a JSON file whose keys are the long names of the options. A
 * recipe contains neither the account and its settings nor permissions for a single import. It also contains nothing
 * that was found in the sheet: an ambiguous date has to be refused the next time, too, and not be read like the last
 * one.
 */

import { InvalidArgumentError } from 'commander';
import type { TableColumn } from '../../import/sheet/words/headings.ts';
import { quote } from '../../quote.ts';
import { Failure } from '../failure.ts';
import { readJsonFile } from '../json-file.ts';
import { integerBetween, parseName } from '../options.ts';
import {
  addCode,
  addColumn,
  type ImportCommandOptions,
  parseCodes,
  parseColumnName,
  parseColumns,
  parseEncoding,
  parseFormatOfDates,
  parseHeading,
  SHEET_FORMATS,
  YEARS,
} from './options.ts';
import { parseDayOrToday } from './today.ts';

/** The attributes of the options, by their keys in a recipe. */
const ATTRIBUTES = {
  format: 'format',
  columns: 'columns',
  'ignore-columns': 'ignoreColumns',
  'date-format': 'dateFormat',
  encoding: 'encoding',
  'fill-down': 'fillDown',
  sheet: 'sheet',
  year: 'year',
  codes: 'codes',
  group: 'group',
  'published-from': 'publishedFrom',
  replace: 'replace',
  from: 'from',
  to: 'to',
} as const satisfies Readonly<Record<string, keyof ImportCommandOptions>>;

type Key = keyof typeof ATTRIBUTES;
export type Recipe = Pick<ImportCommandOptions, (typeof ATTRIBUTES)[Key]>;

export const RECIPE_KEYS = Object.keys(ATTRIBUTES) as readonly Key[];

/** Throws a Failure that lists all problems by place. `optionNames` are those of the command, without dashes. */
export async function readRecipe(file: string, optionNames: readonly string[]): Promise<Recipe> {
  const document = await readJsonFile(file, 'The recipe', { orPipe: true });
  const problems: string[] = [];
  const recipe: Record<string, unknown> = {};
  if (!isObject(document)) problems.push('it must be an object such as {"date-format": "D/M/YYYY"}');
  for (const [key, value] of Object.entries(isObject(document) ? document : {})) {
    if (!isKey(key)) {
      problems.push(whyNoKey(key, optionNames));
      continue;
    }
    try {
      recipe[ATTRIBUTES[key]] = READERS[key](value);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      problems.push(`${key}: ${error.message}`);
    }
  }
  if (problems.length === 0) return recipe;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new Failure([`The recipe ${file} has ${count}.`, ...problems].join('\n  '));
}

/** Options of the command line win. Those that can be given several times add to the recipe. */
export function withRecipe(recipe: Recipe, given: ImportCommandOptions): ImportCommandOptions {
  const { columns, codes, ignoreColumns, fillDown } = recipe;
  return {
    ...recipe,
    ...given,
    ...(columns && { columns: new Map([...columns, ...(given.columns ?? [])]) }),
    ...(codes && { codes: new Map([...codes, ...(given.codes ?? [])]) }),
    ...(ignoreColumns && { ignoreColumns: [...ignoreColumns, ...(given.ignoreColumns ?? [])] }),
    ...(fillDown && { fillDown: [...fillDown, ...(given.fillDown ?? [])] }),
  };
}

/** Writes these options so that readRecipe can read them back. */
export function describeRecipe(options: ImportCommandOptions): string {
  const entries = RECIPE_KEYS.map((key) => [key, options[ATTRIBUTES[key]]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function isKey(key: string): key is Key {
  return Object.hasOwn(ATTRIBUTES, key);
}

function whyNoKey(key: string, optionNames: readonly string[]): string {
  if (optionNames.includes(key)) return `${key}: is not part of a recipe; give it on the command line`;
  const plainly = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
  const meant = RECIPE_KEYS.find((candidate) => plainly(candidate) === plainly(key));
  const hint = meant === undefined ? `there are ${RECIPE_KEYS.join(', ')}` : `did you mean ${quote(meant)}?`;
  return `${quote(key)}: there is no such key; ${hint}`;
}

/** Converts the value of each key to that of the option. Values written as on the command line are accepted, too. */
const READERS: Readonly<Record<Key, (value: unknown) => unknown>> = {
  format: (value) => {
    const format = SHEET_FORMATS.find((name) => name === value);
    if (format === undefined) throw new InvalidArgumentError(`Expected ${SHEET_FORMATS.join(', ')}.`);
    return format;
  },
  columns: pairs<TableColumn>(parseColumns, addColumn, '{"date": "Datum"}'),
  'ignore-columns': list(parseHeading, '["Uren"]'),
  'date-format': text(parseFormatOfDates),
  encoding: text(parseEncoding),
  'fill-down': list(parseColumnName, '["date"]'),
  sheet: (value) => text((name) => name)(Number.isInteger(value) ? String(value) : value),
  year: (value) => integerBetween(...YEARS)(String(value)),
  codes: pairs<string>(parseCodes, addCode, '{"E": "06:00-14:00", "off": ""}'),
  group: text(parseName),
  'published-from': text(parseDayOrToday),
  replace: (value) => {
    if (typeof value !== 'boolean') throw new InvalidArgumentError('Expected true or false.');
    return value;
  },
  from: text(parseDayOrToday),
  to: text(parseDayOrToday),
};

function text<T>(parse: (value: string) => T): (value: unknown) => T {
  return (value) => {
    if (typeof value !== 'string') throw new InvalidArgumentError('Expected a text in quotes.');
    return parse(value);
  };
}

function list<T>(parseItem: (value: string) => T, example: string): (value: unknown) => readonly T[] {
  return (value) => {
    const items = typeof value === 'string' ? value.split(',') : value;
    if (Array.isArray(items) && items.every(isText)) return items.map((item) => parseItem(item));
    throw new InvalidArgumentError(`Expected a list such as ${example}.`);
  };
}

function pairs<K extends string>(
  parse: (value: string) => ReadonlyMap<K, string>,
  add: (to: Map<K, string>, name: string, value: string) => void,
  example: string,
): (value: unknown) => ReadonlyMap<K, string> {
  return (value) => {
    if (typeof value === 'string') return parse(value);
    const map = new Map<K, string>();
    for (const [name, content] of isObject(value) ? Object.entries(value) : [[]]) {
      if (!isText(name) || !isText(content))
        throw new InvalidArgumentError(`Expected pairs such as ${example}.`);
      add(map, name, content);
    }
    return map;
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
