/** Our tables lie in a schema of their own, and neither we nor our triggers look at anybody's search path. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import type { Client } from 'pg';
import { importDocument } from '../../src/import/import.ts';
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import type { Shift } from '../../src/listing/shift.ts';
import type { FeedStore } from '../../src/store/feed-store.ts';
import { openReader, openServerStore, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabaseUrl, newStoreUrl, onServer, openWithFeed, postgresClient } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { stampedAfter, toldState } from '../support/told-state.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const HASH = 'a'.repeat(64);
const MANUAL = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');
/** What another program may have under our names: whoever takes them for ours fails or changes the wrong thing. */
const TABLES_OF_ANOTHER_PROGRAM = ['accounts', 'tokens', 'groups', 'locations', 'people', 'shifts', 'months'];
const INSERT_SHIFT = `
  INSERT INTO shiftfeed.shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
  SELECT id, 9, '2030-06-06', '09:00', '17:00', '2030-06-06', 1, '2026-01-01' FROM shiftfeed.accounts`;

describe('A planner with tables of its own that are named like ours', () => {
  const own: [string, string][] = [
    [
      'earlier in its search path',
      `CREATE SCHEMA planner; SET search_path = planner, shiftfeed;
      CREATE TABLE accounts (LIKE shiftfeed.accounts); CREATE TABLE months (LIKE shiftfeed.months INCLUDING INDEXES);
      INSERT INTO accounts OVERRIDING SYSTEM VALUE SELECT * FROM shiftfeed.accounts`,
    ],
    [
      'that are temporary',
      `CREATE TEMP TABLE accounts (LIKE shiftfeed.accounts); CREATE TEMP TABLE months (LIKE shiftfeed.months INCLUDING INDEXES);
      INSERT INTO pg_temp.accounts OVERRIDING SYSTEM VALUE SELECT * FROM shiftfeed.accounts`,
    ],
  ];
  const statements: [string, string, string[]][] = [
    ['changes a shift', "UPDATE shiftfeed.shifts SET remarks = 'new'", ['2026-12']],
    ['deletes a shift', 'DELETE FROM shiftfeed.shifts', ['2026-12']],
    ['truncates', 'TRUNCATE shiftfeed.shifts', ['2026-12']],
    ['renames a group', "UPDATE shiftfeed.groups SET name = 'Galley'", ['2026-12']],
    ['renames a person', "UPDATE shiftfeed.people SET name = 'Eve'", ['2026-12']],
    ['moves a location', "UPDATE shiftfeed.locations SET address = 'Quay'", ['2026-12']],
    ['sorts an account by group', "UPDATE shiftfeed.accounts SET sort = 'group'", ['2026-12']],
    ['writes a shift', INSERT_SHIFT, ['2030-06']],
  ];
  for (const [where, prepareSql] of own) {
    test(`${where} changes our listing with every statement`, async (context) => {
      const { store, program } = await prepare(context);
      await program.query(prepareSql);
      for (const [what, sql, expected] of statements) {
        await importDocument(store, FULL, { replace: true, dryRun: false });
        const before = await revisionOf(store);
        await program.query(sql);
        assert.deepEqual(await monthsSince(store, before), expected, what);
      }
    });
  }
});

test('every function of the schema has a search path of its own, with temporary tables last, and is for nobody else to call', async (context) => {
  const { program } = await prepare(context);
  const { rows } = await program.query(`
    SELECT proname, proconfig, proacl::text LIKE '{=%' OR proacl::text LIKE '%,=%' OR proacl IS NULL AS is_public
    FROM pg_proc WHERE pronamespace = 'shiftfeed'::regnamespace`);
  assert.ok(rows.length > 0);
  for (const { proname, proconfig, is_public } of rows) {
    assert.ok(proconfig.includes('search_path=pg_catalog, shiftfeed, pg_temp'), proname);
    assert.equal(is_public, false, proname);
  }
});

test('a database in which another program has tables of our names in every path works like an empty one', async (context) => {
  const url = await newDatabaseUrl(context, 'postgres');
  const other = await postgresClient(context, url);
  const { rows } = await other.query('SELECT current_database() AS name');
  await other.query('CREATE SCHEMA other');
  for (const schema of ['public', 'other']) {
    for (const table of TABLES_OF_ANOTHER_PROGRAM)
      await other.query(`CREATE TABLE ${schema}.${table} (id integer, another text)`);
  }
  await other.query(`ALTER DATABASE ${rows[0].name} SET search_path = other, public`);

  const store = await openStore(url, { missing: 'create' });
  const reader = await openReader(url, { waitMs: LIMIT_MS });
  context.after(async () => Promise.all([store.close(), reader.close()]));
  const save = (document: object) => importDocument(store, document, { replace: true, dryRun: false });
  await save(FULL);
  const account = await store.findAccount('acme');
  assert.ok(account);
  const { id } = await store.addToken({ ...TOKEN, accountId: account.id });
  const { revision } = await store.describeAccount(account.id);
  await save({ ...FULL, shifts: [shift('2027-01-01', { id: 2 })] });
  assert.deepEqual(await store.accounts(), [account]);
  assert.deepEqual(stampedAfter(await toldState(reader, HASH), revision), ['2026-12', '2027-01']);
  assert.deepEqual(await shiftIds(reader), [2]);
  assert.equal((await store.tokens(account.id)).length, 1);
  assert.equal(await store.revokeToken(id, 7), true);
  for (const table of TABLES_OF_ANOTHER_PROGRAM)
    assert.equal((await other.query(`SELECT 1 FROM other.${table}`)).rowCount, 0, table);
});

describe('By the rights that the manual grants', () => {
  test('an owner without the right to create schemas works in the one that an administrator made', async (context) => {
    const url = await newDatabaseUrl(context, 'postgres');
    const administrator = await postgresClient(context, url);
    const owner = await newRole(context, administrator, url);
    await assert.rejects(
      openStore(owner.url, { missing: 'create' }),
      /^StoreFailure: This user lacks a permission on \S+: permission denied for database/,
    );
    const [, name = ''] = /([^/]+)$/.exec(new URL(url).pathname) ?? [];
    await administrator.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
    await assert.rejects(
      openStore(owner.url, { missing: 'create' }),
      /^StoreFailure: This user lacks a permission on \S+: permission denied for database/,
    );
    await administrator.query(`GRANT CONNECT ON DATABASE ${name} TO PUBLIC`);
    await administrator.query(statementsOfManual('CREATE SCHEMA', { shiftfeed: owner.name }));
    const store = await openWithFeed(owner.url);
    context.after(() => store.close());
    await importDocument(store, FULL, { replace: false, dryRun: false });
    assert.deepEqual(await shiftIds(store), [1]);
  });

  test('a planning application writes shifts, and the listing changes, without rights on months, revisions and tokens', async (context) => {
    const { url, store, program: administrator } = await prepare(context);
    const planner = await newRole(context, administrator, url);
    await administrator.query(statementsOfManual('TO planner', { planner: planner.name }));
    await administrator.query(statementsOfManual('ALTER ROLE planner', { planner: planner.name }));
    const program = await postgresClient(context, planner.url);
    const before = await revisionOf(store);
    await program.query(`
      BEGIN;
      SELECT FROM accounts WHERE slug = 'acme' FOR NO KEY UPDATE;
      INSERT INTO groups (account_id, id, name) SELECT id, 5, 'Bar' FROM accounts;
      ${INSERT_SHIFT};
      UPDATE shifts SET group_id = 5 WHERE id = 9;
      UPDATE accounts SET time_zone = 'Asia/Tokyo', sort = 'group';
      DELETE FROM shifts WHERE id = 1;
      INSERT INTO accounts (slug, name) VALUES ('new', 'New');
      COMMIT`);
    assert.deepEqual(await monthsSince(store, before), ['2026-12', '2030-06']);
    for (const refused of [
      'UPDATE accounts SET revision = 1',
      'INSERT INTO accounts (slug, name, revision) VALUES ($$x$$, $$x$$, 1)',
      'UPDATE months SET revision = 1',
      'SELECT FROM tokens',
      "SELECT stamp_months(ARRAY[1], ARRAY['2026-12'])",
      `CREATE TEMP TABLE mine (account_id bigint, date date); CREATE TRIGGER mine AFTER INSERT ON mine
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION shifts_inserted()`,
    ]) {
      await assert.rejects(program.query(refused), /permission denied/, refused);
    }
  });

  test('a service that only reads serves what is there, and can write nothing', async (context) => {
    const { url, store, program: administrator } = await prepare(context);
    const website = await newRole(context, administrator, url);
    await administrator.query(
      statementsOfManual('SELECT ON ALL TABLES IN SCHEMA shiftfeed TO website', { website: website.name }),
    );
    const account = await store.findAccount('acme');
    assert.ok(account);
    await store.addToken({ ...TOKEN, accountId: account.id });

    const reader = await openReader(website.url, { waitMs: LIMIT_MS });
    context.after(() => reader.close());
    assert.deepEqual(stampedAfter(await toldState(reader, HASH), 0), ['2026-12']);
    assert.deepEqual(await shiftIds(reader), [1]);
    // As `serve` does at its start.
    const opened = await openStore(website.url, { missing: 'create' });
    context.after(() => opened.close());
    await assert.rejects(opened.revokeToken(1, 7), /lacks a permission on \S+: permission denied for table/);

    const uses = await openServerStore(website.url);
    context.after(() => uses.close());
    const use = new Map([[HASH, 5]]);
    const outcome = () => uses.writeUses(use).then(() => 'written', String);
    // A busy machine may take longer to connect than a service waits.
    await until('a permission is lacking', async () =>
      /lacks a permission on \S+: permission denied for table/.test(await outcome()),
    );
    await administrator.query(statementsOfManual('UPDATE (last_used_at)', { website: website.name }));
    await until('it is written', async () => (await outcome()) === 'written');
    assert.equal((await store.tokens(account.id))[0]?.lastUsedAtMs, 5);
  });
});

const TOKEN = { hash: HASH, label: '', createdAtMs: 0, expiresAtMs: null };
const FULL = {
  ...acme([shift('2026-12-01', { id: 1, person_id: 3, location_id: 7 })]),
  locations: [{ id: 7, name: 'Harbour', address: '' }],
  people: [{ id: 3, name: 'Ada' }],
};

async function prepare(context: TestContext) {
  const url = await newStoreUrl(context, 'postgres');
  const store = await openWithFeed(url);
  context.after(() => store.close());
  await importDocument(store, FULL, { replace: false, dryRun: false });
  return { url, store, program: await postgresClient(context, url) };
}

/** A user who may do nothing yet. */
async function newRole(context: TestContext, administrator: Client, databaseUrl: string) {
  const name = `role_${randomBytes(8).toString('hex')}`;
  await administrator.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
  context.after(() => onServer(`DROP ROLE ${name}`));
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = 'secret';
  return { name, url: url.href };
}

/** The block of SQL in the manual that holds a text, for other users than it names. */
function statementsOfManual(text: string, users: Readonly<Record<string, string>>): string {
  const blocks = [...MANUAL.matchAll(/```sql\n([\s\S]+?)```/g)].map(([, sql = '']) => sql);
  const found = blocks.filter((sql) => sql.includes(text));
  assert.equal(found.length, 1, text);
  return Object.entries(users).reduce(
    (sql, [from, to]) => sql.replaceAll(new RegExp(`(TO|AUTHORIZATION|ROLE) ${from}\\b`, 'g'), `$1 ${to}`),
    found[0] as string,
  );
}

async function revisionOf(store: Store): Promise<number> {
  const account = await store.findAccount('acme');
  assert.ok(account);
  return (await store.describeAccount(account.id)).revision;
}

async function monthsSince(store: FeedStore, revision: number): Promise<string[]> {
  const state = await store.read('acme', async (transaction) => transaction.state);
  assert.ok(state);
  return stampedAfter(state, revision);
}

async function shiftIds(store: FeedStore): Promise<number[]> {
  const found: Shift[] = [];
  await store.read('acme', async ({ state, shifts }) => {
    for (const { month } of state.months) found.push(...(await shifts({ month, days: ALL_DAYS })));
  });
  return found.map(({ id }) => id);
}
