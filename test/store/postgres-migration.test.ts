/** A PostgreSQL database is brought up to date while others use it. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { hashToken } from '../../src/feed/access/token.ts';
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import type { Database } from '../../src/store/database.ts';
import { openReader, openStore } from '../../src/store/open.ts';
import { COMMAND_CONNECTION, connect } from '../../src/store/postgres/connection.ts';
import { databaseOn } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { watchBackends } from '../support/backends.ts';
import { newDatabaseUrl, postgresProgram } from '../support/database.ts';
import { addMigrations, filledUrl, OLD_TOKEN } from '../support/other-schema.ts';
import { often } from '../support/strength.ts';
import { LIMIT_MS, until } from '../support/until.ts';

describe('While PostgreSQL is brought up to date', () => {
  test('whoever gets the lock sees what the one before has made', async (context) => {
    const url = await newDatabaseUrl(context, 'postgres');
    const connection = connect(url, COMMAND_CONNECTION);
    context.after(() => connection.close());
    const database = databaseOn(connection);
    const other = await postgresProgram(context, url);
    // PostgreSQL looks for what others have made when it begins a statement, which is before it gives us the lock.
    const overtaken: Database = {
      ...database,
      writing: (work, isKept) =>
        database.writing(
          (transaction) =>
            work({
              ...transaction,
              async all(text, values) {
                const rows = await transaction.all(text, values);
                if (text.includes('pg_try_advisory_xact_lock'))
                  await other.query('CREATE SCHEMA IF NOT EXISTS shiftfeed');
                return rows as never;
              },
            }),
          isKept,
        ),
    };
    await migrate(overtaken, 'planning', {}, LIMIT_MS);
    const store = await openStore(url, { missing: 'fail', readOnly: true });
    assert.deepEqual((await store.examine()).schema, []);
    await store.close();
  });

  test('an import that has begun to write shifts comes to its end, and so does the migration', async (context) => {
    const { url, opening, backends, program } = await prepare(context);
    const gate = await postgresProgram(context, url);
    await gate.query('SELECT pg_advisory_lock(1)');
    // It has locked shifts, and will lock accounts when its trigger stamps them.
    const writing = program.query(
      `INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
      SELECT 1, 2, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2026-01-01'
      FROM (SELECT pg_advisory_xact_lock(1)) AS gate`,
    );
    await backends.whenWaiting(1);
    const opened = opening();
    await backends.whenWaiting(2);
    await gate.query('SELECT pg_advisory_unlock(1)');
    await Promise.all([writing, opened]);
    assert.equal((await program.query('SELECT FROM shifts')).rowCount, 2);
  });

  test('imports into several accounts go on all the time', async (context) => {
    for (let round = 0; round < often(1, 12); round++) {
      const { url, opening } = await prepare(context);
      let isMigrated = false;
      const importing = ['acme', 'b', 'c'].map(async (slug) => {
        const program = await postgresProgram(context, url);
        for (let times = 0; !isMigrated || times < 3; times++) await program.query(importOfOld(slug, times));
      });
      const opened = opening().finally(() => {
        isMigrated = true;
      });
      await Promise.all([opened, ...importing]);
      const migrated = await openStore(url, { missing: 'fail', readOnly: true });
      assert.deepEqual((await migrated.examine()).schema, []);
      await migrated.close();
    }
  });

  test('a transaction that stays open delays the migration, but neither those who write elsewhere nor those who read', async (context) => {
    const { url, opening, backends, program, waits } = await prepare(context);
    const other = await postgresProgram(context, url);
    await other.query(`SET lock_timeout = ${LIMIT_MS}`);
    const reader = await openReader(url, { waitMs: LIMIT_MS });
    context.after(() => reader.close());
    await program.query("BEGIN; SET LOCAL application_name = 'planner'");
    const { rows } = await program.query('SELECT pg_backend_pid() AS pid');
    await program.query("UPDATE accounts SET name = 'Acme Ltd'");
    const opened = opening();
    for (let round = 0; round < 2; round++) {
      await backends.whenWaiting(1);
      await other.query(`INSERT INTO accounts (slug, name) VALUES ('other-${round}', 'Other')`);
      const question = { tokenHash: hashToken(OLD_TOKEN), slug: 'acme', held: undefined };
      assert.ok((await reader.freshness([question], 0))[0]?.token);
      const found = await reader.read('acme', async ({ state: { months }, shifts }) => [
        ...(await shifts({ month: months[0]?.month as never, days: ALL_DAYS })),
      ]);
      assert.equal(found?.length, 1);
    }
    await until('it is told', () => waits.length > 0);
    await program.query('COMMIT');
    await opened;
    assert.deepEqual(waits, [
      `The schema of ${new URL(url).host}${new URL(url).pathname} cannot be changed yet: the process ${rows[0].pid} of PostgreSQL ` +
        '(user shiftfeed, program planner) holds a lock on the table accounts. Trying for 10 minutes.',
    ]);
  });

  test('another process waits for its end, and says so', async (context) => {
    const { opening, program, waits } = await prepare(context);
    await program.query("SELECT pg_advisory_lock(x'73686674'::int)");
    const opened = opening();
    await until('it is told', () => waits.length > 0);
    await program.query('SELECT pg_advisory_unlock_all()');
    await opened;
    assert.match(
      String(waits),
      /^The schema of \S+ cannot be changed yet: another Shiftfeed is changing it\./,
    );
  });
});

test('a migration that is given up says why, keeps the steps that are done, and the next start does the rest', async (context) => {
  const { url, opening, program } = await prepare(context);
  const connection = connect(url, COMMAND_CONNECTION);
  context.after(() => connection.close());
  await program.query('BEGIN; LOCK TABLE shifts IN ROW EXCLUSIVE MODE');
  await assert.rejects(
    migrate(databaseOn(connection), 'planning', {}, 0),
    /^StoreFailure: The schema of planning could not be changed within 10 minutes: the process \d+ of PostgreSQL \(user shiftfeed\) holds a lock on the table shifts\. It is still at schema 2\. End what is in the way, or try again later\.$/,
  );
  await program.query('COMMIT');
  const before = await program.query('SELECT version FROM schema_version');
  assert.deepEqual(before.rows, [{ version: 2 }]);
  await opening();
  const after = await program.query(
    "SELECT version, 'shifts_later'::regclass::text AS made FROM schema_version",
  );
  assert.deepEqual(after.rows, [{ version: 3, made: 'shifts_later' }]);
});

/** What migrations are like: each begins with a lock, and waits for no other one. */
const LATER = [
  'LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE; CREATE TABLE later (account_id bigint REFERENCES accounts ON DELETE CASCADE)',
  'LOCK TABLE shifts IN SHARE MODE; CREATE INDEX shifts_later ON shifts (account_id, remarks)',
];

/** What an import of the version before does, which knows nothing of later tables. */
function importOfOld(slug: string, times: number): string {
  const columns = 'account_id, id, date, start_time, end_time, end_date, group_id, publish_date, remarks';
  return `BEGIN;
    SELECT pg_advisory_xact_lock(hashtextextended('${slug}', 0));
    INSERT INTO accounts (slug, name) VALUES ('${slug}', 'Any') ON CONFLICT DO NOTHING;
    SELECT FROM accounts WHERE slug = '${slug}' FOR NO KEY UPDATE;
    INSERT INTO groups (account_id, id, name) SELECT id, 1, 'Kitchen' FROM accounts WHERE slug = '${slug}'
      ON CONFLICT DO NOTHING;
    INSERT INTO shifts (${columns})
      SELECT accounts.id, number, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2000-01-01', '${times}'
      FROM accounts, generate_series(1, 300) AS number WHERE slug = '${slug}'
      ON CONFLICT (account_id, id) DO UPDATE SET remarks = excluded.remarks;
    INSERT INTO imports (account_id, succeeded_at) SELECT id, 1 FROM accounts WHERE slug = '${slug}'
      ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at;
    COMMIT`;
}

async function prepare(context: TestContext) {
  const url = await filledUrl(context, 'postgres');
  addMigrations(context, 'postgres', LATER);
  const waits: string[] = [];
  return {
    url,
    /** Why the migration had to wait. */
    waits,
    program: await postgresProgram(context, url),
    backends: await watchBackends(context, url),
    async opening() {
      const onWaiting = (sentence: string) => waits.push(sentence);
      await (await openStore(url, { missing: 'fail', onWaiting })).close();
    },
  };
}
