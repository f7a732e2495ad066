/** Each kind of damage is planted in a database that is well, found, and put right as the doctor says. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { examine, type Finding } from '../../src/doctor/examine.ts';
import { COMMAND_CONNECTION, connect } from '../../src/store/postgres/connection.ts';
import { databaseOn } from '../../src/store/postgres/database.ts';
import { EXPECTED, partsOf } from '../../src/store/postgres/schema.ts';
import { importer } from '../import/importer.ts';
import { DATABASES, type DatabaseKind, postgresProgram } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';

const PLAN = acme(
  [
    shift('2026-12-01', { id: 1 }),
    shift('2027-01-01', { id: 2, location_id: 7, person_id: 3 }),
    shift('2027-01-02', { id: 4, location_id: 7, person_id: 3 }),
  ],
  { locations: [{ id: 7, name: 'Pier' }], people: [{ id: 3, name: 'Noor' }] },
);

interface Damage {
  readonly name: string;
  /** Statements; one for both databases, or for each. */
  readonly plant: string | Partial<Record<DatabaseKind, string>>;
  readonly sentence: RegExp;
  readonly check: Finding['check'];
  /** What puts it right, when the advice has no statement. */
  readonly repair?: string | Partial<Record<DatabaseKind, string>>;
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'a shift of a group that is not there',
    plant: 'UPDATE shifts SET group_id = 9 WHERE id = 1',
    check: 'references',
    sentence: /^The shift 1 of acme refers to a group that is not there\. It is not listed\.$/,
    repair: 'UPDATE shifts SET group_id = 1 WHERE id = 1',
  },
  {
    name: 'shifts at a location that is not there',
    plant: 'UPDATE shifts SET location_id = 9 WHERE id > 1',
    check: 'references',
    sentence:
      /^2 shifts \(the first is 2\) of acme refer to a location that is not there\. They are listed without a location\.$/,
    repair: 'UPDATE shifts SET location_id = NULL WHERE id > 1',
  },
  {
    name: 'a shift of a person that is not there',
    plant: 'UPDATE shifts SET person_id = 9 WHERE id = 4',
    check: 'references',
    sentence: /^The shift 4 of acme refers to a person that is not there\. It is listed as open\.$/,
    repair: 'UPDATE shifts SET person_id = 3 WHERE id = 4',
  },
  {
    name: 'a group without an account',
    plant: "INSERT INTO groups (account_id, id, name) VALUES (99, 5, 'Nobody')",
    check: 'references',
    sentence: /^The group 5 refers to an account that is not there\. It belongs to nobody\.$/,
  },
  {
    name: 'an import without an account',
    plant: 'INSERT INTO imports VALUES (99, 0)',
    check: 'references',
    sentence: /^The import refers to an account that is not there\. It belongs to nobody\.$/,
  },
  {
    name: 'entries of the history without an account',
    plant: `INSERT INTO import_history (account_id, at, action, who, file, has_changed, counts, revision, state)
      SELECT 99, 0, 'import', '', '', false, '{}', 0, '' FROM (VALUES (1), (2)) AS two`,
    check: 'references',
    sentence:
      /^2 entries of the history \(the first is \d+\) refer to an account that is not there\. They belong to nobody\.$/,
  },
  {
    name: 'replaced records of an entry that is not there',
    plant: {
      sqlite: "INSERT INTO replaced_records VALUES (99, 1, x''), (99, 2, x'')",
      postgres: "INSERT INTO replaced_records VALUES (99, 1, ''), (99, 2, '')",
    },
    check: 'references',
    sentence:
      /^2 pieces of replaced records refer to an entry of the history that is not there or belongs to nobody\. They may hold names\.$/,
  },
  {
    name: 'answers of the desk without an account',
    plant: "INSERT INTO desk_layouts (account_id, layout, answers, used_at) VALUES (99, 'list', '[]', 0)",
    check: 'references',
    sentence: /^The layout of the desk refers to an account that is not there\. It belongs to nobody\.$/,
  },
  {
    name: 'a month of shifts without a stamp',
    plant: "DELETE FROM months WHERE month = '2026-12'",
    check: 'stamps',
    sentence: /^Shifts of acme are not listed, because their months are not stamped: 2026-12\.$/,
  },
  {
    name: 'a stamp that is newer than the account',
    plant: 'UPDATE accounts SET revision = 1',
    check: 'stamps',
    sentence: /^Months of acme have a newer stamp than the account has a revision: 2026-12, 2027-01\.$/,
  },
  {
    name: 'a month that is none',
    plant: "INSERT INTO months SELECT id, 'soon', 1 FROM accounts",
    check: 'stamps',
    sentence: /^The table months has rows of acme that are no months: soon\.$/,
    repair: "DELETE FROM months WHERE month = 'soon'",
  },
  {
    name: 'a time zone that does not exist',
    plant: "UPDATE accounts SET time_zone = 'Mars/Olympus'",
    check: 'time zones',
    sentence:
      /^The account acme has the time zone "Mars\/Olympus", which does not exist, so its requests fail\.$/,
    repair: "UPDATE accounts SET time_zone = 'UTC'",
  },
  {
    name: 'a trigger that was dropped',
    plant: { sqlite: 'DROP TRIGGER shifts_inserted', postgres: 'DROP TRIGGER shifts_inserted ON shifts' },
    check: 'schema',
    sentence: /^The trigger shifts_inserted is missing\.$/,
  },
  {
    name: 'a trigger that does something else',
    plant: {
      sqlite:
        'DROP TRIGGER shifts_deleted; CREATE TRIGGER shifts_deleted AFTER DELETE ON shifts BEGIN SELECT 1; END',
      postgres: `DROP TRIGGER shifts_deleted ON shifts;
        CREATE TRIGGER shifts_deleted AFTER DELETE ON shifts FOR EACH STATEMENT EXECUTE FUNCTION shifts_truncated()`,
    },
    check: 'schema',
    sentence: /^The trigger shifts_deleted is changed\.$/,
  },
  {
    name: 'an index that was dropped',
    plant: 'DROP INDEX shifts_of_group',
    check: 'schema',
    sentence: /^The index shifts_of_group is missing\.$/,
  },
  {
    name: 'an index of other columns',
    plant: 'DROP INDEX shifts_of_group; CREATE INDEX shifts_of_group ON shifts (group_id)',
    check: 'schema',
    sentence: /^The index shifts_of_group is changed\.$/,
  },
  {
    name: 'a row that breaks a constraint',
    plant: {
      sqlite: "PRAGMA ignore_check_constraints = ON; UPDATE shifts SET start_time = '25:00' WHERE id = 1",
    },
    check: 'integrity',
    sentence: /^SQLite finds damage: CHECK constraint failed in shifts\.$/,
    repair: { sqlite: "UPDATE shifts SET start_time = '09:00' WHERE id = 1" },
  },
  {
    name: 'a trigger that is switched off',
    plant: { postgres: 'ALTER TABLE shifts DISABLE TRIGGER shifts_deleted' },
    check: 'schema',
    sentence: /^The trigger shifts_deleted is switched off\.$/,
  },
  {
    name: 'foreign keys that are switched off',
    plant: { postgres: 'ALTER TABLE tokens DISABLE TRIGGER ALL' },
    check: 'schema',
    sentence: /^The constraint tokens_account_id_fkey is switched off\.$/,
  },
  {
    name: 'a function that does something else',
    plant: {
      postgres:
        "CREATE OR REPLACE FUNCTION shifts_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    },
    check: 'schema',
    sentence: /^The function shifts_deleted is changed\.$/,
  },
  {
    name: 'a constraint that was dropped',
    plant: { postgres: 'ALTER TABLE people DROP CONSTRAINT people_name_check' },
    check: 'schema',
    sentence: /^The constraint people_name_check is missing\.$/,
    repair: { postgres: 'ALTER TABLE people ADD CHECK (length(name) BETWEEN 1 AND 200) NOT VALID' },
  },
  {
    name: 'a constraint that was never checked',
    plant: { postgres: 'SELECT' },
    check: 'schema',
    sentence: /^The constraint people_name_check is not checked\.$/,
  },
];

for (const kind of DATABASES)
  describe(`The doctor on ${kind}`, async () => {
    const { url, run, store } = await importer({ after }, kind);
    await run(PLAN);
    const { execute, ask } = await programOf(kind, url);
    const wrong = async () =>
      (await examine(store, () => '2026-11-15', 0)).findings.filter(({ isWrong }) => isWrong);

    test('finds nothing wrong with a database that is well', async () => {
      assert.deepEqual(await wrong(), []);
    });

    for (const { name, plant, check, sentence, repair } of DAMAGES) {
      const planted = typeof plant === 'string' ? plant : plant[kind];
      if (planted === undefined) continue;
      test(`finds ${name}, and what it advises helps`, async () => {
        await execute(planted);
        const found = (await wrong()).find((finding) => sentence.test(finding.sentence));
        assert.ok(found, JSON.stringify(await wrong(), null, 2));
        assert.equal(found.check, check);
        assert.ok(found.advice);
        const statement = typeof repair === 'object' ? repair[kind] : repair;
        await execute(statement ?? statementsIn(found.advice));
        // Whatever a repair leaves is another damage.
        assert.ok(!(await wrong()).some((finding) => sentence.test(finding.sentence)));
      });
    }

    test('has a statement that helps for each trigger, function, view and index, in an order that works', async () => {
      const drops = {
        sqlite: `SELECT format('DROP %s %s;', type, name) AS statement FROM sqlite_schema
          WHERE type IN ('trigger', 'index') AND sql IS NOT NULL UNION ALL SELECT 'DROP VIEW changes;'`,
        postgres: `SELECT format('DROP FUNCTION %s CASCADE;', oid::regprocedure) AS statement FROM pg_proc
          WHERE pronamespace = 'shiftfeed'::regnamespace
          UNION ALL SELECT format('DROP INDEX %I;', relname) FROM pg_class
          WHERE relnamespace = 'shiftfeed'::regnamespace AND relkind = 'i'
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = pg_class.oid)`,
      };
      const statements = await ask(drops[kind]);
      assert.ok(statements.length > 10);
      await execute(statements.join(' '));
      const found = await wrong();
      assert.ok(found.length >= statements.length);
      // As in the program of somebody who knows nothing of our schema.
      if (kind === 'postgres') await execute('SET search_path = public');
      for (const { advice = '' } of found) await execute(statementsIn(advice));
      if (kind === 'postgres') await execute('SET search_path = shiftfeed, public');
      await run(PLAN);
      assert.deepEqual(await wrong(), []);
      const stamping = found.filter(({ advice }) => advice?.includes('stamp every month anew'));
      assert.equal(stamping.length, 1);
    });

    test('deletes all that a lost account has left, and nothing of others', async () => {
      await run({ ...PLAN, account: { ...ACME, slug: 'lost' } });
      await execute("DELETE FROM accounts WHERE slug = 'lost'");
      const found = await wrong();
      assert.equal(found.length, 8);
      // As in the program of somebody who has foreign keys, and knows nothing of our schema.
      await execute(
        {
          sqlite: 'PRAGMA foreign_keys = ON',
          postgres: 'SET session_replication_role = origin; SET search_path = public',
        }[kind],
      );
      for (const { advice = '' } of found) await execute(statementsIn(advice));
      await execute(
        {
          sqlite: 'PRAGMA foreign_keys = OFF',
          postgres: 'SET session_replication_role = replica; SET search_path = shiftfeed, public',
        }[kind],
      );
      assert.deepEqual(await wrong(), []);
      assert.equal((await store.accounts()).length, 1);
      assert.equal((await ask('SELECT entry_id AS statement FROM replaced_records')).length, 1);
    });

    test('tells a shift of a group that is not there once, and not among those of inactive groups', async () => {
      await execute('UPDATE shifts SET group_id = 9 WHERE id = 1; UPDATE groups SET active = false');
      const { findings } = await examine(store, () => '2026-11-15', 0);
      await execute('UPDATE shifts SET group_id = 1 WHERE id = 1; UPDATE groups SET active = true');
      assert.deepEqual(
        findings.map(({ sentence }) => sentence).filter((sentence) => /not listed/.test(sentence)),
        [
          'The shift 1 of acme refers to a group that is not there. It is not listed.',
          '2 shifts of acme are not listed, because the group is not active.',
        ],
      );
    });

    test('finds an account with shifts in too many months, and what it advises helps', async () => {
      const months = Array.from({ length: 2_400 }, (_, i) => `('${1000 + i}-02')`);
      await execute(
        `INSERT INTO months SELECT id, column1, 1 FROM accounts, (VALUES ${months}) AS planted WHERE slug = 'acme'`,
      );
      const found = (await wrong()).find(({ check }) => check === 'months');
      assert.equal(
        found?.sentence,
        'The account acme has shifts, or once had some, in 2,402 months. 2,400 are the most, so its requests fail.',
      );
      const statements = statementsIn(found.advice ?? '');
      assert.match(
        found?.advice ?? '',
        /In place of \(YYYY-MM\), put the first month that is to stay, both times: /,
      );
      // PostgreSQL refuses the statements as they are printed.
      if (kind === 'sqlite') await execute(statements);
      assert.deepEqual(
        (await wrong()).find(({ check }) => check === 'months'),
        found,
      );
      await execute(statements.replaceAll('(YYYY-MM)', '2026-12'));
      assert.ok(!(await wrong()).some(({ check }) => check === 'months'));
      await execute("DELETE FROM months WHERE month > '2027-01'");
    });

    test('finds nothing wrong any more', async () => {
      await execute((await store.examine()).stampStatement);
      assert.deepEqual(await wrong(), []);
    });
  });

test('on SQLite, the doctor makes a view anew with its triggers, those of others too', async (context) => {
  const { url, run, store } = await importer(context);
  await run(PLAN);
  const { execute, ask } = await programOf('sqlite', url);
  await execute(
    'CREATE TRIGGER of_others INSTEAD OF DELETE ON changes BEGIN SELECT 1; END; DROP TRIGGER shifts_deleted',
  );
  const triggers =
    "SELECT sql AS statement FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'changes'";
  const before = await ask(triggers);
  await execute(`DROP VIEW changes; CREATE VIEW changes AS SELECT account_id, month FROM months WHERE month > '';
    ${before.join(';')}`);
  const wrong = async () =>
    (await examine(store, () => '2026-11-15', 0)).findings.filter(({ isWrong }) => isWrong);
  const found = await wrong();
  assert.deepEqual(
    found.map(({ sentence }) => sentence),
    ['The view changes is changed.', 'The trigger shifts_deleted is missing.'],
  );
  for (const { advice = '' } of found) await execute(statementsIn(advice));
  const onOneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ');
  assert.deepEqual((await ask(triggers)).map(onOneLine), before.map(onOneLine));
  await run(acme([shift('2027-01-03', { id: 5 })]));
  assert.deepEqual(await wrong(), []);
});

test('on PostgreSQL, the doctor knows all that the migrations make', async (context) => {
  const { url } = await importer(context, 'postgres');
  const connection = connect(url, COMMAND_CONNECTION);
  context.after(() => connection.close());
  const parts = await databaseOn(connection).reading(partsOf);
  const made = Object.fromEntries(parts.map(({ part, statement }) => [part, statement]));
  if (process.env.WRITE_SCHEMA !== undefined) await writeFile(EXPECTED, `${JSON.stringify(made, null, 2)}\n`);
  const message = 'after a change of the migrations, "npm run postgres-schema" writes what they make';
  assert.deepEqual(JSON.parse(await readFile(EXPECTED, 'utf8')), made, message);
});

/** All statements of an advice, in their order. */
function statementsIn(advice: string): string {
  return advice.replace(/^[^:]+: /, '').replace(/ Then stamp every month anew[^:]*: /, ' ');
}

/** Another program, which has switched off what keeps the data in order. */
async function programOf(kind: DatabaseKind, url: string): Promise<Program> {
  if (kind === 'postgres') {
    const client = await postgresProgram({ after }, url);
    await client.query('SET session_replication_role = replica');
    return {
      async execute(sql) {
        await client.query(sql);
      },
      ask: async (sql) => (await client.query(sql)).rows.map(({ statement }) => statement),
    };
  }
  const database = new DatabaseSync(url.slice('sqlite:'.length), { enableForeignKeyConstraints: false });
  after(() => database.close());
  return {
    execute: async (sql) => database.exec(sql),
    ask: async (sql) =>
      database
        .prepare(sql)
        .all()
        .map(({ statement }) => String(statement)),
  };
}

interface Program {
  execute(sql: string): Promise<void>;
  /** Asks for statements. */
  ask(sql: string): Promise<string[]>;
}
