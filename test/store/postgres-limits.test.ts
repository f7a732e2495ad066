/**
 * What is given up here ends on the server, too: a backend that waits for a lock would stay for as long as the lock
 * does.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { StoreFailure } from '../../src/store/failure.ts';
import {
  COMMAND_CONNECTION,
  type Connection,
  type ConnectionOptions,
  connect,
  SERVER_CONNECTION,
} from '../../src/store/postgres/connection.ts';
import { watchBackends } from '../support/backends.ts';
import { newDatabaseUrl, onServer, postgresClient } from '../support/database.ts';
import { startLine } from '../support/line.ts';
import { LIMIT_MS, until } from '../support/until.ts';

/** A guard against waiting for ever, not a measurement. */
const PATIENCE_MS = 15_000;
const COUNT = { name: 'count', text: 'SELECT count(*)::int AS count FROM things' };
const COUNT_AS_JSON = { name: 'count-as-json', text: 'SELECT to_json(count(*)) FROM things', values: [] };

const uses: [string, ConnectionOptions][] = [
  ['server', SERVER_CONNECTION],
  ['command', COMMAND_CONNECTION],
];
for (const [who, use] of uses) {
  describe(`The connection of a ${who}`, () => {
    const works: [string, Partial<ConnectionOptions>, (connection: Connection) => Promise<unknown>][] = [
      ['question', { questionMs: 500 }, ({ ask }) => ask(COUNT)],
      ['question for JSON', { questionMs: 500 }, ({ askForJson }) => askForJson(COUNT_AS_JSON)],
      ['read', { lockMs: 500 }, ({ reading }) => reading((ask) => ask(COUNT))],
      ['slow read', { statementMs: 500 }, ({ reading }) => reading((ask) => ask(COUNT))],
      [
        'write',
        { statementMs: 500 },
        ({ writing }) =>
          writing(async (client) => {
            await client.query('DELETE FROM things');
            return true;
          }),
      ],
    ];
    for (const [what, limits, work] of works) {
      test(`gives up a ${what} on a locked table, leaves nobody waiting on the server, and works again afterwards`, async (context) => {
        const { connection, unlock, backends } = await withLockedTable(context, { ...use, ...limits });
        for (let round = 0; round < 2; round++) {
          await assert.rejects(work(connection), StoreFailure);
          await backends.whenWaiting(0);
        }
        await unlock();
        // On a busy machine, even an easy question may take longer than such a short limit.
        await until('it works', () => work(connection).then(() => true, notYet));
      });
    }

    test('has only its stated number of connections on the server, however many questions wait', async (context) => {
      const { connection, unlock, backends } = await withLockedTable(context, {
        ...use,
        connectMs: 2_000,
        questionMs: 60_000,
      });
      const asked = Array.from({ length: 20 }, () => connection.ask(COUNT).catch((error: unknown) => error));
      await backends.whenWaiting(4);
      await Promise.race(asked);
      assert.equal(await backends.waiting(), 4);
      await unlock();
      const answers = await Promise.all(asked);
      for (const answer of answers) {
        if (answer instanceof Error) assert.match(answer.message, /All connections .* are in use/);
        else assert.deepEqual(answer, [{ count: 0 }]);
      }
    });
  });
}

test('a server without a free connection is told as such, and used again once it has one', async (context) => {
  const url = new URL(await newDatabaseUrl(context, 'postgres'));
  const administrator = await postgresClient(context, url.href);
  const role = `role_${randomBytes(8).toString('hex')}`;
  await administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1`);
  context.after(() => onServer(`DROP ROLE ${role}`));
  url.username = role;
  const other = new Client(url.href);
  await other.connect();
  const connection = connect(url.href, SERVER_CONNECTION);
  context.after(() => connection.close());
  const ask = () => connection.ask({ text: 'SELECT 1 AS one' });
  await assert.rejects(ask(), /cannot be used at the moment: too many connections for role/);
  await other.end();
  await until('there is room', () => ask().then(() => true, notYet));
  assert.deepEqual(await ask(), [{ one: 1 }]);
});

test('questions whose line is cut while they wait for a lock end on the server by themselves', async (context) => {
  const { url, backends } = await withLockedTable(context, SERVER_CONNECTION);
  const line = await startLine(context, url);
  const connection = connect(line.url, { ...SERVER_CONNECTION, questionMs: 5_000 });
  context.after(() => connection.close());
  const asked = [connection.ask(COUNT), connection.askForJson(COUNT_AS_JSON)].map((question) =>
    assert.rejects(question, /cannot be reached/),
  );
  await backends.whenWaiting(2);
  await line.cut();
  await Promise.all(asked);
  await backends.whenWaiting(0);
});

test('a question for JSON leaves no setting behind on its connection', async (context) => {
  const connection = connect(await newDatabaseUrl(context, 'postgres'), SERVER_CONNECTION);
  context.after(() => connection.close());
  const text =
    "SELECT to_json(array[current_setting('statement_timeout'), current_setting('plan_cache_mode')])";
  assert.deepEqual(await connection.askForJson({ text, values: [] }), [['1s', 'force_generic_plan']]);
  const afterwards = await connection.reading((ask) => ask({ text: 'SHOW plan_cache_mode' }));
  assert.deepEqual(afterwards, [{ plan_cache_mode: 'auto' }]);
});

test('a connection that is busy is closed soon, also when the server is no longer heard of', async (context) => {
  const { url, backends } = await withLockedTable(context, SERVER_CONNECTION);
  const line = await startLine(context, url);
  const connection = connect(line.url, { ...SERVER_CONNECTION, lockMs: 60_000, statementMs: 60_000 });
  const reading = assert.rejects(
    connection.reading((ask) => ask(COUNT)),
    /cannot be reached/,
  );
  await backends.whenWaiting(1);
  line.freeze();
  await soon(connection.close());
  await reading;
});

test('a process whose connections are idle ends soon, also when the server is no longer heard of', async (context) => {
  const line = await startLine(context, await newDatabaseUrl(context, 'postgres'));
  const script = `
    const { openStore } = await import(${JSON.stringify(new URL('../../src/store/open.ts', import.meta.url).href)});
    const store = await openStore(${JSON.stringify(line.url)}, { missing: 'create' });
    process.stdout.write('opened');
    process.stdin.once('data', () => { process.stdin.destroy(); store.close(); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  line.freeze();
  child.stdin.write('close');
  assert.deepEqual(await soon(once(child, 'exit')), [0, null]);
});

test('statements are prepared again after the type of a column was altered, on every connection', async (context) => {
  for (const [, use] of uses) {
    const url = await newDatabaseUrl(context, 'postgres');
    const administrator = await postgresClient(context, url);
    await administrator.query("CREATE TABLE things (name text); INSERT INTO things VALUES ('x')");
    // On a busy machine, sixteen that share four connections may wait for longer than a server would.
    const connection = connect(url, { ...use, connectMs: LIMIT_MS, questionMs: LIMIT_MS });
    context.after(() => connection.close());
    const names = { name: 'names', text: 'SELECT name FROM things' };
    const askAll = () =>
      Promise.all([
        ...Array.from({ length: 8 }, () => connection.ask(names)),
        ...Array.from({ length: 8 }, () => connection.reading((ask) => ask(names))),
      ]);
    const expected = Array(16).fill([{ name: 'x' }]);
    assert.deepEqual(await askAll(), expected);
    for (const type of ['varchar(50)', 'text', 'varchar(50)']) {
      await administrator.query(`ALTER TABLE things ALTER COLUMN name TYPE ${type}`);
      assert.deepEqual(await askAll(), expected);
      assert.deepEqual(await askAll(), expected);
    }
  }
});

async function withLockedTable(context: TestContext, use: ConnectionOptions) {
  const url = await newDatabaseUrl(context, 'postgres');
  const locker: Client = await postgresClient(context, url);
  await locker.query('CREATE TABLE things (name text)');
  await locker.query('BEGIN; LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
  const connection = connect(url, use);
  context.after(() => connection.close());
  return {
    url,
    connection,
    backends: await watchBackends(context, url),
    unlock: () => locker.query('ROLLBACK'),
  };
}

/** Throws what is more than that the server was too slow or too busy. */
function notYet(error: unknown): false {
  if (error instanceof StoreFailure && error.kind !== 'refused') return false;
  throw error;
}

async function soon<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const guard = setTimeout(() => reject(new Error('it takes too long')), PATIENCE_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(guard));
}
