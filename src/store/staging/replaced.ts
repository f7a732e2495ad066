/**
 * What an import replaces, kept so that it can be taken back: the ids of what it adds, and everything else as it was. It
 * is written and read piece by piece, so its size is bounded on the disk and in memory.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { AccountSettings } from '../account.ts';
import type { Queries } from '../database.ts';
import { TABLES } from '../records.ts';
import type { Comparisons, Replaced, StageDatabase } from './comparison.ts';

/** How much is kept of an import, when it is packed. */
const MAX_REPLACED_BYTES = 16 * 1024 * 1024;

/** What the comparisons will replace, packed. To be read before they are written. */
export async function* packReplaced(
  settings: AccountSettings | undefined,
  comparisons: Comparisons,
  isMerging: boolean,
): AsyncGenerator<Uint8Array> {
  if (settings !== undefined) yield pack({ settings });
  for (const table of TABLES) {
    for await (const replaced of comparisons[table].replaced(isMerging)) yield pack(replaced);
  }
}

/** Whether it is small enough to be kept. */
export async function fits(packed: AsyncIterable<Uint8Array>): Promise<boolean> {
  let bytes = 0;
  for await (const content of packed) {
    bytes += content.length;
    if (bytes > MAX_REPLACED_BYTES) return false;
  }
  return true;
}

/** Keeps it with an entry of the history, or returns why not. */
export async function keepReplaced(
  database: StageDatabase,
  entryId: number,
  packed: AsyncIterable<Uint8Array>,
): Promise<'size' | undefined> {
  const { main } = database.dialect;
  const insert = `INSERT INTO ${main}.replaced_records (entry_id, piece, content) VALUES ($1, $2, $3)`;
  let pieces = 0;
  async function* written(): AsyncGenerator<Uint8Array> {
    for await (const content of packed) {
      yield content;
      await database.run(insert, [entryId, pieces++, content]);
    }
  }
  if (await fits(written())) return undefined;
  await database.run(`DELETE FROM ${main}.replaced_records WHERE entry_id = $1`, [entryId]);
  return 'size';
}

/** What was kept with an entry, one piece at a time. */
export async function* readReplaced({ dialect, all }: Queries, entryId: number): AsyncGenerator<Replaced> {
  const { main } = dialect;
  for (let piece = 0; ; piece++) {
    const [row] = await all<{ content: Uint8Array }>(
      `SELECT content FROM ${main}.replaced_records WHERE entry_id = $1 AND piece = $2`,
      [entryId, piece],
    );
    if (row === undefined) return;
    yield JSON.parse(zstdDecompressSync(row.content).toString());
  }
}

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function pack(replaced: Replaced): Uint8Array {
  return zstdCompressSync(JSON.stringify(replaced), FAST);
}
