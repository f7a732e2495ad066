/** The schema: brings it up to date, and tells what is wrong with it. */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { OwnChecks, SchemaFlaw } from '../admin/doctor.ts';
import type { Queries } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import {
  APPLICATION_ID,
  checkVersion,
  type MigrationListener,
  migrationsIn,
  type SchemaVersion,
  unreleased,
} from '../schema-version.ts';
import { BUSY_TIMEOUT_MS, IN_MEMORY, oneState, writing } from './connection.ts';
import { transactionOn } from './database.ts';
import { isBusy } from './explain.ts';
import { goFirst } from './right-of-way.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** What the header of a file had in its place before the first release; spells "shft". */
const UNRELEASED_ID = 0x73686674;
const RETRY_MS = 10;

/** The version of the schema that this Shiftfeed needs. */
export const latestSchema = () => migrationsIn(FOLDER).latest;

/**
 * The write lock is taken before the check, so processes that start at the same moment migrate one after the other, and
 * the second finds nothing to do. A large import gives way to it, and goes on afterwards.
 */
export async function migrate(
  database: DatabaseSync,
  path: string,
  { onMigrated }: MigrationListener = {},
): Promise<void> {
  const { latest, after } = migrationsIn(FOLDER);
  // Checked before anything is written: a file of another program stays unchanged.
  const found = checkSchema(database, path, 'migrate');
  await useWriteAheadLog(database);
  if (found.version === latest) return;
  const from = await writing(
    database,
    async () => {
      const now = versionOf(database, path);
      checkVersion(path, now, latest, 'migrate');
      for (const statements of after(now.version)) database.exec(statements);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${latest}`);
      return now.version;
    },
    undefined,
    () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
  );
  if (from < latest) onMigrated?.({ from, to: latest });
}

/**
 * The write-ahead log lets readers go on while somebody writes. When two processes turn it on at the same moment,
 * SQLite refuses one of them at once, whatever the timeout of its connection is.
 */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/** Refuses a database whose schema is not one for this use. */
export function checkSchema(
  database: DatabaseSync,
  path: string,
  use: Parameters<typeof checkVersion>[3],
): SchemaVersion {
  using _reading = oneState(database);
  const found = versionOf(database, path);
  checkVersion(path, found, migrationsIn(FOLDER).latest, use);
  return found;
}

/** Call it in a transaction: it runs several queries, and another process may be migrating. */
function versionOf(database: DatabaseSync, path: string): SchemaVersion {
  const applicationId = pragma(database, 'application_id');
  if (applicationId === UNRELEASED_ID) throw unreleased(path);
  const version = applicationId === APPLICATION_ID ? pragma(database, 'user_version') : 0;
  if (version !== 0) {
    const row = database.prepare('SELECT reads_from FROM schema_version').get();
    return { version, readsFrom: Number(row?.reads_from) };
  }
  const tables = tablesIn(database);
  if (OUR_TABLES.every((name) => tables.includes(name))) {
    throw new StoreFailure(
      'unusable',
      `The database ${path} has the tables of Shiftfeed, but does not tell which version made them: "sqlite3 .dump" loses that. ` +
        'Copy databases with "VACUUM INTO" or ".backup". If this version of Shiftfeed made it, this puts it right: ' +
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrationsIn(FOLDER).latest};`,
    );
  }
  if (tables.length > 0) {
    throw new StoreFailure(
      'unusable',
      `The database ${path} has tables of another program: give Shiftfeed a file of its own.`,
    );
  }
  return { version: 0, readsFrom: 0 };
}

const OUR_TABLES = ['accounts', 'tokens', 'groups', 'shifts', 'months'];

/** Without the tables that Litestream, which replicates databases, adds to each of them. */
function tablesIn(database: DatabaseSync): string[] {
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE tbl_name NOT GLOB '_litestream_*'")
    .all();
  return rows.map(({ name }) => String(name));
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

const MAX_TOLD_DAMAGE = 20;

/** What `doctor` checks on SQLite in its own way. */
export const SQLITE_CHECKS: OwnChecks = {
  isMonth: "month GLOB '[1-9][0-9][0-9][0-9]-[01][0-9]' AND substr(month, 6) BETWEEN '01' AND '12'",
  stampStatement:
    'INSERT INTO changes SELECT account_id, substr(date, 1, 7) FROM shifts UNION SELECT account_id, month FROM months;',
  /** Also finds rows that break a constraint. */
  async damage({ all }) {
    const rows = await all(`PRAGMA integrity_check(${MAX_TOLD_DAMAGE})`);
    const messages = rows.map(({ integrity_check }) => String(integrity_check));
    return messages.filter((message) => message !== 'ok');
  },
  schema: async (queries) => compareSchemas(await freshSchema(), await schemaOf(queries)),
};

/** Part → the statement that made it, and the table or view that it belongs to. */
type Schema = ReadonlyMap<string, { readonly sql: string; readonly owner: string }>;

/** Runs the migrations on an empty database, to see what they create. */
async function freshSchema(): Promise<Schema> {
  using fresh = new DatabaseSync(IN_MEMORY);
  await migrate(fresh, IN_MEMORY);
  return await schemaOf(transactionOn(fresh));
}

async function schemaOf({ all }: Queries): Promise<Schema> {
  const rows = await all(
    "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'",
  );
  return new Map(
    rows.map(({ type, name, tbl_name, sql }) => [
      `${type} ${name}`,
      { sql: String(sql), owner: String(tbl_name) },
    ]),
  );
}

/** Parts that others have added are ignored. Line breaks may differ, because a statement may have been copied. */
function compareSchemas(expected: Schema, found: Schema): SchemaFlaw[] {
  return [...expected].flatMap(([part, { sql }]): SchemaFlaw[] => {
    const present = found.get(part);
    const statement = onOneLine(sql);
    if (present === undefined) return [{ part, flaw: 'missing', repair: `${statement};` }];
    if (onOneLine(present.sql) === statement) return [];
    // A table cannot be created again without losing its rows.
    if (part.startsWith('table ')) return [{ part, flaw: 'changed' }];
    // DROP VIEW also drops the triggers of the view, and those of others too.
    const triggers = [...found].filter(([name, { owner }]) => part === `view ${owner}` && name !== part);
    const remade = triggers.map(([name, { sql: theirs }]) => {
      const ours = expected.get(name)?.sql;
      return ` ${ours === undefined ? theirs : onOneLine(ours)};`;
    });
    return [{ part, flaw: 'changed', repair: `DROP ${part}; ${statement};${remade.join('')}` }];
  });
}

function onOneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ');
}
