/**
 * PostgreSQL beside SQLite: pages per second in memory, the first answer when nothing is, imports beside a plain COPY of
 * the same rows, and two processes beside one. All in one run: only the ratios mean something.
 *
 *   npm run bench:databases
 */

import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startPostgres } from '../test/support/postgres-server.ts';
import { checkedPage, compare, fillAccount, print, seconds, withBench } from './harness.ts';
import { GENERATOR } from './load.ts';

const SIZE = 128_000;

const postgres = process.env.TEST_POSTGRES_URL === undefined ? await startPostgres() : undefined;
const postgresUrl = postgres?.url ?? (process.env.TEST_POSTGRES_URL as string);
try {
  await withBench(async ({ folder, serve }) => {
    const sqliteUrl = `sqlite:${join(folder, 'bench.db')}`;
    const onSqlite = await fillAccount(sqliteUrl, SIZE);
    const onPostgres = await fillAccount(postgresUrl, SIZE);
    const copySeconds = await plainCopy();
    const rate = (time: number) => `${(SIZE / time / 1000).toFixed(0)},000 shifts/s`;
    print(
      `import of ${SIZE} new shifts: SQLite ${rate(onSqlite.importSeconds)}, PostgreSQL ${rate(onPostgres.importSeconds)}`,
    );
    print(
      `  plain COPY of the same rows ${rate(copySeconds)}, ratio ${(copySeconds / onPostgres.importSeconds).toFixed(2)}`,
    );

    const urls = {
      sqlite: await serve(sqliteUrl),
      postgres: await serve(postgresUrl),
      two: await serve(postgresUrl, '--workers', '2'),
    };
    const cold = async (url: string, account: typeof onSqlite) =>
      seconds(() => checkedPage(url + account.path, account.headers, SIZE));
    const sqliteCold = await cold(urls.sqlite, onSqlite);
    const postgresCold = await cold(urls.postgres, onPostgres);
    print(
      `first answer, nothing in memory: SQLite ${sqliteCold.toFixed(2)} s, PostgreSQL ${postgresCold.toFixed(2)} s`,
    );

    const contestant = (url: string, account: typeof onSqlite, query = '') => ({
      url: url + account.path + query,
      headers: account.headers,
    });
    for (const [what, query] of [
      ['pages of 500', ''],
      ['pages of 10', '?per_page=10'],
    ] as const) {
      const rates = await compare({
        sqlite: contestant(urls.sqlite, onSqlite, query),
        postgres: contestant(urls.postgres, onPostgres, query),
        two: contestant(urls.two, onPostgres, query),
      });
      print(
        `${what}, in memory, load from ${GENERATOR}: SQLite ${rates.sqlite.toFixed(0)}/s, PostgreSQL ${rates.postgres.toFixed(0)}/s`,
      );
      print(
        `  PostgreSQL to SQLite ${(rates.postgres / rates.sqlite).toFixed(2)}, two workers to one ${(rates.two / rates.postgres).toFixed(2)}`,
      );
    }
  });
} finally {
  await postgres?.remove();
}

/** The rows that the import wrote, copied into a table with the same columns, constraints and indexes. */
async function plainCopy(): Promise<number> {
  const client = new Client(postgresUrl);
  await client.connect();
  const { rows } = await client.query({ text: 'SELECT shifts::text FROM shifts', rowMode: 'array' });
  const lines = rows.map(([row]) => `${row.slice(1, -1)}\n`).join('');
  await client.query('CREATE TABLE copied (LIKE shifts INCLUDING ALL)');
  const time = await seconds(() =>
    pipeline(Readable.from([lines]), client.query(copyFrom('COPY copied FROM STDIN (FORMAT csv)'))),
  );
  await client.query('DROP TABLE copied');
  await client.end();
  return time;
}
