/**
 * The stage of an import: temporary tables of its transaction. Each table has up to three: what the document has, what
 * is to be written, and the ids to be removed. Each is made when it is first needed, because most imports need few.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DERIVED_ID_BITS, DERIVED_ID_STEP, FIRST_DERIVED_ID } from '../derived-ids.ts';
import {
  type AccountTransaction,
  FIRST_DATE,
  LAST_DATE,
  type MergeTransaction,
  type Stage,
} from '../import-store.ts';
import {
  COLUMN_NAMES,
  COLUMNS,
  type RecordOf,
  type ShiftRecord,
  type StagedRecord,
  type Table,
} from '../records.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import { AS_IT_WILL_BE, bitOf, IS_CHANGED, References } from '../whole-shifts.ts';
import { isDate, recordOf, selectedColumns } from './record.ts';

/** How many records are compared at a time. */
const CHUNK_SIZE = 10_000;

export function openStage(
  client: PoolClient,
  accounts: AccountTransaction,
): Stage & { hasMerged(): boolean } {
  /** The temporary tables that there are. */
  const made = new Set<string>();
  const countsOfGiven = new Map<Table, number>();
  /** The last id of each table, as long as ids only grow: then none is there twice. */
  const lastIds = new Map<Table, number>();
  /** Those of whole shifts. */
  const references = new References();
  /** Whether a shift was added whose id follows from what it says. */
  let hasDerivedIds = false;
  /** The statement that writes the whole shifts, if there are any to be written. */
  let insertWhole: string | undefined;
  let isMerged = false;

  async function make(name: string, definition: string): Promise<void> {
    if (made.has(name)) return;
    await client.query(`CREATE TEMP TABLE ${name} ${definition}`);
    made.add(name);
  }

  async function* recordsOf<T extends Table>(
    table: T,
    accountId: number,
    condition: string,
  ): AsyncGenerator<RecordOf<T>[]> {
    for (let last = 0; ; ) {
      const { rows } = await client.query(
        `SELECT ${selectedColumns(table)} FROM shiftfeed.${table}
        WHERE account_id = $1 AND id > $2 ${condition} ORDER BY id LIMIT ${CHUNK_SIZE}`,
        [accountId, last],
      );
      if (rows.length === 0) return;
      yield rows.map((row) => recordOf(table, row));
      last = Number(rows.at(-1)?.id);
    }
  }

  const transaction: MergeTransaction = {
    ...accounts,

    async save(table, accountId, onProgress) {
      let done = 0;
      if (table === 'shifts' && insertWhole !== undefined) {
        done = (await client.query(insertWhole, [accountId])).rowCount ?? 0;
        onProgress?.(done);
      }
      if (!made.has(`${table}_to_write`)) return;
      const columns = COLUMN_NAMES[table];
      await client.query(`ANALYZE pg_temp.${table}_to_write`);
      const { rowCount } = await client.query(
        `INSERT INTO shiftfeed.${table} (account_id, ${columns.join(', ')})
        SELECT $1, ${columns.join(', ')} FROM pg_temp.${table}_to_write
        ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        [accountId],
      );
      onProgress?.(done + (rowCount ?? 0));
    },

    async remove(table, accountId) {
      if (!made.has(`${table}_to_remove`)) return;
      await client.query(
        `DELETE FROM shiftfeed.${table} WHERE account_id = $1 AND id IN (SELECT id FROM pg_temp.${table}_to_remove)`,
        [accountId],
      );
    },

    async noteImport(accountId) {
      await client.query(NOTE_IMPORT, [accountId]);
    },
  };

  return {
    references,

    async add(table, records, positions) {
      await make(
        `${table}_given`,
        `(position bigint NOT NULL, id bigint, is_derived boolean NOT NULL, first_position bigint, record text
        ${table === 'shifts' ? `, kept integer, ${WHOLE_COLUMN_TYPES.join(', ')}` : ''}) ON COMMIT DROP`,
      );
      const start = countsOfGiven.get(table) ?? 0;
      let lastId = lastIds.get(table) ?? 0;
      const wholeLines: string[] = [];
      const otherLines: string[] = [];
      records.forEach((record, i) => {
        const { id = null, isDerived = false, kept } = record;
        lastId = id === null || id <= lastId ? Number.POSITIVE_INFINITY : id;
        hasDerivedIds ||= isDerived;
        const head = `${positions?.[i] ?? start + i}\t${id ?? NULL}\t${isDerived}`;
        if (table !== 'shifts' || kept === undefined) {
          otherLines.push(`${head}\t${copyText(JSON.stringify(record))}\n`);
          return;
        }
        const shift = record as unknown as ShiftRecord;
        references.addThoseOf(shift, kept);
        wholeLines.push(`${head}\t${kept}\t${wholeText(shift)}\n`);
      });
      await copy(client, `${table}_given (position, id, is_derived, record)`, otherLines);
      await copy(client, `shifts_given (position, id, is_derived, kept, ${WHOLE_COLUMNS})`, wholeLines);
      countsOfGiven.set(table, start + records.length);
      lastIds.set(table, lastId);
    },

    async separate() {
      if (!hasDerivedIds) return;
      await client.query('CREATE INDEX ON pg_temp.shifts_given (id)');
      await client.query('ANALYZE pg_temp.shifts_given (id)');
      while (((await client.query(SEPARATE_DERIVED)).rowCount ?? 0) > 0);
    },

    async findRepeated(table) {
      if (!made.has(`${table}_given`)) return false;
      // There are many shifts, and they are never looked up by id.
      if (table !== 'shifts') await client.query(`CREATE INDEX ON pg_temp.${table}_given (id)`);
      await client.query(`ANALYZE pg_temp.${table}_given (id, record)`);
      if (Number.isFinite(lastIds.get(table) ?? 0)) return false;
      const { rowCount } = await client.query(
        `UPDATE pg_temp.${table}_given AS given SET first_position = first_one.position
        FROM (SELECT id, min(position) AS position FROM pg_temp.${table}_given GROUP BY id HAVING count(*) > 1) AS first_one
        WHERE given.id = first_one.id AND given.position > first_one.position`,
      );
      return (rowCount ?? 0) > 0;
    },

    async findAccount(slug) {
      const { rows } = await client.query<AccountRow & { revision: string }>(
        `SELECT ${ACCOUNT_COLUMNS}, revision FROM shiftfeed.accounts WHERE slug = $1`,
        [slug],
      );
      return rows[0] && { ...accountOf(rows[0]), revision: Number(rows[0].revision) };
    },

    records: (table, accountId = 0) => recordsOf(table, accountId, ''),

    async *compare(table, accountId = 0, withoutWholeShifts = false) {
      if (!made.has(`${table}_given`)) return;
      await client.query(
        `DECLARE compared NO SCROLL CURSOR FOR
        SELECT given.position, given.first_position, given.record, given.id AS given_id,
          ${[selectedColumns(table, 'existing'), ...(table === 'shifts' ? GIVEN_WHOLE : [])].join(', ')}
        FROM pg_temp.${table}_given AS given
        LEFT JOIN shiftfeed.${table} AS existing ON existing.account_id = ${accountId} AND existing.id = given.id
        ${withoutWholeShifts ? 'WHERE given.record IS NOT NULL' : ''}
        ORDER BY given.position`,
      );
      for (;;) {
        const { rows } = await client.query(`FETCH ${CHUNK_SIZE} FROM compared`);
        if (rows.length === 0) break;
        yield rows.map((row) => ({
          position: Number(row.position),
          firstPosition: row.first_position === null ? undefined : Number(row.first_position),
          given:
            row.record === null
              ? (wholeOf(row) as StagedRecord<typeof table>)
              : stagedOf<typeof table>(row.record, row.given_id),
          existing: row.id === null ? undefined : recordOf(table, row),
        }));
      }
      await client.query('CLOSE compared');
    },

    async lookUp(table, accountId = 0, ids) {
      const idsOf = async (text: string, values: unknown[]) =>
        new Set((await client.query<{ id: string }>(text, values)).rows.map(({ id }) => Number(id)));
      const added = made.has(`${table}_given`)
        ? await idsOf(`SELECT id FROM pg_temp.${table}_given WHERE id = ANY ($1)`, [ids])
        : new Set<number>();
      const inDatabase = await idsOf(
        `SELECT id FROM shiftfeed.${table} WHERE account_id = $1 AND id = ANY ($2)`,
        [accountId, ids],
      );
      return { added, inDatabase };
    },

    async compareWholeShifts(accountId = 0) {
      if (!made.has('shifts_given')) return { added: 0, changed: 0, unchanged: 0 };
      const { rows } = await client.query(COUNT_WHOLE, [accountId]);
      const [all = 0, known = 0, changed = 0] = [rows[0].all, rows[0].known, rows[0].changed].map(Number);
      if (known < all || changed > 0) insertWhole = known === 0 ? INSERT_NEW_WHOLE : INSERT_WHOLE;
      return { added: all - known, changed, unchanged: known - changed };
    },

    async forget(table) {
      if (table === 'shifts') insertWhole = undefined;
      for (const name of [`${table}_to_write`, `${table}_to_remove`]) {
        if (made.has(name)) await client.query(`TRUNCATE pg_temp.${name}`);
      }
    },

    async keep(table, changes) {
      if (changes.length === 0) return;
      await make(
        `${table}_to_write`,
        `ON COMMIT DROP AS SELECT ${COLUMN_NAMES[table].join(', ')} FROM shiftfeed.${table} LIMIT 0`,
      );
      const lines = changes.map(({ after }) => `${valuesOf(table, after).map(copyText).join('\t')}\n`);
      await copy(client, `${table}_to_write`, lines);
    },

    async keepAbsent(table, accountId = 0, days) {
      const { from = FIRST_DATE, to = LAST_DATE } = days ?? {};
      await make(`${table}_to_remove`, '(id bigint NOT NULL) ON COMMIT DROP');
      const isAbsent = made.has(`${table}_given`)
        ? `NOT EXISTS (SELECT 1 FROM pg_temp.${table}_given AS given WHERE given.id = existing.id)`
        : 'true';
      const { rowCount } = await client.query(
        `INSERT INTO pg_temp.${table}_to_remove SELECT id FROM shiftfeed.${table} AS existing
        WHERE account_id = $1 AND ${isAbsent} ${days === undefined ? '' : 'AND date BETWEEN $2 AND $3'}`,
        [accountId, ...(days === undefined ? [] : [from, to])],
      );
      return rowCount ?? 0;
    },

    async *absent(table, accountId = 0) {
      if (made.has(`${table}_to_remove`)) {
        yield* recordsOf(table, accountId, `AND id IN (SELECT id FROM pg_temp.${table}_to_remove)`);
      }
    },

    async merge(work) {
      await work(transaction);
      isMerged = true;
    },

    hasMerged: () => isMerged,
  };
}

/** Not now(), which is when the transaction began: it also reads the document. */
const NOTE_IMPORT = `
  INSERT INTO shiftfeed.imports (account_id, succeeded_at)
  VALUES ($1, floor(extract(epoch FROM clock_timestamp()) * 1000))
  ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at`;

/** Moves the later ones of those that have the same id. Ids that were given stay, and come first. */
const SEPARATE_DERIVED = `
  UPDATE pg_temp.shifts_given AS given SET id = id - id % ${2 ** DERIVED_ID_BITS}
    + (id % ${2 ** DERIVED_ID_BITS} + turns.turn * ${DERIVED_ID_STEP}) % ${2 ** DERIVED_ID_BITS}
  FROM (
    SELECT position, row_number() OVER (PARTITION BY id ORDER BY is_derived, position) - 1 AS turn
    FROM pg_temp.shifts_given WHERE id IN (
      SELECT id FROM pg_temp.shifts_given WHERE id >= ${FIRST_DERIVED_ID} GROUP BY id HAVING count(*) > 1
    )
  ) AS turns
  WHERE turns.position = given.position AND turns.turn > 0 AND is_derived`;

/** The columns of a whole shift besides its id. */
const WHOLE_COLUMNS = COLUMN_NAMES.shifts.filter((name) => name !== 'id');
const WHOLE_COLUMN_TYPES = WHOLE_COLUMNS.map(
  (name) =>
    `${name} ${isDate(name) ? 'date' : COLUMNS.shifts[name] === 'integer' ? 'bigint' : COLUMNS.shifts[name]}`,
);
/** Under names of their own, beside those of what the database has. */
const GIVEN_WHOLE = ['kept', ...WHOLE_COLUMNS].map(
  (name) => `given.${name}${isDate(name) ? '::text' : ''} AS given_${name}`,
);

const WHOLE_BESIDE_EXISTING = `pg_temp.shifts_given AS given
  LEFT JOIN shiftfeed.shifts AS existing ON existing.account_id = $1 AND existing.id = given.id
  WHERE given.record IS NULL`;

const COUNT_WHOLE = `SELECT count(*) AS "all", count(existing.id) AS known,
    count(*) FILTER (WHERE existing.id IS NOT NULL AND (${IS_CHANGED})) AS changed
  FROM ${WHOLE_BESIDE_EXISTING}`;

const INSERT_WHOLE = `INSERT INTO shiftfeed.shifts (account_id, ${COLUMN_NAMES.shifts.join(', ')})
  SELECT $1, ${AS_IT_WILL_BE.join(', ')} FROM ${WHOLE_BESIDE_EXISTING} AND (existing.id IS NULL OR ${IS_CHANGED})
  ON CONFLICT (account_id, id) DO UPDATE SET ${COLUMN_NAMES.shifts.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** If the account has none of them yet. */
const INSERT_NEW_WHOLE = `INSERT INTO shiftfeed.shifts (account_id, ${COLUMN_NAMES.shifts.join(', ')})
  SELECT $1, ${COLUMN_NAMES.shifts.join(', ')} FROM pg_temp.shifts_given WHERE record IS NULL`;

/** A whole shift as it was given: without what it left out. */
function wholeOf(row: QueryResultRow): StagedRecord<'shifts'> {
  const shift: Record<string, unknown> = { id: Number(row.given_id) };
  for (const name of WHOLE_COLUMNS) {
    if ((row.given_kept & bitOf(name)) !== 0) continue;
    const value = row[`given_${name}`];
    shift[name] = COLUMNS.shifts[name] === 'integer' && value !== null ? Number(value) : value;
  }
  return shift as StagedRecord<'shifts'>;
}

/** Fills a temporary table by COPY: the fastest way in. */
async function copy(client: PoolClient, name: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await pipeline(Readable.from(batches(lines)), client.query(copyFrom(`COPY pg_temp.${name} FROM STDIN`)));
}

/** Joins lines into pieces that fill a packet. */
function* batches(lines: Iterable<string>): Generator<string> {
  let batch = '';
  for (const line of lines) {
    batch += line;
    if (batch.length > 64 * 1024) {
      yield batch;
      batch = '';
    }
  }
  yield batch;
}

const NULL = '\\N';
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in COPY's text format. */
function copyText(value: unknown): string {
  return value === null
    ? NULL
    : String(value).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}

/** The values of WHOLE_COLUMNS, in their order. Written out, because this runs for every shift of a large import. */
function wholeText(shift: ShiftRecord): string {
  return (
    `${shift.date}\t${shift.start_time}\t${shift.end_time}\t${shift.end_date}\t` +
    `${shift.group_id}\t${shift.location_id ?? NULL}\t${shift.person_id ?? NULL}\t` +
    `${shift.publish_date}\t${shift.remarks === '' ? '' : copyText(shift.remarks)}\t` +
    `${shift.starred}\t${shift.cancelled}\t${shift.noshow}`
  );
}

/** A record as it was staged. A derived id may be another one since. */
function stagedOf<T extends Table>(text: string, id: string): StagedRecord<T> {
  const record = JSON.parse(text) as StagedRecord<T>;
  return record.isDerived ? { ...record, id: Number(id) } : record;
}

function valuesOf<T extends Table>(table: T, record: RecordOf<T>): unknown[] {
  return COLUMN_NAMES[table].map((name) => record[name]);
}
