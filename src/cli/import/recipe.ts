/**
 * Recipes: how a sheet is read and what it replaces, as a JSON document whose keys are the long names of the options. A
 * recipe contains nothing that was found in the sheet: an ambiguous date has to be refused the next time, too, and not
 * be read like the last one.
 */

import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quote } from '@shiftfeed/common/quote';
import { InvalidValue } from '../../import/fields.ts';
import { type ImportValues, keyOf, OPTION_NAMES, optionByKey, optionOf } from '../../import/options.ts';
import { Failure } from '../failure.ts';
import { FileRefused, placeToWrite, readJsonFile, reasonOf, replaceFile } from '../files.ts';

/** Throws a Failure that lists all problems by place. `optionNames` are those of the command, without dashes. */
export async function readRecipe(file: string, optionNames: readonly string[] = []): Promise<ImportValues> {
  const document = await readJsonFile(file, 'The recipe', { orPipe: true });
  const { values, problems } = parseRecipe(document, optionNames);
  if (problems.length === 0) return values;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new Failure([`The recipe ${file} has ${count}.`, ...problems].join('\n  '));
}

/**
 * Returns where the recipe is to be written. Fails if it cannot be written there, or if something else than a recipe is
 * there. It is called before the import, so that nothing is imported then, and once more before the recipe is written.
 */
export async function placeOfRecipe(file: string): Promise<string> {
  try {
    const place = await placeToWrite(file);
    if (!(await mayBeReplaced(place)))
      throw new Failure(`${file} is there already and is not a recipe: save it under another name.`);
    await access(dirname(place), constants.W_OK);
    return place;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const sentence =
      error instanceof FileRefused
        ? `The recipe cannot be saved: ${error.message}.`
        : `The recipe cannot be saved, because the folder ${dirname(file)} cannot be written to.`;
    throw new Failure(sentence, { cause: error });
  }
}

async function mayBeReplaced(place: string): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  if (found === undefined) return true;
  if (!found.isFile()) return false;
  return readRecipe(place).then(
    () => true,
    () => false,
  );
}

/** Called after an import that succeeded. */
export async function saveRecipe(file: string, options: ImportValues): Promise<void> {
  try {
    await replaceFile(await placeOfRecipe(file), describeRecipe(options));
  } catch (error) {
    const why = error instanceof Failure ? error.message : `${reasonOf(error)}.`;
    throw new Failure(`The shifts were imported, but the recipe could not be saved: ${why}`, {
      cause: error,
    });
  }
}

const NAMES = OPTION_NAMES.filter((name) => optionOf(name).isInRecipe);
export const RECIPE_KEYS = NAMES.map(keyOf);

/** Also says what is wrong, by place. `optionNames` are those of the command, without dashes. */
function parseRecipe(
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
function describeRecipe(values: ImportValues): string {
  const entries = NAMES.map((name) => {
    const value = values[name];
    return [keyOf(name), value instanceof Map ? Object.fromEntries(value) : value];
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
