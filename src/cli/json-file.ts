/** Files that people write, most of them JSON, such as a configuration. */

import { describePosition, findFlaws } from '../import/json/flaws.ts';
import { placeOf } from '../import/place.ts';
import { Failure } from './failure.ts';
import { readWhole, reasonOf } from './files.ts';

/**
 * `what` begins the error messages, such as "The configuration". `nameOf` names a repeated key, if that could reveal a
 * secret otherwise. `orPipe` is for a file that is read once.
 */
export async function readJsonFile(
  file: string,
  what: string,
  { nameOf = nameOfKey, orPipe = false } = {},
): Promise<unknown> {
  const text = (await readBytes(file, what, orPipe)).toString('utf8').replace(/^\ufeff/, '');
  const [flaw] = findFlaws(text);
  if (flaw !== undefined) {
    const position = describePosition(flaw.position);
    const why = flaw.kind === 'syntax' ? 'this is not JSON' : `${nameOf(flaw.path)} is there twice`;
    throw new Failure(`${what} ${file} has a problem in ${position}: ${why}.`);
  }
  return JSON.parse(text);
}

function nameOfKey(path: readonly (string | number)[]): string {
  return `the key ${placeOf(...path)}`;
}

export async function readBytes(file: string, what: string, orPipe = false): Promise<Buffer> {
  try {
    return await readWhole(file, { orPipe });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this user',
      EISDIR: 'is a folder',
    };
    throw new Failure(`${what} ${file} ${reasons[code ?? ''] ?? `cannot be read: ${reasonOf(error)}`}.`, {
      cause: error,
    });
  }
}
