/**
 * What an import is recognised by when the same is imported again. What comes of a file depends on its bytes, on the
 * options, on the version that reads it, and on the account.
 */

import { createHash } from 'node:crypto';
import packageInfo from '../../package.json' with { type: 'json' };
import { inputOf } from '../store/admin/history.ts';
import { type Format, type ImportValues, OPTION_NAMES } from './options.ts';

/** Collects it while the file is read. `values` have a date in place of `today`. */
export function makeInput(values: ImportValues, format: Format) {
  const given = OPTION_NAMES.filter((name) => name !== 'dryRun').map((name) => {
    const value = values[name];
    return [name, value instanceof Map ? [...value] : value];
  });
  const hash = createHash('sha256').update(JSON.stringify([packageInfo.version, format, given]));
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
