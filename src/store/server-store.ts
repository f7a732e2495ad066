/** What a server needs beside the feed. */

import type { Queries } from './database.ts';

export interface ServerStore {
  /**
   * Stores uses that are later than the stored ones, in milliseconds by the hexadecimal SHA-256 of the token, which
   * names the same token in every copy of a database. Never waits, and lets everybody else go first: fails when the
   * database is being written to, is unavailable, or is read-only.
   */
  writeUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /**
   * When the last imports succeeded: one entry for each account that had an import; if there are more than `most`, the
   * oldest ones. Never waits for a lock.
   */
  lastImports(most: number): Promise<readonly LastImport[]>;
  close(): Promise<void>;
}

export interface LastImport {
  readonly slug: string;
  readonly succeededAtMs: number;
}

/** Updates in the order of ids, so that two servers cannot deadlock. */
export async function writeUses(
  { dialect: { main, locked }, all }: Queries,
  uses: ReadonlyMap<string, number>,
): Promise<void> {
  const later = locked(
    `SELECT tokens.id, CAST(CAST(used.value AS text) AS bigint) AS at
    FROM json_each($1) AS used JOIN ${main}.tokens ON tokens.hash = used.key
    WHERE last_used_at IS NULL OR last_used_at < CAST(CAST(used.value AS text) AS bigint) ORDER BY tokens.id`,
    'NO KEY UPDATE',
  );
  await all(
    `WITH later AS (${later}) UPDATE ${main}.tokens SET last_used_at = later.at FROM later WHERE tokens.id = later.id`,
    [JSON.stringify(Object.fromEntries(uses))],
  );
}

export function lastImports(
  { dialect: { main }, all }: Queries,
  most: number,
): Promise<readonly LastImport[]> {
  return all(
    `SELECT slug, succeeded_at AS "succeededAtMs" FROM ${main}.imports JOIN ${main}.accounts ON accounts.id = account_id
    ORDER BY succeeded_at LIMIT $1`,
    [most],
  );
}
