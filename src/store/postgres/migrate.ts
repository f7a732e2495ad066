/**
 * Brings the schema up to date while servers read and programs write: one migration after the other, each in a
 * transaction of its own.
 *
 * A migration locks tables, and whoever wants to write queues behind a migration that waits for its lock. So it waits
 * only for a moment; then it lets the others through and tries again. It takes its lock before anything else and waits
 * for no other one while holding it, so there is no deadlock in which an import could die.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Database, Queries } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import {
  APPLICATION_ID,
  checkVersion,
  type MigrationListener,
  migrationsIn,
  type SchemaVersion,
  unreleased,
} from '../schema-version.ts';

export const FOLDER = new URL('./migrations/', import.meta.url);
/** An arbitrary number that no other program should use for its locks; it spells "shft". */
const LOCK = 0x73686674;

/** Longer than a second: after that, PostgreSQL ends an autovacuum that is in the way, which may take hours otherwise. */
const LOCK_WAIT_MS = 1_200;
/** Longer than the wait for a lock, so that writers have more than half of the time. */
const PAUSE_MS = 1_500;
/** While another process migrates, asking whether it has ended is in nobody's way. */
const LOOK_AGAIN_MS = 100;
/** Processes that start together on a new database wait for each other for less. */
const TOLD_AFTER_MS = 1_000;
const LIMIT_MINUTES = 10;

/** `name` is what errors call the database. */
export async function migrate(
  database: Database,
  name: string,
  { onWaiting, onMigrated }: MigrationListener = {},
  limitMs = LIMIT_MINUTES * 60_000,
): Promise<void> {
  const { latest } = migrationsIn(FOLDER);
  // Nothing is locked if there is nothing to do.
  const first = await database.reading(({ all }) => versionIn(all, name));
  checkVersion(name, first, latest, 'migrate');
  const startMs = performance.now();
  let hasMigrated = false;
  let isTold = false;
  for (let { version } = first; version < latest; ) {
    const step = await migrateOnce(database, name);
    if ('version' in step) {
      version = step.version;
      hasMigrated ||= step.isOurs;
      continue;
    }
    const waitedMs = performance.now() - startMs;
    if (waitedMs > limitMs) throw givenUp(name, version, step.reason);
    if (!isTold && waitedMs > TOLD_AFTER_MS) {
      onWaiting?.(
        `The schema of ${name} cannot be changed yet: ${step.reason}. Trying for ${LIMIT_MINUTES} minutes.`,
      );
      isTold = true;
    }
    await delay(step.pauseMs);
  }
  if (hasMigrated) onMigrated?.({ from: first.version, to: latest });
}

/** Refuses a database whose schema cannot be read as it is. Creates nothing. */
export async function checkSchema(database: Database, name: string): Promise<void> {
  const found = await database.reading(({ all }) => versionIn(all, name));
  checkVersion(name, found, migrationsIn(FOLDER).latest, 'write');
}

interface Found extends SchemaVersion {
  readonly hasSchema: boolean;
}

async function versionIn(all: Queries['all'], name: string): Promise<Found> {
  // Asked of tables: functions such as to_regclass answer from a cache, which may be older than the lock that we have got.
  const [found] = await all<{ hasSchema: boolean; hasTable: boolean }>(
    `SELECT count(*) > 0 AS "hasSchema", count(relname) > 0 AS "hasTable"
    FROM pg_catalog.pg_namespace LEFT JOIN pg_catalog.pg_class
      ON relnamespace = pg_namespace.oid AND relname = 'schema_version'
    WHERE nspname = 'shiftfeed'`,
  );
  const { hasSchema = false, hasTable = false } = found ?? {};
  if (!hasTable) return { version: 0, readsFrom: 0, hasSchema };
  // By way of JSON, because before the first release there were no such columns.
  const [row] = await all<{ version: number; readsFrom: number; applicationId: number | null }>(
    `SELECT version, (to_jsonb(schema_version) ->> 'reads_from')::int AS "readsFrom",
      (to_jsonb(schema_version) ->> 'application_id')::int AS "applicationId" FROM shiftfeed.schema_version`,
  );
  if (row?.applicationId !== APPLICATION_ID) throw unreleased(name);
  return { ...row, hasSchema };
}

/** The version afterwards and whether it was us who changed it; or why it could not be changed, and when to try again. */
type Step =
  | { readonly version: number; readonly isOurs: boolean }
  | { readonly reason: string; readonly pauseMs: number };

async function migrateOnce(database: Database, name: string): Promise<Step> {
  try {
    return await database.writing(async ({ all }) => {
      await all(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
      // It ends with the transaction, so it also works through a pooler, and a process that dies leaves nothing behind.
      const [lock] = await all<{ isOurs: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS "isOurs"', [
        LOCK,
      ]);
      if (!lock?.isOurs) return { reason: 'another Shiftfeed is changing it', pauseMs: LOOK_AGAIN_MS };
      const found = await versionIn(all, name);
      const { latest, after } = migrationsIn(FOLDER);
      checkVersion(name, found, latest, 'migrate');
      const [statements] = after(found.version);
      if (statements === undefined) return { version: found.version, isOurs: false };
      // IF NOT EXISTS would require the right to create even if there is nothing to do: an administrator may have created
      // the schema for us.
      if (!found.hasSchema) await all('CREATE SCHEMA shiftfeed');
      // The files make everything in our schema, whatever the search path of this user is.
      await all('SET LOCAL search_path = shiftfeed, pg_catalog, pg_temp');
      await all(statements);
      await all('UPDATE shiftfeed.schema_version SET version = $1', [found.version + 1]);
      return { version: found.version + 1, isOurs: true };
    });
  } catch (error) {
    if (!isAboutLocks(error)) throw error;
    return { reason: await blockerIn(database), pauseMs: PAUSE_MS };
  }
}

/** SQLSTATE of a lock that was waited for too long, and of a deadlock. */
const ABOUT_LOCKS = ['55P03', '40P01'];

function isAboutLocks(error: unknown): boolean {
  const cause = error instanceof StoreFailure ? error.cause : undefined;
  return cause instanceof DatabaseError && ABOUT_LOCKS.includes(cause.code ?? '');
}

/**
 * Who holds a lock on our tables for the longest time, as a part of a sentence. PostgreSQL tells every user who the
 * others are, but not what they do.
 */
async function blockerIn({ all }: Database): Promise<string> {
  const [blocker] = await all<{ pid: number; who: string; program: string; table: string }>(
    `SELECT pid, coalesce('user ' || usename, backend_type) AS who, application_name AS program, relname AS table
    FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN pg_class ON pg_class.oid = relation
    WHERE relnamespace = to_regnamespace('shiftfeed') AND datname = current_database() AND relkind = 'r'
      AND granted AND mode NOT IN ('AccessShareLock', 'RowShareLock')
    ORDER BY xact_start, pid LIMIT 1`,
  );
  if (blocker === undefined) return 'another program held a lock in it for too long';
  const { pid, who, program, table } = blocker;
  const by = program === '' ? '' : `, program ${program}`;
  return `the process ${pid} of PostgreSQL (${who}${by}) holds a lock on the table ${table}`;
}

function givenUp(name: string, version: number, reason: string): StoreFailure {
  return new StoreFailure(
    'busy',
    `The schema of ${name} could not be changed within ${LIMIT_MINUTES} minutes: ${reason}. ` +
      `It is still at schema ${version}. End what is in the way, or try again later.`,
  );
}
