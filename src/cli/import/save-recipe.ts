/** `--save-recipe`: writes the recipe of an import that succeeded. */

import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { FileRefused, placeToWrite, reasonOf, replaceFile } from '../files.ts';
import type { ImportCommandOptions } from './options.ts';
import { describeRecipe, readRecipe } from './recipe.ts';

/**
 * Returns where the recipe is to be written. Fails if it cannot be written there, or if something else than a recipe is
 * there. It is called before the import, so that nothing is imported then, and once more before the recipe is written.
 */
export async function placeOfRecipe(file: string, optionNames: readonly string[]): Promise<string> {
  try {
    const place = await placeToWrite(file);
    if (!(await mayBeReplaced(place, optionNames)))
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

async function mayBeReplaced(place: string, optionNames: readonly string[]): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  if (found === undefined) return true;
  const isRecipe = () =>
    readRecipe(place, optionNames).then(
      () => true,
      () => false,
    );
  return found.isFile() && (await isRecipe());
}

export async function saveRecipe(
  file: string,
  options: ImportCommandOptions,
  optionNames: readonly string[],
): Promise<void> {
  try {
    await replaceFile(await placeOfRecipe(file, optionNames), describeRecipe(options));
  } catch (error) {
    const why = error instanceof Failure ? error.message : `${reasonOf(error)}.`;
    throw new Failure(`The shifts were imported, but the recipe could not be saved: ${why}`, {
      cause: error,
    });
  }
}
