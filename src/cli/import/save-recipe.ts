/** `--save-recipe`: writes the recipe of an import that succeeded. */

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { replaceFile } from '../write-file.ts';
import type { ImportCommandOptions } from './options.ts';
import { describeRecipe, readRecipe } from './recipe.ts';

/** Fails before anything is imported, if the file cannot be written or exists and is not a recipe. */
export async function checkRecipePlace(file: string, optionNames: readonly string[]): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined) {
    const isRecipe =
      found.isFile() &&
      (await readRecipe(file, optionNames).then(
        () => true,
        () => false,
      ));
    if (!isRecipe)
      throw new Failure(`${file} is there already and is not a recipe: save it under another name.`);
  }
  const folder = dirname(file);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new Failure(`The recipe cannot be saved, because the folder ${folder} cannot be written to.`, {
      cause: error,
    });
  });
}

export async function saveRecipe(file: string, options: ImportCommandOptions): Promise<void> {
  await replaceFile(file, describeRecipe(options)).catch((error: Error) => {
    throw new Failure(`The shifts were imported, but the recipe could not be saved: ${error.message}.`, {
      cause: error,
    });
  });
}
