/** A primary and a standby by one URL that names both, while they change their roles. */

import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { type Connection, connect, SERVER_CONNECTION } from '../../src/store/postgres/connection.ts';
import { killAll } from '../../torture/away/outages.ts';
import { query as queryAt } from '../../torture/away/promotion.ts';
import { openScene, type Scene } from '../../torture/away/scene.ts';
import { startServer } from '../support/cli.ts';
import { acme, shift } from '../support/document.ts';
import { listenTo } from '../support/event-stream.ts';
import { addToken } from '../support/filled-database.ts';
import { skipsWithout } from '../support/installed.ts';
import { startLine } from '../support/line.ts';
import { startPooler } from '../support/pooler.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { childrenOf } from '../support/processes.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const PATIENT = { ...SERVER_CONNECTION, connectMs: LIMIT_MS, questionMs: LIMIT_MS };
const IS_STANDBY = { name: 'is-standby', text: 'SELECT to_json(pg_is_in_recovery())', values: [] };

describe('Of a primary and its standby', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  before(async () => {
    primary = await startPostgres();
    await inStore(primary.url);
    standby = await primary.startStandby();
  });
  after(async () => {
    await standby.remove();
    await primary.remove();
  });
  const open = (t: TestContext, wanted: string, order: readonly Named[] = [standby, primary]): Connection => {
    const connection = connect(listOf(order, `target_session_attrs=${wanted}`), PATIENT);
    t.after(() => connection.close());
    return connection;
  };
  const usesStandby = async (connection: Connection) => (await connection.askForJson(IS_STANDBY))[0];

  const roles: [wanted: string, isStandby: boolean][] = [
    ['standby', true],
    ['read-only', true],
    ['primary', false],
    ['read-write', false],
  ];
  for (const [wanted, isStandby] of roles) {
    test(`target_session_attrs=${wanted} reads the ${isStandby ? 'standby' : 'primary'}`, async (t) => {
      const connection = open(t, wanted);
      assert.equal(await usesStandby(connection), isStandby);
      const text = 'SELECT pg_is_in_recovery() AS "isStandby"';
      assert.deepEqual(await connection.reading((ask) => ask({ text })), [{ isStandby }]);
      assert.deepEqual(await connection.ask({ text }), [{ isStandby }]);
    });
  }

  test('a list without target_session_attrs is written to and read at the primary, wherever that stands', async () => {
    for (const order of [
      [standby, primary],
      [primary, standby],
    ])
      await inStore(listOf(order));
  });

  test('a list for --read-database is of replicas, unless it says more', async (t) => {
    const args = ['--read-database', listOf([standby, standby])];
    const server = await startServer(t, args, { databaseUrl: primary.url });
    await until('it is ready', async () => (await fetch(`${server.url}/readyz`)).status === 200);
  });

  test('streams of a server that reads the standby tell what is written to the primary', async (t) => {
    const store = await openStore(primary.url, { missing: 'create' });
    const { token } = await addToken(store).finally(() => store.close());
    const server = await startServer(t, ['--read-database', standby.url], { databaseUrl: primary.url });
    const url = `${server.url}/acme/api/v1/shifts?years=2027`;
    // It may not have arrived yet.
    await until('the standby knows the token', async () => {
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return status === 200;
    });
    const stream = await listenTo(url, token);
    const before = await stream.event(1);
    await inStore(primary.url, 'changed');
    assert.notEqual(await stream.event(2), before);
    stream.leave();
  });

  test('a primary that becomes read-only is left with the next question, whatever kind it is of', async (t) => {
    const works: ((connection: Connection) => Promise<unknown>)[] = [
      ({ askForJson }) => askForJson(IS_STANDBY),
      ({ ask }) => ask({ text: 'SELECT 1' }),
      ({ reading }) => reading((ask) => ask({ text: 'SELECT 1' })),
      ({ writing }) => writing((client) => client.query('SELECT 1')),
    ];
    const connections = works.map(() => open(t, 'read-write'));
    for (const [i, work] of works.entries()) await work(connections[i] as Connection);
    await setReadOnly(primary, 'on');
    for (const [i, work] of works.entries())
      await assert.rejects(
        work(connections[i] as Connection),
        /can be written to .*it is a standby.*it is read-only/,
      );
    await setReadOnly(primary, 'off');
    for (const [i, work] of works.entries()) await work(connections[i] as Connection);
  });

  test('a pooler that leads to the standby all of a sudden is noticed, although its connections stay', async (t) => {
    if (skipsWithout(t, ['pgbouncer', '--version'])) return;
    const line = await startLine(t, primary.url);
    const pooler = await startPooler(t, line.url);
    const connection = connect(`${pooler}?target_session_attrs=primary`, PATIENT);
    t.after(() => connection.close());
    const isAnswered = () =>
      connection.askForJson(IS_STANDBY).then(
        (answer) => assert.deepEqual(answer, [false]) ?? true,
        () => false,
      );
    assert.equal(await isAnswered(), true);
    line.leadTo(standby.url);
    await assert.rejects(connection.askForJson(IS_STANDBY), { kind: 'unavailable' });
    await until('the standby is known', () =>
      connection.askForJson(IS_STANDBY).then(
        () => assert.fail('a standby was asked'),
        ({ message }) => /it is a standby, and its URL has target_session_attrs=primary/.test(message),
      ),
    );
    line.leadTo(primary.url);
    await until('the primary is asked again', isAnswered);
  });

  test('where a standby is preferred, the primary takes its place, until it is back and has everything', async (t) => {
    let passedMs = 0;
    const { now } = performance;
    t.mock.method(performance, 'now', () => now.call(performance) + passedMs);
    const line = await startLine(t, standby.url);
    const connection = open(t, 'prefer-standby', [line, primary]);
    // On a busy machine, the primary may answer so much sooner that the standby is not waited for.
    await until('the standby is used', async () => {
      passedMs += 6_000;
      return (await usesStandby(connection)) === true;
    });
    await killAll(standby);
    assert.equal(await usesStandby(connection), false);
    await standby.restart();
    await query(standby, 'SELECT pg_wal_replay_pause()');
    await inStore(primary.url, 'a change that the standby lacks');
    // More than between two looks for a standby.
    passedMs += 6_000;
    const opened = line.opened();
    assert.equal(await usesStandby(connection), false);
    // The first connection looks at it, the second asks what it has.
    await until('it was asked', () => line.opened() >= opened + 2 && line.connections() === 0);
    assert.equal(await usesStandby(connection), false);
    await query(standby, 'SELECT pg_wal_replay_resume()');
    await until('the standby is used again', async () => {
      passedMs += 3_000;
      return (await usesStandby(connection)) === true;
    });
  });

  test('under load, a primary is killed and its standby promoted: the server finds it, and so does a command that waits', async (t) => {
    await query(primary, 'ALTER ROLE shiftfeed SET synchronous_commit = remote_apply');
    await query(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await query(primary, 'SELECT pg_reload_conf()');
    const strict = open(t, 'standby');
    assert.equal(await usesStandby(strict), true);
    const list = listOf([primary, standby]);
    const scene = await openScene(t, list);
    for (let i = 0; i < 3; i++) {
      await scene.change();
      // On a busy machine, PostgreSQL may answer too late for a while.
      await until('the change is shown', async () => (await scene.ask()).status === 200);
    }
    await killAll(primary);
    await query(standby, "ALTER SYSTEM SET synchronous_standby_names = ''");
    assert.equal((await askOften(scene)).has(200), false);
    // It does not find a primary yet.
    const changing = scene.change();
    await query(standby, 'SELECT pg_promote()');
    await query(standby, 'SELECT pg_reload_conf()');
    await changing;
    await until('the new primary is read', async () => (await scene.ask()).status === 200);
    await assert.rejects(usesStandby(strict), /No host .* is a standby .*it is the primary/);
    await hang(t, standby);
  });
});

/** A primary hangs, and takes connections all the same. Its standby takes its place. */
async function hang(t: TestContext, primary: PostgresServer): Promise<void> {
  const standby = await primary.startStandby();
  t.after(() => standby.remove());
  const scene = await openScene(t, listOf([primary, standby]));
  await until('pages are shown', async () => (await scene.ask()).status === 200);
  const [position] = await query(primary, 'SELECT pg_current_wal_lsn() AS lsn');
  await until('the standby has everything', async () => {
    const [row] = await query(standby, `SELECT pg_last_wal_replay_lsn() >= '${position?.lsn}' AS "isThere"`);
    return row?.isThere;
  });
  const pids = [primary.pid(), ...childrenOf(primary.pid())];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  t.after(() => pids.forEach((pid) => void process.kill(pid, 'SIGCONT')));
  assert.deepEqual(await askOften(scene), new Set([503]));
  await query(standby, 'SELECT pg_promote()');
  await until('the new primary is read', async () => (await scene.ask()).status === 200);
  await scene.change();
  await until('the change is shown', async () => (await scene.ask()).status === 200);
}

async function askOften(scene: Scene): Promise<Set<number>> {
  const answers = await Promise.all(Array.from({ length: 10 }, () => scene.ask()));
  return new Set(answers.map(({ status }) => status));
}

async function inStore(url: string, remarks = ''): Promise<void> {
  const store = await openStore(url, { missing: 'create' });
  try {
    const document = acme([shift('2027-01-01', { id: 1, remarks })]);
    await importDocument(store, document, { replace: false, dryRun: false });
  } finally {
    await store.close();
  }
}

async function setReadOnly(server: PostgresServer, value: 'on' | 'off'): Promise<void> {
  const url = `${server.url}?options=-c%20default_transaction_read_only%3Doff`;
  await queryAt(url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await queryAt(url, 'SELECT pg_reload_conf()');
  await until('it is told to everybody', async () => {
    const [row] = await query(server, 'SHOW default_transaction_read_only');
    return row?.default_transaction_read_only === value;
  });
}

function query({ url }: PostgresServer, statement: string) {
  return queryAt(url, statement);
}

type Named = Pick<PostgresServer, 'url'>;

function listOf(servers: readonly Named[], parameters = ''): string {
  const { username, password, pathname } = new URL(servers[0]?.url ?? '');
  const hosts = servers.map(({ url }) => new URL(url).host).join();
  return `postgres://${username}:${password}@${hosts}${pathname}${parameters && `?${parameters}`}`;
}
