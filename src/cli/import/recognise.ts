/** Recognises a file that was imported with the same options before, so that an unchanged one need not be read. */

import { basename } from 'node:path';
import type { ImportSummary } from '../../import/import.ts';
import { makeInput } from '../../import/input.ts';
import type { Format, ImportValues } from '../../import/options.ts';
import { openToRead } from '../files.ts';
import { withStore } from '../options.ts';

/** What the history says of imports by commands. `-` is standard input. */
export function originOf(file: string): { readonly who: string; readonly file: string } {
  return { who: COMMAND_LINE, file: file === '-' ? 'standard input' : basename(file) };
}

export const COMMAND_LINE = 'command line';

/** Returns undefined if the file has to be read. What cannot be opened here is left to whoever reads it, to say why. */
export async function recognise(
  file: string,
  format: Format,
  options: ImportValues & { readonly database: string },
  watch?: { readonly stop: AbortSignal; confirm(): Promise<void> },
): Promise<ImportSummary | undefined> {
  if (file === '-' || options.dryRun) return undefined;
  const handle = await openToRead(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  await using opened = handle;
  const { size } = await opened.stat();
  return await withStore(options.database, { missing: 'pretend' }, async (store) => {
    if (!(await store.isSizeKnown(size))) return undefined;
    const input = makeInput(options, format);
    for await (const chunk of opened.createReadStream({ autoClose: false })) {
      watch?.stop.throwIfAborted();
      input.add(chunk);
    }
    await watch?.confirm();
    const same = await store.repeatImport(input.end(), originOf(file));
    if (same === undefined) return undefined;
    const { slug, premium } = same.account;
    const { account, tables } = same.counts;
    return { slug, premium, account, tables, sameAsAtMs: same.atMs };
  });
}
