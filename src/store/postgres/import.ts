/** Imports into PostgreSQL. The stage is temporary tables; each is created when it is first needed. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { accountTransaction } from '../admin/accounts.ts';
import type { StageDatabase, StagedValue } from '../staging/comparison.ts';
import { type ImportStore, Stage } from '../staging/stage.ts';
import type { Connection } from './connection.ts';
import { transactionOn } from './database.ts';

export function importStore(connection: Connection): ImportStore {
  return {
    // Everything is in one transaction, because temporary tables end with it behind a pooler. It locks nothing of the
    // account before the merge.
    stage(work) {
      let hasMerged = false;
      return connection.writing(
        async (client) => {
          await client.query(FOR_FEW_LONG_STATEMENTS);
          const tables = tablesOf(client, () => {
            hasMerged = true;
          });
          return work(new Stage(tables));
        },
        () => hasMerged,
      );
    },
  };
}

/**
 * Compiling a comparison of all columns costs more time than it saves, and sorting in memory is faster than on disk.
 */
const FOR_FEW_LONG_STATEMENTS = "SET LOCAL jit = off; SET LOCAL work_mem = '32MB'";

function tablesOf(client: PoolClient, onMerged: () => void): StageDatabase {
  const transaction = transactionOn(client);
  const made = new Set<string>();
  const run: StageDatabase['run'] = async (statement, values = []) =>
    (await client.query(statement, [...values])).rowCount ?? 0;
  return {
    ...transaction,
    run,
    async make(name, columns) {
      await client.query(
        made.has(name) ? `TRUNCATE pg_temp.${name}` : `CREATE TEMP TABLE ${name} (${columns}) ON COMMIT DROP`,
      );
      made.add(name);
    },
    async insert(table, columns, rows) {
      const target = `pg_temp.${table}_given (${columns.join(', ')})`;
      await pipeline(Readable.from(batches(rows)), client.query(copyFrom(`COPY ${target} FROM STDIN`)));
    },
    async indexIds(table) {
      await client.query(`CREATE INDEX IF NOT EXISTS ${table}_given_by_id ON pg_temp.${table}_given (id)`);
    },
    async analyze(name) {
      await client.query(`ANALYZE pg_temp.${name}`);
    },
    runInParts: (statement) => run(statement),
    async insertInParts(statement, _target, _lastRow, onProgress) {
      // A row that was there before has been locked, which is noted in xmax.
      const { rows } = await client.query(`WITH written AS (${statement} RETURNING xmax = 0 AS is_added)
        SELECT count(*) AS all_rows, count(*) FILTER (WHERE is_added) AS added FROM written`);
      const [all, added] = [Number(rows[0]?.all_rows), Number(rows[0]?.added)];
      onProgress?.(all);
      return { added, changed: all - added };
    },
    // The triggers report it themselves, and the failed transaction accepts no further queries.
    isReferenceMissing: () => false,
    async merge(work) {
      await work(accountTransaction(transaction));
      onMerged();
    },
  };
}

/** Formats rows for COPY, the fastest way to insert, and joins them into pieces that fill a packet. */
function* batches(rows: readonly StagedValue[][]): Generator<string> {
  let batch = '';
  for (const row of rows) {
    batch += `${row.map(copyText).join('\t')}\n`;
    if (batch.length > 64 * 1024) {
      yield batch;
      batch = '';
    }
  }
  yield batch;
}

const NULL = '\\N';
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyText(value: StagedValue): string {
  if (value === null) return NULL;
  if (typeof value !== 'string') return String(value);
  return value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}
