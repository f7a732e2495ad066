/**
 * Recognises a file that was imported with the same options before, so that an unchanged one need not be read. What comes
 * of a file depends on its bytes, on the options, on the version that reads it, and on the account.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import packageInfo from '../../../package.json' with { type: 'json' };
import type { ImportSummary } from '../../import/import.ts';
import { type Format, type ImportValues, OPTION_NAMES } from '../../import/options.ts';
import { inputOf } from '../../store/admin/history.ts';
import { openToRead } from '../files.ts';
import { withStore } from '../options.ts';

/** What the history says of imports by commands. `-` is standard input. */
export function originOf(file: string): { readonly who: string; readonly file: string } {
  return { who: COMMAND_LINE, file: file === '-' ? 'standard input' : basename(file) };
}

export const COMMAND_LINE = 'command line';

/** Collects what the next import of the same is recognised by. `options` have a date in place of `today`. */
export function makeInput(options: ImportValues, format: Format) {
  const values = OPTION_NAMES.filter((name) => name !== 'dryRun').map((name) => {
    const value = options[name];
    return [name, value instanceof Map ? [...value] : value];
  });
  const hash = createHash('sha256').update(JSON.stringify([packageInfo.version, format, values]));
  let bytes = 0;
  let ended: string | undefined;
  return {
    add(chunk: Uint8Array): void {
      hash.update(chunk);
      bytes += chunk.length;
    },
    /** At the end of the file. An import that starts over asks again. */
    end(): string {
      ended ??= inputOf(bytes, hash.digest('hex'));
      return ended;
    },
  };
}

/** Returns undefined if the file has to be read. What cannot be opened here is left to whoever reads it, to say why. */
export async function recognise(
  file: string,
  format: Format,
  options: ImportValues & { readonly database: string },
  watch?: { readonly stop: AbortSignal; confirm(): Promise<void> },
): Promise<ImportSummary | undefined> {
  if (file === '-' || options.dryRun || options.withTokens) return undefined;
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
