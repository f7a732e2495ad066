/** Writes a file so that readers see either the old or the new content, never a part. */

import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export async function replaceFile(file: string, text: string): Promise<void> {
  // The target of a symbolic link is replaced, not the link.
  const target = await realpath(file).catch(() => file);
  const name = `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`;
  const temporary = join(dirname(target), name);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
