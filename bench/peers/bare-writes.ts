/** The fastest plain way into each database for the same rows: nothing is checked, compared or stamped. */

import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { seconds } from '../rounds.ts';

/**
 * The rows of an account, written again by a prepared statement in a loop, into a table with the same columns,
 * constraints and indexes, without triggers and foreign keys. In one transaction, as an import is.
 */
export function insertLoop(path: string, slug: string): number {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA cache_size = -65536');
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER ${name}`);
  }
  const rows = database
    .prepare('SELECT * FROM shifts WHERE account_id = (SELECT id FROM accounts WHERE slug = ?) ORDER BY id')
    .all(slug)
    .map((row) => Object.values(row));
  const width = rows[0]?.length ?? 0;
  database.exec('DELETE FROM shifts; PRAGMA wal_checkpoint(TRUNCATE)');
  const insert = database.prepare(`INSERT INTO shifts VALUES (${Array(width).fill('?').join()})`);
  const started = performance.now();
  database.exec('BEGIN');
  for (const row of rows) insert.run(...row);
  database.exec('COMMIT');
  const time = (performance.now() - started) / 1_000;
  database.close();
  return time;
}

/** The same by COPY, into a table with the same columns, constraints and indexes, without triggers and foreign keys. */
export async function plainCopy(url: string, slug: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query({
    text: 'SELECT shifts::text FROM shiftfeed.shifts WHERE account_id = (SELECT id FROM shiftfeed.accounts WHERE slug = $1)',
    values: [slug],
    rowMode: 'array',
  });
  const lines = rows.map(([row]) => `${row.slice(1, -1)}\n`);
  await client.query('CREATE TABLE copied (LIKE shiftfeed.shifts INCLUDING ALL)');
  const time = await seconds(() =>
    pipeline(Readable.from(pieces(lines)), client.query(copyFrom('COPY copied FROM STDIN (FORMAT csv)'))),
  );
  await client.query('DROP TABLE copied');
  await client.end();
  return time;
}

const LINES_PER_PIECE = 1_000;

function* pieces(lines: readonly string[]): Generator<string> {
  for (let i = 0; i < lines.length; i += LINES_PER_PIECE) yield lines.slice(i, i + LINES_PER_PIECE).join('');
}
