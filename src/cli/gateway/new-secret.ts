/** Makes the secret of personal links. */

import { randomBytes } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { Failure } from '../failure.ts';

const SECRET_BYTES = 32;

/**
 * Writes a new secret to a file that must not exist yet. The file gets its name once it is complete, so nobody reads
 * half of it. An existing secret is never replaced, because that would end all links.
 */
export async function writeNewSecret(file: string): Promise<void> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeWhole(unfinished, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
    await link(unfinished, file);
  } catch (error) {
    throw failureOf(error, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  await using opened = await open(file, 'wx', 0o600);
  await opened.writeFile(text);
  await opened.sync();
}

function failureOf(error: unknown, file: string): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: 'is there already, and another secret would end all links that were made with it',
    ENOENT: 'cannot be made: its folder does not exist',
    EACCES: 'may not be written by this user',
  };
  return new Failure(`The file ${file} ${reasons[code ?? ''] ?? `cannot be written (${code})`}.`, {
    cause: error,
  });
}
