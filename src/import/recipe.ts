/**
 * Recipes: how a sheet is read and what it replaces, as a JSON document whose keys are the long names of the options. A
 * recipe contains nothing that was found in the sheet: an ambiguous date has to be refused the next time, too, and not
 * be read like the last one.
 */

import { quote } from '@shiftfeed/common/quote';
import { InvalidValue } from './fields.ts';
import { type ImportValues, keyOf, OPTION_NAMES, optionByKey, optionOf } from './options.ts';

const NAMES = OPTION_NAMES.filter((name) => optionOf(name).isInRecipe);
export const RECIPE_KEYS = NAMES.map(keyOf);

/** Also says what is wrong, by place. `optionNames` are those of the command, without dashes. */
export function parseRecipe(
  document: unknown,
  optionNames: readonly string[] = [],
): { readonly values: ImportValues; readonly problems: readonly string[] } {
  const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
  const problems = isObject ? [] : ['it must be an object such as {"date-format": "D/M/YYYY"}'];
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isObject ? document : {})) {
    const option = optionByKey(key);
    try {
      if (!option?.isInRecipe) problems.push(whyNoKey(key, optionNames));
      else values[option.name] = option.fromJson(value);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problems.push(`${key}: ${error.message}`);
    }
  }
  return { values, problems };
}

function whyNoKey(key: string, optionNames: readonly string[]): string {
  if (optionNames.includes(key)) return `${key}: is not part of a recipe; give it on the command line`;
  const plainly = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
  const meant = RECIPE_KEYS.find((candidate) => plainly(candidate) === plainly(key));
  const hint = meant === undefined ? `there are ${RECIPE_KEYS.join(', ')}` : `did you mean ${quote(meant)}?`;
  return `${quote(key)}: there is no such key; ${hint}`;
}

/** Writes these values so that parseRecipe can read them back. */
export function describeRecipe(values: ImportValues): string {
  const entries = NAMES.map((name) => {
    const value = values[name];
    return [keyOf(name), value instanceof Map ? Object.fromEntries(value) : value];
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
