/** Large imports into SQLite, which are written in parts. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { explain } from '../../src/store/sqlite/explain.ts';
import { importStore } from '../../src/store/sqlite/import.ts';
import { beginLongWrite, goFirst } from '../../src/store/sqlite/right-of-way.ts';
import { importer } from '../import/importer.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { until } from '../support/until.ts';

/** One more than are written at a time. */
const MANY = 5_001;
const many = (over: object = {}) =>
  Array.from({ length: MANY }, (_, i) => shift('2026-12-01', { id: i + 1, ...over }));

for (const [name, shifts] of [
  ['shifts that are compared all at once', many({ group_id: 2 })],
  ['shifts that are compared one by one', many({ group_id: 2 }).map(({ id }) => ({ id, group_id: 2 }))],
] as const)
  test(`a group that another program removes after the comparison is noticed by ${name}`, async (t) => {
    const { path, load, contents } = await sqlite(t);
    await load(acme(many()));
    const program = new DatabaseSync(path);
    t.after(() => program.close());
    program.exec("INSERT INTO groups (account_id, id, name) VALUES (1, 2, 'Bar')");
    const before = await contents();
    await assert.rejects(
      load({ account: ACME, shifts }, () => program.exec('DELETE FROM groups WHERE id = 2')),
      {
        kind: 'refused',
        message:
          'A shift refers to group 2, which another program has removed meanwhile: nothing was imported, try again.',
      },
    );
    assert.deepEqual(await contents(), { ...before, groups: before.groups - 1 });
  });

test('so it is by the first import of all', async (t) => {
  const { path, load, contents } = await sqlite(t);
  const program = new DatabaseSync(path);
  t.after(() => program.close());
  program.exec("INSERT INTO groups (account_id, id, name) VALUES (1, 2, 'Bar')");
  const before = await contents();
  await assert.rejects(
    load({ account: ACME, shifts: many({ group_id: 2 }) }, () => program.exec('DELETE FROM groups')),
    { kind: 'refused', message: /^A shift refers to group 2, which another program has removed meanwhile/ },
  );
  assert.deepEqual(await contents(), { ...before, groups: 0 });
});

test('what another program broke before does not stop a large import of something else', async (t) => {
  const { database, load } = await sqlite(t);
  await load(acme([shift('2026-12-01', { id: MANY + 1 })]));
  database.exec('PRAGMA foreign_keys = OFF; UPDATE shifts SET person_id = 9; PRAGMA foreign_keys = ON');
  assert.equal((await load(acme(many()))).tables.shifts.added, MANY);
});

test('rows of another program that go with a shift do so in a large import, too', async (t) => {
  const { database, load } = await sqlite(t);
  await load(acme([shift('2026-12-01', { id: MANY + 1 })]));
  database.exec(`CREATE TABLE notes (account_id, shift_id, FOREIGN KEY (account_id, shift_id)
    REFERENCES shifts (account_id, id) ON DELETE CASCADE); INSERT INTO notes VALUES (1, ${MANY + 1})`);
  assert.equal((await load(acme(many()), undefined, true)).tables.shifts.removed, 1);
  assert.deepEqual(database.prepare('SELECT * FROM notes').all(), []);
});

test('shifts in any order, new, changed and moved, become what the document says', async (t) => {
  const { load, records, stamped } = await sqlite(t);
  const day = (i: number) => `2026-${i % 2 === 0 ? '12' : '11'}-${String((i % 28) + 1).padStart(2, '0')}`;
  const shuffled = Array.from({ length: MANY }, (_, i) => (i * 1_009) % MANY);
  const first = shuffled.map((i) => shift(day(i), { id: i + 1, remarks: 'kept' }));
  await load(acme(first));
  assert.deepEqual(
    (await records('shifts')).map(({ id, date }) => [id, date]),
    shuffled.toSorted((a, b) => a - b).map((i) => [i + 1, day(i)]),
  );
  assert.deepEqual(
    stamped().map(({ month }) => month),
    ['2026-11', '2026-12'],
  );

  const { remarks: _, ...bare } = shift('2027-01-01');
  const second = shuffled.map((i) => ({ ...bare, id: i + 2 }));
  const summary = await load(acme(second));
  assert.deepEqual(summary.tables.shifts, { added: 1, changed: MANY - 1, removed: 0, unchanged: 0 });
  assert.deepEqual(
    (await records('shifts')).filter(({ date }) => date !== '2027-01-01').map(({ id }) => id),
    [1],
  );
  assert.equal((await records('shifts')).filter(({ remarks }) => remarks === 'kept').length, MANY);

  const before = stamped();
  assert.equal((await load(acme(second))).tables.shifts.unchanged, MANY);
  assert.deepEqual(stamped(), before);
});

test('an import that fails gives its space back, even where the log cannot be emptied', async (t) => {
  const { path, database, load, contents } = await sqlite(t);
  const reader = new DatabaseSync(path, { readOnly: true });
  t.after(() => reader.close());
  // Whoever reads an older state keeps the log from being emptied, as a full disk does.
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM shifts').get();
  await load(acme([shift('2026-12-01', { id: MANY + 1 })]));
  const before = [statSync(`${path}-wal`).size, await contents()];
  database.exec(`PRAGMA cache_size = 100;
    CREATE TEMP TRIGGER full BEFORE INSERT ON shifts WHEN NEW.id = ${MANY} BEGIN SELECT RAISE(ABORT, 'full'); END`);
  await assert.rejects(load(acme(many({ remarks: 'x'.repeat(1_000) }))), /full/);
  assert.deepEqual([statSync(`${path}-wal`).size, await contents()], before);
  reader.exec('COMMIT');
  database.exec('DROP TRIGGER full');
  await load(acme(many()));
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  assert.equal((await contents()).shifts, MANY + 1);
});

test('whoever was let go first asks no longer once it has written', async (t) => {
  const { path, database } = await sqlite(t);
  const short = new DatabaseSync(path);
  t.after(() => short.close());
  const long = beginLongWrite(path);
  t.after(() => long?.end());
  database.exec('BEGIN IMMEDIATE');
  const written = goFirst(short, path, () => short.exec("UPDATE accounts SET name = 'Other'"));
  await until('it asks', () => long?.isAskedForWay() === true);
  database.exec('ROLLBACK');
  await written;
  assert.equal(long?.isAskedForWay(), false);
});

/** A connection of its own, on which an account is imported. */
async function sqlite(context: TestContext) {
  const { url, run, contents, records } = await importer(context);
  await run(acme([]));
  const path = url.slice('sqlite:'.length);
  const database = connect(path, 'existing');
  context.after(() => database.close());

  async function load(document: object, afterComparison?: () => void, replace = false) {
    let isCompared = false;
    try {
      return await importDocument(importStore(database, path), document, {
        replace,
        dryRun: false,
        onProgress({ step, done, total }) {
          if (step !== 'compared' || done !== total || isCompared) return;
          isCompared = true;
          afterComparison?.();
        },
      });
    } catch (error) {
      throw explain(path, error);
    }
  }

  const stamped = () => database.prepare('SELECT month, revision FROM months ORDER BY month').all();
  return { path, database, load, stamped, contents, records };
}
