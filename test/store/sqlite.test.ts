import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Day, parseDate, parseMonth } from '@shiftfeed/common/days';
import { importDocument } from '../../src/import/import.ts';
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import type { RowFilter } from '../../src/listing/filter.ts';
import { shiftsOfDays } from '../../src/store/days.ts';
import type { DayCounts } from '../../src/store/feed-store.ts';
import { openReader, openStore } from '../../src/store/open.ts';
import { DIALECT } from '../../src/store/sqlite/database.ts';
import { newDatabaseUrl, newFolder, openWithFeed } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { stampedAfter, toldState } from '../support/told-state.ts';

const HASH = 'a'.repeat(64);

const pathOf = (url: string) => url.slice('sqlite:'.length);

/** What both databases do alike is in every-column.test.ts. */
const statements: [string, string, string[]][] = [
  [
    'INSERT OR REPLACE that moves a shift stamps the month that it leaves, too',
    `INSERT OR REPLACE INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     VALUES (1, 1, '2027-05-05', '09:00', '17:00', '2027-05-05', 1, '2026-01-01')`,
    ['2026-12', '2027-05'],
  ],
  [
    'INSERT OR REPLACE of a group stamps the months of its shifts',
    `INSERT OR REPLACE INTO groups (account_id, id, name) VALUES (1, 1, 'Galley')`,
    ['2026-12', '2027-01'],
  ],
  [
    'UPDATE OR REPLACE that takes the id of another shift stamps the month of the other one, too',
    'UPDATE OR REPLACE shifts SET id = 2 WHERE id = 1',
    ['2026-12', '2027-01'],
  ],
  [
    'INSERT OR IGNORE of a shift that is known stamps nothing',
    `INSERT OR IGNORE INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     VALUES (1, 1, '2027-05-05', '09:00', '17:00', '2027-05-05', 1, '2026-01-01')`,
    [],
  ],
  [
    'INSERT OR IGNORE stamps the months of the shifts that are new, and no others',
    `INSERT OR IGNORE INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     SELECT 1, value, '2027-05-05', '09:00', '17:00', '2027-05-05', 1, '2026-01-01' FROM json_each('[1, 3, 2]')`,
    ['2027-05'],
  ],
  [
    'INSERT OR REPLACE of several shifts stamps the month of each that it moves',
    `INSERT OR REPLACE INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     SELECT 1, value, '2027-05-05', '09:00', '17:00', '2027-05-05', 1, '2026-01-01' FROM json_each('[1, 3, 2]')`,
    ['2026-12', '2027-01', '2027-05'],
  ],
  [
    'INSERT … ON CONFLICT DO UPDATE that moves a shift stamps both months',
    `INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     VALUES (1, 1, '2027-05-05', '09:00', '17:00', '2027-05-05', 1, '2026-01-01')
     ON CONFLICT (account_id, id) DO UPDATE SET date = excluded.date, end_date = excluded.end_date`,
    ['2026-12', '2027-05'],
  ],
  [
    'UPDATE OR IGNORE that may not take the id of another shift stamps nothing',
    'UPDATE OR IGNORE shifts SET id = 2 WHERE id = 1',
    [],
  ],
  [
    'INSERT OR IGNORE of a group that is known stamps nothing',
    `INSERT OR IGNORE INTO groups VALUES (1, 1, 'Bar', 1, 0)`,
    [],
  ],
  [
    'a group whose id changes under deferred foreign keys stamps the months of both ids',
    `BEGIN; PRAGMA defer_foreign_keys = ON;
     UPDATE groups SET id = 9 WHERE id = 1; UPDATE groups SET id = 1 WHERE id = 9; COMMIT`,
    ['2026-12', '2027-01'],
  ],
  [
    'a group that is deleted with foreign keys off stamps the months of its shifts',
    'PRAGMA foreign_keys = OFF; DELETE FROM groups',
    ['2026-12', '2027-01'],
  ],
];
for (const [sentence, sql, expected] of statements) {
  test(`by another program: ${sentence}`, async (context) => {
    const url = await newDatabaseUrl(context);
    const store = await openWithFeed(url);
    context.after(() => store.close());
    const document = acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]);
    await importDocument(store, document, { replace: false, dryRun: false });
    const account = await store.findAccount('acme');
    assert.ok(account);
    const { revision } = await store.describeAccount(account.id);
    await store.addToken({ accountId: account.id, hash: HASH, label: '', createdAtMs: 0, expiresAtMs: null });

    const program = new DatabaseSync(pathOf(url));
    program.exec(sql);
    program.close();

    const after = await store.describeAccount(account.id);
    assert.equal(after.revision > revision, expected.length > 0, 'the revision');
    assert.deepEqual(stampedAfter(await toldState(store, HASH), revision), expected);
  });
}

for (const [table, noun] of [
  ['groups', 'group'],
  ['locations', 'location'],
  ['people', 'person'],
] as const) {
  test(`whoever renames or removes one of the ${table} never reads all shifts of the account`, async (context) => {
    const url = await newDatabaseUrl(context);
    const store = await openWithFeed(url);
    context.after(() => store.close());
    using program = new DatabaseSync(pathOf(url));
    program.exec('PRAGMA foreign_keys = ON');
    const readOfShifts = (statement: string) =>
      program
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => String(detail))
        .filter((detail) => /\bshifts\b/.test(detail));
    const index = `shifts_of_${noun} (account_id=? AND ${noun}_id=?`;

    const trigger = program.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(`${table}_updated`);
    const [, select = ''] = /INSERT INTO changes (SELECT .*);/s.exec(String(trigger?.sql)) ?? [];
    const [month = '', ...others] = readOfShifts(select.replaceAll(/(OLD|NEW)\.\w+/g, '1'));
    assert.deepEqual(others, []);
    assert.ok(month.endsWith(`${index} AND date>? AND date<?)`), month);

    const [check = '', ...more] = readOfShifts(`DELETE FROM ${table} WHERE account_id = 1 AND id = 1`);
    assert.deepEqual(more, []);
    assert.ok(check.endsWith(`${index})`), check);
  });
}

test('a month is read in the order of its days, and not group after group', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openWithFeed(url);
  context.after(() => store.close());
  using program = new DatabaseSync(pathOf(url));
  const [first] = program.prepare(`EXPLAIN QUERY PLAN ${shiftsOfDays(DIALECT)}`).all();
  assert.match(String(first?.detail), /shifts USING PRIMARY KEY \(account_id=\? AND date>\? AND date<\?\)$/);
});

test('with foreign keys off, what is counted is what is listed', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openWithFeed(url);
  context.after(() => store.close());
  const document = acme([1, 2, 3, 4, 5].map((id) => shift('2026-12-01', { id })));
  await importDocument(store, document, { replace: false, dryRun: false });
  const month = parseMonth('2026-12');
  const today = parseDate('2026-12-01') as Day;

  async function countedAndListed(rows: RowFilter) {
    const ids: number[] = [];
    let counts: DayCounts | undefined;
    await store.read('acme', async ({ countDays, shifts }) => {
      [counts] = await countDays([{ month, rows, today }]);
      for (const { id, location } of await shifts({ month, days: ALL_DAYS })) {
        if (rows.locationIds === undefined || (location && rows.locationIds.has(location.id))) ids.push(id);
      }
    });
    return { rows: counts?.rows, matching: counts?.matching[0], ids };
  }

  const everything = { includeUnpublished: true, groupIds: undefined, locationIds: undefined };
  assert.deepEqual(await countedAndListed(everything), { rows: 5, matching: 5, ids: [1, 2, 3, 4, 5] });
  const program = new DatabaseSync(pathOf(url));
  program.exec(`PRAGMA foreign_keys = OFF; INSERT INTO groups (account_id, id, name, active) VALUES (1, 7, 'Bar', 0);
    UPDATE shifts SET group_id = 99, location_id = 5 WHERE id = 1; UPDATE shifts SET group_id = 7 WHERE id = 2;
    UPDATE shifts SET location_id = 98 WHERE id = 3`);
  program.close();
  assert.deepEqual(await countedAndListed(everything), { rows: 3, matching: 3, ids: [3, 4, 5] });
  assert.deepEqual(await countedAndListed({ ...everything, locationIds: new Set([98]) }), {
    rows: 3,
    matching: 0,
    ids: [],
  });
});

test('an account that another program deletes takes everything of it along', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, acme([shift('2026-12-01')]), { replace: false, dryRun: false });
  const program = new DatabaseSync(pathOf(url));
  program.exec("DELETE FROM accounts WHERE slug = 'acme'");
  for (const table of ['groups', 'shifts', 'months']) {
    assert.equal(program.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n, 0, table);
  }
  program.close();
  assert.equal(await store.findAccount('acme'), undefined);
});

test('a new database is for nobody but its owner', async (context) => {
  const url = await newDatabaseUrl(context);
  await (await openStore(url, { missing: 'create' })).close();
  assert.equal((await stat(pathOf(url))).mode & 0o777, 0o600);
});

test('instants and revisions that a number cannot hold are refused', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, acme([]), { replace: false, dryRun: false });
  const program = new DatabaseSync(pathOf(url));
  context.after(() => program.close());
  const never = '9223372036854775807';
  for (const statement of [
    `INSERT INTO tokens (account_id, hash, created_at, expires_at) VALUES (1, '${HASH}', 0, ${never})`,
    `INSERT INTO tokens (account_id, hash, created_at) VALUES (1, '${HASH}', ${never})`,
    `UPDATE accounts SET revision = ${never}`,
  ]) {
    assert.throws(() => program.exec(statement), /CHECK constraint failed/);
  }
});

test('a connection that only reads repeats its answers, and never past a change that another one made', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  const reader = await openReader(url);
  context.after(async () => Promise.all([store.close(), reader.close()]));
  const held = { accountId: 1, history: '', revision: 1 };
  const questions = [
    { tokenHash: HASH, slug: 'acme', held: undefined },
    { tokenHash: HASH, slug: 'acme', held },
    { tokenHash: '', slug: 'acme', held },
    { tokenHash: HASH, slug: 'none', held: undefined },
  ];
  const save = (document: object) => importDocument(store, document, { replace: false, dryRun: false });
  const changes = [
    () => save(acme([shift('2026-12-01', { id: 1 })])),
    () => store.addToken({ accountId: 1, hash: HASH, label: '', createdAtMs: 0, expiresAtMs: 5 }),
    () => save(acme([shift('2027-01-01', { id: 1 })])),
    () => store.revokeToken(1, 7),
    () => save({ account: { slug: 'acme', premium: false } }),
  ];
  for (const change of changes) {
    await change();
    const another = await openReader(url);
    const fresh = await another.freshness(questions, 1);
    await another.close();
    const first = await reader.freshness(questions, 1);
    assert.deepEqual(first, fresh);
    assert.deepEqual(await reader.freshness(questions.toReversed(), 1), first.toReversed());
    // Only the last question of each token is remembered.
    for (const question of questions.slice(0, 3)) {
      const [once] = await reader.freshness([question], 1);
      assert.equal((await reader.freshness([question], 1))[0], once);
    }
  }
});

test('processes that make the same new databases at the same moments all find them made', async (context) => {
  const folder = await newFolder(context);
  const script = `
    const { openStore } = await import(${JSON.stringify(new URL('../../src/store/open.ts', import.meta.url).href)});
    process.stdin.on('data', async (name) => {
      const made = openStore('sqlite:' + name, { missing: 'create' }).then((store) => store.close());
      process.stdout.write(await made.then(() => 'made', (error) => error.message));
    });
    process.stdout.write('ready');`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  context.after(() => {
    for (const child of children) child.kill();
  });
  const answers = () => Promise.all(children.map(async ({ stdout }) => `${(await once(stdout, 'data'))[0]}`));
  assert.deepEqual(await answers(), Array(4).fill('ready'));
  for (let round = 0; round < 40; round++) {
    for (const child of children) child.stdin.write(join(folder, `${round}.db`));
    assert.deepEqual(await answers(), Array(4).fill('made'));
  }
});

test('a path that cannot even be looked at is told to a server in a sentence', async (context) => {
  const path = join(await newFolder(context), 'loop.db');
  await symlink(path, path);
  await assert.rejects(openReader(`sqlite:${path}`), {
    name: 'StoreFailure',
    message: `The database ${path} cannot be opened: ELOOP.`,
  });
});

const KEPT = { answers: '[]', usedAtMs: 1 };

test('a write that waits for another process keeps nothing else of its own process waiting', async (context) => {
  const databaseUrl = await newDatabaseUrl(context);
  const store = await openStore(databaseUrl, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, acme([]), { replace: false, dryRun: false });
  const other = new DatabaseSync(pathOf(databaseUrl));
  context.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const writes = [
    store.saveDeskLayout(1, 'list', KEPT),
    store.change('groups', 1, 1, { name: 'Galley' }),
    store.renameAccount(1, 'acme-north'),
  ];
  // Nobody but this process can end the other transaction.
  setImmediate(() => other.exec('ROLLBACK'));
  await Promise.all(writes);
  assert.deepEqual(await store.deskLayout(1, 'list'), KEPT);
  assert.equal((await store.findAccount('acme-north'))?.id, 1);
});

test('a write beside a transaction that is rolled back is kept, and nobody reads what is not committed', async (context) => {
  const databaseUrl = await newDatabaseUrl(context);
  const store = await openStore(databaseUrl, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, acme([]), { replace: false, dryRun: false });
  const saved = Promise.withResolvers<void>();
  const rolledBack = store.write(async (transaction) => {
    const account = await transaction.lockAccount('acme');
    assert.ok(account);
    await transaction.saveAccount({ ...account, name: 'Never' });
    saved.resolve();
    await new Promise(setImmediate);
    return false;
  });
  await saved.promise;
  const [, , account] = await Promise.all([
    rolledBack,
    store.saveDeskLayout(1, 'list', KEPT),
    store.findAccount('acme'),
  ]);
  assert.notEqual(account?.name, 'Never');
  assert.deepEqual(await store.deskLayout(1, 'list'), KEPT);
});

test('whoever reads a long list gives everybody else a turn, again and again', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  const people = Array.from({ length: 200 }, (_, i) => ({ id: i + 1, name: `Person ${i}` }));
  const options = { replace: false, dryRun: false };
  await importDocument(store, { account: { slug: 'acme' }, people }, options);
  // However fast the machine is, each row takes a millisecond.
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs++);
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  assert.equal((await store.list('people', 1)).length, people.length);
  clearImmediate(next);
  assert.ok(turns >= 50, `others had ${turns} turns`);
});
