/** Whatever another program changes of what a listing shows is noticed, column by column. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { COLUMNS, TABLES, type Table } from '../../src/store/records.ts';
import {
  DATABASES,
  type DatabaseKind,
  newStoreUrl,
  openWithFeed,
  pathOf,
  postgresProgram,
} from '../support/database.ts';
import { ACME, KITCHEN, shift } from '../support/document.ts';
import { stampedAfter, toldState } from '../support/told-state.ts';

const HASH = 'a'.repeat(64);
const PLAN = {
  account: ACME,
  groups: [KITCHEN, { id: 2, name: 'Bar' }],
  locations: [
    { id: 7, name: 'Pier', address: 'Long Pier 4' },
    { id: 8, name: 'Mill' },
  ],
  people: [
    { id: 3, name: 'Noor' },
    { id: 4, name: 'Ada' },
  ],
  shifts: [
    shift('2026-12-01', { id: 1, location_id: 7, person_id: 3 }),
    shift('2027-02-01', { id: 2, group_id: 2, location_id: 8, person_id: 4 }),
  ],
};

/** Another value for each column of the rows that belong to the first shift, and the months that it touches. */
const CHANGES: {
  readonly [T in Table]: Readonly<Record<string, readonly [value: string, ...months: string[]]>>;
} = {
  groups: {
    id: ['99', '2026-12'],
    name: ["'Galley'", '2026-12'],
    active: ['false', '2026-12'],
    private: ['true'],
  },
  locations: { id: ['99', '2026-12'], name: ["'Quay'", '2026-12'], address: ["'Elsewhere'", '2026-12'] },
  people: { id: ['99', '2026-12'], name: ["'Inès'", '2026-12'] },
  shifts: {
    id: ['99', '2026-12'],
    date: ["'2026-11-30'", '2026-11', '2026-12'],
    start_time: ["'08:00'", '2026-12'],
    end_time: ["'18:00'", '2026-12'],
    end_date: ["'2026-12-02'", '2026-12'],
    group_id: ['2', '2026-12'],
    location_id: ['8', '2026-12'],
    person_id: ['NULL', '2026-12'],
    publish_date: ["'2001-01-01'", '2026-12'],
    remarks: ["'new'", '2026-12'],
    starred: ['true', '2026-12'],
    cancelled: ['true', '2026-12'],
    noshow: ['true', '2026-12'],
  },
};
const FIRST_ID: { readonly [T in Table]: number } = { groups: 1, locations: 7, people: 3, shifts: 1 };

for (const kind of DATABASES)
  describe(`An UPDATE by another program, on ${kind}`, () => {
    for (const table of TABLES)
      test(`of any column of ${table} stamps the months whose listing it changes`, async (context) => {
        assert.deepEqual(Object.keys(CHANGES[table]).sort(), Object.keys(COLUMNS[table]).sort());
        const { stamped, run, revision, putBack } = await prepare(context, kind);
        for (const [column, [value, ...months]] of Object.entries(CHANGES[table])) {
          const update = `UPDATE ${table} SET ${column} = ${value} WHERE id = ${FIRST_ID[table]}`;
          if (kind === 'postgres' && column === 'id' && table !== 'shifts') {
            await assert.rejects(run(update), /foreign key/, 'refused while a shift refers to it');
            continue;
          }
          const before = await revision();
          await run(update);
          assert.deepEqual(await stamped(before), months, column);
          await putBack();
        }
      });

    test('of several rows, and a DELETE, stamp the months of the rows that they change', async (context) => {
      const { stamped, run, revision, putBack } = await prepare(context, kind);
      for (const [statement, ...months] of [
        ['UPDATE shifts SET remarks = remarks, date = date'],
        ['UPDATE shifts SET starred = true', '2026-12', '2027-02'],
        ['DELETE FROM shifts WHERE id = 2', '2027-02'],
        ['DELETE FROM shifts WHERE id = 99'],
      ] as const) {
        const before = await revision();
        await run(statement);
        assert.deepEqual(await stamped(before), months, statement);
        assert.equal((await revision()) > before, months.length > 0, statement);
        await putBack();
      }
    });

    test('of the order stamps every month, and of the time zone none but raises the revision', async (context) => {
      const { stamped, run, revision } = await prepare(context, kind);
      const before = await revision();
      await run("UPDATE accounts SET time_zone = 'Asia/Tokyo'");
      assert.deepEqual(await stamped(), []);
      const moved = await revision();
      assert.ok(moved > before);
      await run("UPDATE accounts SET sort = 'group'");
      assert.deepEqual(await stamped(), ['2026-12', '2027-02']);
      assert.ok((await revision()) > moved);
    });

    test('raises the revision also while the clock is behind it, as after the clock was set back', async (context) => {
      const { stamped, run, revision } = await prepare(context, kind);
      const ahead = 9_000_000_000_000_000;
      await run(`UPDATE accounts SET revision = ${ahead}`);
      await run("UPDATE shifts SET remarks = 'new' WHERE id = 1");
      const changed = await revision();
      assert.ok(changed > ahead);
      assert.deepEqual(await stamped(ahead), ['2026-12']);
      await run("UPDATE accounts SET time_zone = 'Asia/Tokyo'");
      const moved = await revision();
      assert.ok(moved > changed);
      await run("UPDATE accounts SET sort = 'group'");
      assert.ok((await revision()) > moved);
      assert.deepEqual(await stamped(moved), ['2026-12', '2027-02']);
    });
  });

async function prepare(context: TestContext, kind: DatabaseKind) {
  const url = await newStoreUrl(context, kind);
  const store = await openWithFeed(url);
  context.after(() => store.close());
  await importDocument(store, PLAN, { replace: false, dryRun: false });
  const account = await store.findAccount('acme');
  assert.ok(account);
  await store.addToken({ accountId: account.id, hash: HASH, label: '', createdAtMs: 0, expiresAtMs: null });
  const revision = async () => (await store.describeAccount(account.id)).revision;
  const before = await revision();
  const program = kind === 'postgres' ? await postgresProgram(context, url) : undefined;
  return {
    revision,
    putBack: () => importDocument(store, PLAN, { replace: true, dryRun: false }),
    stamped: async (since = before) => stampedAfter(await toldState(store, HASH), since),
    async run(statement: string) {
      if (program !== undefined) return void (await program.query(statement));
      // Foreign keys stay off, as in a program that does not know of them.
      using file = new DatabaseSync(pathOf(url), { enableForeignKeyConstraints: false });
      file.exec(statement);
    },
  };
}
