/** Makes the secret of personal links. */

import { randomBytes } from 'node:crypto';
import { Failure } from '../failure.ts';
import { createFile, reasonOf } from '../files.ts';

const SECRET_BYTES = 32;

/** Writes a new secret to a file that must not exist yet: to replace a secret would end all links. */
export async function writeNewSecret(file: string): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await createFile(file, `${secret}\n`, 0o600).catch((error: unknown) => {
    throw failureOf(error, file);
  });
}

function failureOf(error: unknown, file: string): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: 'is there already, and another secret would end all links that were made with it',
    ENOENT: 'cannot be made: its folder does not exist',
    EACCES: 'may not be written by this user',
  };
  return new Failure(`The file ${file} ${reasons[code ?? ''] ?? `cannot be written: ${reasonOf(error)}`}.`, {
    cause: error,
  });
}
