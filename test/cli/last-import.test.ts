/** When the last import into an account succeeded, in `account show`. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { watchBackends } from '../support/backends.ts';
import { command } from '../support/command.ts';
import {
  DATABASES,
  type DatabaseKind,
  newFolder,
  newStoreUrl,
  postgresProgram,
} from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const PLAN = acme([shift('2026-12-01')]);
/** An instant that no import of today has. */
const LONG_AGO = 86_400_000;

for (const kind of DATABASES) {
  test(`the last import is shown, on ${kind}`, async (t) => {
    const { run, execute, importOf, shown } = await database(t, kind);
    const forget = () => execute(`UPDATE imports SET succeeded_at = ${LONG_AGO}`);

    assert.equal((await importOf(PLAN)).code, 0);
    const first = await shown();
    assert.match(first.text, /^\d{4}-\d\d-\d\dT\d\d:\d\dZ, (just now|\d+ minutes? ago)$/);

    await forget();
    const long = await shown();
    assert.match(long.text, /^1970-01-02T00:00Z, \d+ days ago$/);
    assert.equal(long.json, '1970-01-02T00:00:00.000Z');

    const flawed = acme([shift('2026-12-01', { group_id: 404 })]);
    assert.equal((await importOf(PLAN, '--dry-run')).code, 0);
    assert.equal((await importOf(flawed)).code, 1, 'failed');
    assert.equal((await importOf(acme([]), '--replace')).code, 1, 'refused');
    assert.equal((await shown()).json, long.json);

    const { revision } = first;
    const { stdout } = await importOf(PLAN);
    assert.match(stdout, /^shifts +0 +0 +0 +1$/m);
    const again = await shown();
    assert.equal(again.revision, revision);
    assert.ok(Date.parse(again.json) > LONG_AGO);

    await run('account', 'create', 'harbour');
    assert.deepEqual(await shown('harbour'), { text: 'never', json: null, revision: 0 });
    await run('account', 'rename', 'acme', 'acme-north');
    assert.equal((await shown('acme-north')).json, again.json);
    await run('account', 'remove', 'acme-north', '--yes');
    assert.equal((await run('account', 'show', 'acme-north')).code, 1);
  });
}

test('a dry run of a plan that was imported before does not write to a SQLite file', async (t) => {
  const { url, importOf } = await database(t, 'sqlite');
  await importOf(PLAN);
  const reader = new DatabaseSync(pathOf(url), { readOnly: true });
  t.after(() => reader.close());
  const version = () => reader.prepare('PRAGMA data_version').get()?.data_version;
  const before = version();
  await importOf(PLAN, '--dry-run');
  assert.equal(version(), before);
  await importOf(PLAN);
  assert.notEqual(version(), before);
});

for (const kind of DATABASES) {
  test(`a database of an older Shiftfeed is brought up to date by an import, on ${kind}`, async (t) => {
    const { run, execute, importOf, shown } = await database(t, kind);
    await importOf(PLAN);
    await execute(OLDER[kind]);
    assert.match((await run('account', 'show', 'acme')).stderr, /was written by an older Shiftfeed/);
    await run('account', 'set', 'acme', '--name', 'Acme Ltd');
    assert.equal((await shown()).json, null);
    await importOf(PLAN);
    assert.notEqual((await shown()).json, null);
    assert.equal((await run('doctor')).code, 0);
  });
}

test('a service goes on while a newer Shiftfeed waits to bring PostgreSQL up to date', async (t) => {
  const service = await startService(t, { now: '2026-11-15T12:00:00Z', database: 'postgres' });
  await service.import(PLAN);
  const token = await service.token('acme');
  const writer = await postgresProgram(t, service.databaseUrl);
  await writer.query(OLDER.postgres);
  await writer.query("BEGIN; UPDATE accounts SET name = 'Acme Ltd'");
  const backends = await watchBackends(t, service.databaseUrl);
  const opened = openStore(service.databaseUrl, { missing: 'fail' });
  await backends.whenWaiting(1);
  assert.equal((await service.list('acme', '', token)).shifts.length, 1);
  await writer.query('COMMIT');
  await (await opened).close();
  assert.equal((await service.list('acme', '', token)).shifts.length, 1);
});

/** Makes the database one that knows nothing of imports. */
const OLDER: Readonly<Record<DatabaseKind, string>> = {
  sqlite: 'DROP TABLE imports; PRAGMA user_version = 2',
  postgres: 'DROP TABLE imports; UPDATE schema_version SET version = 1',
};

const pathOf = (url: string) => url.slice('sqlite:'.length);

async function database(t: TestContext, kind: DatabaseKind) {
  const url = await newStoreUrl(t, kind);
  const folder = await newFolder(t);
  await (await openStore(url, { missing: 'create' })).close();
  const run = (...args: string[]) => command(url, ...args);
  return {
    url,
    run,
    ...(await program(t, url, kind)),
    async importOf(document: object, ...options: string[]) {
      const file = join(folder, 'plan.json');
      await writeFile(file, JSON.stringify(document));
      return run('import', file, ...options);
    },
    async shown(slug = 'acme') {
      const { stdout } = await run('account', 'show', slug);
      const { last_imported_at, revision } = JSON.parse(
        (await run('account', 'show', slug, '--json')).stdout,
      );
      return { text: /^last import {2}(.*)$/m.exec(stdout)?.[1] ?? '', json: last_imported_at, revision };
    },
  };
}

/** Another program that writes to the database. */
async function program(t: TestContext, url: string, kind: DatabaseKind) {
  if (kind === 'postgres') {
    const client = await postgresProgram(t, url);
    return { execute: async (sql: string) => void (await client.query(sql)) };
  }
  const database = new DatabaseSync(pathOf(url));
  t.after(() => database.close());
  return { execute: async (sql: string) => database.exec(sql) };
}
