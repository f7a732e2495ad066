import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { importDocument } from '../../src/import/import.ts';
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import { watchBackends } from '../support/backends.ts';
import { shiftfeed, start } from '../support/cli.ts';
import {
  type DatabaseKind,
  newFolder,
  newStoreUrl,
  openWithFeed,
  type StoreWithFeed,
} from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const MEGABYTE = 1024 * 1024;

/** What the account has before anything goes wrong. */
const BEFORE = acme([shift('2026-12-01', { id: 1, remarks: 'as it was' })]);

/** Changes whatever can be changed, in more shifts than are written at a time. */
const LARGE_SHIFTS = Array.from({ length: 12_000 }, (_, i) => shift('2026-12-01', { id: i + 1 }));
const CHANGES = {
  account: { ...ACME, name: 'Renamed', sort: 'group' },
  groups: [{ ...KITCHEN, name: 'Galley' }],
};

test('an import with a problem in its last shift changes nothing', async (t) => {
  const { run, look } = await database(t);
  await run(BEFORE);
  const before = await look();
  const lost = shift('2026-12-01', { id: 99_999, group_id: 404 });
  await assert.rejects(run(acme([...LARGE_SHIFTS, lost], CHANGES)), { name: 'ImportProblems' });
  assert.deepEqual(await look(), before);
});

test('an import that the database refuses half-way changes nothing', async (t) => {
  const { path, run, look } = await database(t);
  await run(BEFORE);
  const before = await look();
  const direct = new DatabaseSync(path);
  direct.exec(`CREATE TRIGGER refuse BEFORE INSERT ON shifts WHEN NEW.id = 11000
    BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
  direct.close();
  await assert.rejects(run(acme(LARGE_SHIFTS, CHANGES)), {
    name: 'StoreFailure',
    message: 'The database refused a row: not this one.',
  });
  assert.deepEqual(await look(), before);
});

if (isLong)
  test('an import that is killed half-way changes nothing, and the next one works', async (t) => {
    const { url, path, run, look } = await database(t);
    await run(BEFORE);
    const before = await look();

    // More than SQLite's page cache holds, so that the log grows long before the import commits.
    const remarks = 'x'.repeat(9_900);
    const shifts = Array.from({ length: 7_500 }, (_, i) => shift('2026-12-01', { id: i + 1, remarks }));
    const file = join(dirname(path), 'plan.json');
    await writeFile(file, JSON.stringify(acme(shifts, CHANGES)));
    const child = start(['import', file], { databaseUrl: url });
    t.after(() => {
      child.kill('SIGKILL');
    });
    const exit = once(child, 'exit');
    await until(
      'it writes, or has ended',
      () => child.exitCode !== null || sizeOf(`${path}-wal`) >= MEGABYTE,
    );
    child.kill('SIGKILL');
    assert.deepEqual(await exit, [null, 'SIGKILL'], 'the import ended before it could be killed');
    assert.deepEqual(await look(), before);

    await writeFile(file, JSON.stringify(acme([shift('2026-12-02', { id: 2 })])));
    const { code, stderr } = await shiftfeed(['import', file], { databaseUrl: url });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      (await look()).shifts.map(({ id }) => id),
      [1, 2],
    );
  });

if (isLong)
  test('on PostgreSQL, an import that is killed half-way changes nothing, and the next one works', async (t) => {
    const { url, run, look } = await database(t, 'postgres');
    await run(BEFORE);
    const before = await look();
    // Somebody else holds the last shift, so that the import writes everything else and then waits.
    const other = new Client(url);
    await other.connect();
    await other.query('BEGIN; UPDATE shiftfeed.shifts SET starred = starred WHERE id = 1');

    const file = join(await newFolder(t), 'plan.json');
    await writeFile(
      file,
      JSON.stringify(acme([...LARGE_SHIFTS.slice(1), { id: 1, starred: true }], CHANGES)),
    );
    const child = start(['import', file], { databaseUrl: url });
    t.after(() => {
      child.kill('SIGKILL');
    });
    const exit = once(child, 'exit');
    const backends = await watchBackends(t, url);
    await until(
      'it waits, or has ended',
      async () => child.exitCode !== null || (await backends.waiting()) > 0,
    );
    child.kill('SIGKILL');
    assert.deepEqual(await exit, [null, 'SIGKILL'], 'the import ended before it could be killed');
    await other.query('ROLLBACK');
    await other.end();
    assert.deepEqual(await look(), before);

    const { code, stderr } = await shiftfeed(['import', file], { databaseUrl: url });
    assert.equal(code, 0, stderr);
    assert.equal((await look()).count, LARGE_SHIFTS.length);
  });

/** Opened for each look at it, as a new process would, so that SQLite has to recover what was left behind. */
async function database(context: TestContext, kind: DatabaseKind = 'sqlite') {
  const url = await newStoreUrl(context, kind);

  async function withStore<T>(work: (store: StoreWithFeed) => Promise<T>): Promise<T> {
    const store = await openWithFeed(url);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  return {
    url,
    path: url.replace(/^sqlite:/, ''),
    run: (document: object) =>
      withStore((store) => importDocument(store, document, { replace: false, dryRun: false })),
    /** What requests see of the account: its state, how many shifts it has, and the first few of them. */
    look: () =>
      withStore(async (store) => {
        const shifts: { id: number }[] = [];
        const state = await store.read('acme', async (transaction) => {
          for (const { month } of transaction.state.months)
            shifts.push(...(await transaction.shifts({ month, days: ALL_DAYS })));
          return transaction.state;
        });
        return { state, count: shifts.length, shifts: shifts.slice(0, 3) };
      }),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
