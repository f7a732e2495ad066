/** Files of recipes: where they are, and whether they may be replaced. */

import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ImportValues } from '../../import/options.ts';
import { describeRecipe, parseRecipe } from '../../import/recipe.ts';
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
