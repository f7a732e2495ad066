/** What the metrics of a service tell of its database. */

import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import packageInfo from '../../package.json' with { type: 'json' };
import { startServer } from '../support/cli-in-process.ts';
import { pathOf, postgresClient, postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { startLine } from '../support/line.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const PLAN = acme([shift('2026-12-01')]);

test('the metrics of a service on PostgreSQL', async (t) => {
  const { databaseUrl, token } = await filledDatabase(t, PLAN, 'postgres');
  const program = await postgresProgram(t, databaseUrl);
  const observer = await postgresProgram(t, databaseUrl);
  const { rows: start } = await observer.query('SELECT clock_timestamp()::text AS at');
  const line = await startLine(t, databaseUrl);
  const { url, metrics } = await startWithMetrics(t, line.url, ...often([], ['--workers', '2']));
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const get = async () => (await fetch(`${url}/acme/api/v1/shifts`, { headers })).status;

  await t.test('tell which connections are in use', async () => {
    await program.query('BEGIN; LOCK TABLE shifts');
    const answers: Promise<number>[] = [];
    await until('a load has one', async () => {
      answers.push(get());
      const told = await metrics();
      return (told['shiftfeed_database_connections{pool="loads",state="used"}'] ?? 0) > 0;
    });
    await program.query('ROLLBACK');
    await Promise.all(answers);
  });

  await t.test('tell of as many connections, over all pools and workers, as PostgreSQL has', async () => {
    for (let i = 0; i < 4; i++) await until('there is an answer', async () => (await get()) === 200);
    await until('both count the same', async () => {
      const counted = Object.entries(await metrics())
        .filter(([name]) => name.startsWith('shiftfeed_database_connections'))
        .reduce((sum, [, count]) => sum + (count ?? 0), 0);
      const { rows } = await observer.query(
        `SELECT count(*)::int AS held FROM pg_stat_activity
        WHERE application_name = 'shiftfeed' AND datname = current_database() AND backend_start > $1`,
        [start[0].at],
      );
      return counted === rows[0].held;
    });
  });

  await t.test('tell that the database is away, since when, and everything else', async () => {
    const before = await metrics();
    assert.equal(before[UP], 1);
    assert.equal(before.shiftfeed_database_schema_version, neededSchema(before));
    await line.cut();
    const away = await metrics();
    assert.equal(away[UP], 0);
    assert.ok(Number(away[UP_CHANGED]) > Number(before[UP_CHANGED]));
    assert.equal(away.shiftfeed_database_schema_version, undefined);
    assert.ok(Number(away.shiftfeed_freshness_queries_total) > 0);
    assert.equal((await metrics())[UP_CHANGED], away[UP_CHANGED], 'still since then');
    await line.mend();
    await until('it is back', async () => (await metrics())[UP] === 1);
  });

  await t.test('do not wait for a database that hangs', async () => {
    line.freeze();
    assert.equal((await metrics())[UP], 0);
    await line.mend();
  });
});

test('the metrics of a service on SQLite tell that its file is gone, and when it is back', async (t) => {
  const { databaseUrl } = await filledDatabase(t, PLAN);
  const { metrics } = await startWithMetrics(t, databaseUrl);
  const path = pathOf(databaseUrl);
  const whole = await metrics();
  assert.equal(whole[UP], 1);
  assert.equal(whole.shiftfeed_database_schema_version, neededSchema(whole));
  assert.equal(whole.shiftfeed_database_lag_seconds, undefined, 'it is no replica');
  await rename(path, `${path}.away`);
  assert.equal((await metrics())[UP], 0);
  await rename(`${path}.away`, path);
  assert.equal((await metrics())[UP], 1);
});

if (isLong)
  test('the metrics tell by how much a replica is behind, also when it is cut off from its primary', async (t) => {
    const primary = await startPostgres();
    t.after(() => primary.remove());
    const standby = await primary.startStandby();
    t.after(() => standby.remove());
    const args = ['--read-database', standby.url];
    const { metrics } = await startWithMetrics(t, primary.url, ...args);
    const lag = async () => (await metrics()).shiftfeed_database_lag_seconds;
    const writer = await postgresClient(t, primary.url);
    const replica = await postgresClient(t, standby.url);
    const AGE =
      'SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS age';
    const age = async () => (await replica.query(AGE)).rows[0].age;

    await until('an idle replica is up to date, however old its last commit is', async () => {
      return (await age()) > 0.5 && (await lag()) === 0;
    });

    await replica.query('SELECT pg_wal_replay_pause()');
    await writer.query('CREATE TABLE changed ()');
    await until('a replica that applies nothing is behind', async () => Number(await lag()) > 0.5);
    await replica.query('SELECT pg_wal_replay_resume()');
    await until('it catches up', async () => (await lag()) === 0);

    process.kill(primary.pid(), 'SIGINT');
    await until('a replica without its primary is as old as its last commit', async () => {
      const least = await age();
      return Number(await lag()) >= least;
    });

    process.kill(standby.pid(), 'SIGINT');
    await until('it is gone', async () => (await metrics())[UP] === 0);
    await standby.restart();
    await until(
      'a replica that starts without its primary does not count as up to date',
      async () => Number(await lag()) > 0,
    );
  });

const UP = 'shiftfeed_database_up';
const UP_CHANGED = 'shiftfeed_database_up_changed_timestamp_seconds';

/** Starts a service. `metrics` reads them, each with its labels. */
async function startWithMetrics(t: TestContext, databaseUrl: string, ...args: string[]) {
  const server = await startServer(t, ['--admin-port', '0', ...args], { databaseUrl });
  const metricsUrl = /http:\S+/.exec(await server.nextLine())?.[0] ?? '';
  const metrics = async (): Promise<Record<string, number | undefined>> => {
    const text = await (await fetch(metricsUrl)).text();
    const lines = [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name = '', value]) => [name, Number(value)]));
  };
  return { url: server.url, metrics };
}

/** What the version that runs says of itself. */
function neededSchema(metrics: object): number {
  const labels = `version="${packageInfo.version}",schema="(\\d+)",node="${process.versions.node}"`;
  const build = new RegExp(`^shiftfeed_build_info\\{${labels}\\}$`);
  const [needed] = Object.keys(metrics).flatMap((name) => build.exec(name)?.[1] ?? []);
  return Number(needed);
}
