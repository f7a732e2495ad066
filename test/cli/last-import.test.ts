/** When the last import into an account succeeded: in `account show`, and as a metric. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openServerStore, openStore } from '../../src/store/open.ts';
import { command, startServer } from '../support/cli-in-process.ts';
import {
  DATABASES,
  type DatabaseKind,
  newFolder,
  newStoreUrl,
  pathOf,
  postgresProgram,
} from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const PLAN = acme([shift('2026-12-01')]);
/** An instant that no import of today has. */
const LONG_AGO = 86_400_000;

const DATABASES_AND_WORKERS = [
  ['sqlite'],
  ['sqlite', '--workers', '2'],
  ['postgres', '--workers', '2'],
] as const;
for (const [kind, ...workers] of DATABASES_AND_WORKERS.slice(0, often(1, 3))) {
  test(`the last import is shown and is a metric, on ${[kind, ...workers].join(' ')}`, async (t) => {
    const { url, run, execute, importOf, shown } = await database(t, kind);
    const { metrics } = await startMetrics(t, url, workers);
    // On a busy machine, PostgreSQL may answer too late now and then.
    const whenTold = (seconds: object) =>
      until(`${JSON.stringify(seconds)} is told`, async () => isDeepStrictEqual(await metrics(), seconds));
    const forget = () => execute(`UPDATE imports SET succeeded_at = ${LONG_AGO}`);

    assert.equal((await importOf(PLAN)).code, 0);
    const first = await shown();
    assert.match(first.text, /^\d{4}-\d\d-\d\dT\d\d:\d\dZ, (just now|\d+ minutes? ago)$/);
    await whenTold({ acme: Date.parse(first.json) / 1000 });

    await forget();
    const long = await shown();
    assert.match(long.text, /^1970-01-02T00:00Z, \d+ days ago$/);
    assert.equal(long.json, '1970-01-02T00:00:00.000Z');
    await whenTold({ acme: 86_400 });

    const flawed = acme([shift('2026-12-01', { group_id: 404 })]);
    assert.equal((await importOf(PLAN, '--dry-run')).code, 0);
    assert.equal((await importOf(flawed)).code, 1, 'failed');
    assert.equal((await importOf(acme([]), '--replace')).code, 1, 'refused');
    await whenTold({ acme: 86_400 });

    const { revision } = first;
    const { stdout } = await importOf(PLAN);
    assert.match(stdout, /^shifts +0 +0 +0 +1$/m);
    const again = await shown();
    assert.equal(again.revision, revision);
    assert.ok(Date.parse(again.json) > LONG_AGO);
    await whenTold({ acme: Date.parse(again.json) / 1000 });

    await run('account', 'create', 'harbour');
    assert.deepEqual(await shown('harbour'), { text: 'never', json: null, revision: 0 });
    await run('account', 'rename', 'acme', 'acme-north');
    await whenTold({ 'acme-north': Date.parse(again.json) / 1000 });
    await run('account', 'remove', 'acme-north', '--yes');
    await whenTold({});
  });
}

for (const kind of DATABASES.slice(0, often(1, 2))) {
  test(`while ${kind} does not answer, the other metrics are told, and the log says what is missing`, async (t) => {
    const { databaseUrl } = await filledDatabase(t, PLAN, kind);
    const { execute } = await program(t, databaseUrl, kind);
    const { metrics, log } = await startMetrics(t, databaseUrl);
    await until('it is told', async () => 'acme' in (await metrics()));
    const [breakIt, mendIt] =
      kind === 'postgres'
        ? ['BEGIN; LOCK TABLE imports', 'ROLLBACK']
        : ['ALTER TABLE imports RENAME TO hidden', 'ALTER TABLE hidden RENAME TO imports'];
    await execute(breakIt);
    assert.deepEqual(await metrics(), {});
    await until('it is logged', () =>
      /^\{"level":"warn",.*"msg":"The last imports are missing from the metrics: /m.test(log()),
    );
    await execute(mendIt);
    await until('it is told again', async () => 'acme' in (await metrics()));
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

for (const kind of DATABASES.slice(0, often(1, 2))) {
  test(`of more accounts than are told, those whose import is the longest ago are, on ${kind}`, async (t) => {
    const { databaseUrl: url } = await filledDatabase(t, PLAN, kind);
    const { execute } = await program(t, url, kind);
    await execute(`INSERT INTO accounts (slug, name) VALUES ('b', 'B'), ('c', 'C'), ('d', 'D');
      INSERT INTO imports SELECT id, 1000 * id FROM accounts WHERE slug IN ('b', 'd')`);
    const imports = await openServerStore(url);
    t.after(() => imports.close());
    const slugs = async (most: number) => (await imports.lastImports(most)).map(({ slug }) => slug);
    assert.deepEqual(await slugs(2), ['b', 'd']);
    assert.deepEqual(await slugs(10), ['b', 'd', 'acme']);
  });
}

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

/** Starts a server, and returns what reads the seconds of each account from its metrics. */
async function startMetrics(t: TestContext, databaseUrl: string, args: readonly string[] = []) {
  const server = await startServer(t, ['--admin-port', '0', ...args], { databaseUrl });
  const metricsUrl = /http:\S+/.exec(await server.nextLine())?.[0] ?? '';
  const metrics = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(metricsUrl)).text();
    assert.match(text, /^shiftfeed_freshness_queries_total /m);
    assert.match(text, /^shiftfeed_database_up 1$/m);
    const lines = [...text.matchAll(/^shiftfeed_last_import_timestamp_seconds\{account="(.*)"\} (.*)$/gm)];
    const seconds = Object.fromEntries(lines.map(([, account = '', value]) => [account, Number(value)]));
    assert.equal(Object.keys(seconds).length, lines.length, 'each account once');
    return seconds;
  };
  return { metrics, log: server.complaints };
}
