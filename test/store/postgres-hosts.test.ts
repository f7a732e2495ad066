/** URLs with several hosts, of which some are away. Lines to the one server of the tests stand for its hosts. */

import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { Client } from 'pg';
import { openStore } from '../../src/store/open.ts';
import { makeClient } from '../../src/store/postgres/client.ts';
import { type Connection, connect, SERVER_CONNECTION } from '../../src/store/postgres/connection.ts';
import { type PostgresUrl, parsePostgresUrl } from '../../src/store/postgres/database-url.ts';
import { chooseHosts, type HostsOptions } from '../../src/store/postgres/hosts.ts';
import { newDatabaseUrl, newStoreUrl, postgresProgram } from '../support/database.ts';
import { startLine } from '../support/line.ts';
import { listen } from '../support/listening.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const NOWHERE = '127.0.0.1:1';
const PORT_OF_SERVER = { text: 'SELECT to_json(inet_server_port())', values: [] };
const PATIENT = { ...SERVER_CONNECTION, connectMs: LIMIT_MS, questionMs: LIMIT_MS };

describe('The URL of a PostgreSQL database', () => {
  const names: [url: string, name: string, hosts: unknown[]][] = [
    ['postgres://h/d', 'h/d', ['h', undefined]],
    ['postgres://h:6432/d?sslmode=disable', 'h:6432/d', ['h', 6432]],
    ['postgresql://u:p@h:6432/d', 'h:6432/d', ['h', 6432]],
    ['postgres://u:p@a:1,b:2/d', 'a:1,b:2/d', ['a', 1, 'b', 2]],
    ['postgres://u:p,q@a,b:2,c/d', 'a,b:2,c/d', ['a', undefined, 'b', 2, 'c', undefined]],
    [
      'postgres://u:p@[::1]:5432,[2001:db8::2]/d',
      '[::1]:5432,[2001:db8::2]/d',
      ['::1', 5432, '2001:db8::2', undefined],
    ],
    ['postgres://u:p@/d?host=/cloudsql/p:r:i', '/cloudsql/p:r:i/d', ['/cloudsql/p:r:i', undefined]],
    ['postgres://u:p@localhost/d?host=/run/postgresql', '/run/postgresql/d', ['/run/postgresql', undefined]],
    ['postgres://u:p@%2Frun%2Fpostgresql/d', '/run/postgresql/d', ['/run/postgresql', undefined]],
    ['postgres:///d?host=a,b&port=7', 'a:7,b:7/d', ['a', 7, 'b', 7]],
    ['postgres:///d?host=a,b&port=7,8', 'a:7,b:8/d', ['a', 7, 'b', 8]],
    ['postgres://u:p@h', 'h', ['h', undefined]],
    ['postgres:///d', '/d', [undefined, undefined]],
    ['postgres://u:p@h/a%20b', 'h/a b', ['h', undefined]],
  ];
  for (const [url, name, expected] of names) {
    test(`${url} is called ${name}`, () => {
      const { hosts, ...parsed } = parsePostgresUrl(url);
      assert.equal(parsed.name, name);
      assert.deepEqual(
        hosts.flatMap(({ host, port }) => [host, port]),
        expected,
      );
    });
  }

  test('has a user and a password with any sign in it', () => {
    const { user, password, hosts } = parsePostgresUrl('postgres://a%40b:1:2%2F3@4,%25@h1,h2/d');
    assert.deepEqual([user, password, hosts.length], ['a@b', '1:2/3@4,%', 2]);
    assert.equal(parsePostgresUrl('postgres://u:p@h/d?user=v').user, 'v');
  });

  test('asks for the primary if it has several hosts, and for any server if it has one', () => {
    const wanted = (url: string) => parsePostgresUrl(url).wanted;
    assert.equal(wanted('postgres://h/d'), 'any');
    assert.equal(wanted('postgres://a,b/d'), 'primary');
    assert.equal(wanted('postgres://a,b/d?target_session_attrs=any'), 'any');
    assert.equal(wanted('postgres://h/d?target_session_attrs=read-write'), 'read-write');
  });

  test('has a time limit in seconds, of which 0 means none', () => {
    const limits = ['connect_timeout=5', 'connect_timeout=0', ''].map(
      (query) => parsePostgresUrl(`postgres://h/d?${query}`).connectMs,
    );
    assert.deepEqual(limits, [5_000, undefined, undefined]);
  });

  const verified = { verifies: 'all', isDirect: false, bindsChannel: false };
  const noFiles = { authority: undefined, certificate: undefined, key: undefined };
  const tls: [query: string, expected: unknown][] = [
    ['', undefined],
    ['sslmode=disable', 'off'],
    ['ssl=false', 'off'],
    ['sslmode=require', { ...noFiles, ...verified }],
    [
      'sslmode=verify-ca&sslrootcert=/ca',
      { ...noFiles, ...verified, verifies: 'authority', authority: '/ca' },
    ],
    ['sslmode=verify-full&sslrootcert=system', { ...noFiles, ...verified }],
    ['ssl=true&sslmode=require', { ...noFiles, ...verified }],
    ['sslmode=no-verify', { ...noFiles, ...verified, verifies: 'nothing' }],
    ['sslmode=require&channel_binding=require', { ...noFiles, ...verified, bindsChannel: true }],
    ['sslrootcert=/ca.pem', { ...noFiles, ...verified, authority: '/ca.pem' }],
    ['sslcert=/c&sslkey=/k&sslmode=verify-full', { ...noFiles, ...verified, certificate: '/c', key: '/k' }],
    ['sslnegotiation=direct', { ...noFiles, ...verified, isDirect: true }],
  ];
  for (const [query, expected] of tls) {
    test(`with ${query || 'nothing about TLS'} means ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parsePostgresUrl(`postgres://u:p@h/d?${query}`).tls, expected);
    });
  }
});

describe('The parameters of a URL', () => {
  test('reach the server', async (t) => {
    const url = await newDatabaseUrl(t, 'postgres');
    const connection = connected(t, `${url}?application_name=rota%20A&options=-c%20work_mem%3D8MB`);
    const text = "SELECT current_setting('application_name') AS name, current_setting('work_mem') AS memory";
    assert.deepEqual(await connection.ask({ text }), [{ name: 'rota A', memory: '8MB' }]);
  });

  test('can make connecting give up earlier', async (t) => {
    const mute = await startMute(t);
    await assert.rejects(
      connected(t, `postgres://u:p@${mute.host}/d?connect_timeout=1`).ask({ text: 'SELECT 1' }),
      { kind: 'unavailable', message: `The database ${mute.host}/d cannot be reached: it does not answer.` },
    );
  });
});

describe('Of several hosts', { concurrency: 4 }, () => {
  test('one where nobody listens is passed over, by questions and by commands', async (t) => {
    const url = listOf(await newDatabaseUrl(t, 'postgres'), [NOWHERE, 'server']);
    assert.equal((await connected(t, url).askForJson(PORT_OF_SERVER)).length, 1);
    const store = await openStore(url, { missing: 'create' });
    t.after(() => store.close());
    assert.deepEqual(await store.accounts(), []);
  });

  test('one that accepts connections and never answers is looked at once, and not by each connection', async (t) => {
    const mute = await startMute(t);
    const url = listOf(await newDatabaseUrl(t, 'postgres'), [mute.host, 'server']);
    const connection = connected(t, url);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => connection.askForJson(PORT_OF_SERVER)),
    );
    assert.equal(new Set(answers.flat()).size, 1);
    assert.equal(mute.connections(), 1);
  });

  test('the one that is used can be cut off, and even the question that was under way is answered', async (t) => {
    const direct = await newDatabaseUrl(t, 'postgres');
    const lines = [await startLine(t, direct), await startLine(t, direct)];
    const hosts = lines.map(({ url }) => new URL(url).host);
    const connection = connected(t, listOf(direct, hosts, 'target_session_attrs=any'));
    for (const line of [...lines, ...lines]) {
      // A question can be moved once, so the last cut must have been noticed before.
      await connection.askForJson(PORT_OF_SERVER);
      const asked = connection.askForJson({ text: 'SELECT to_json(pg_sleep(0.2) IS NULL)', values: [] });
      await connection.askForJson(PORT_OF_SERVER);
      await line.cut();
      assert.deepEqual(await asked, [false]);
      await line.mend();
    }
  });

  test('the one that is used can be cut off in the middle of a read, which is not begun again: it may have been printed', async (t) => {
    const direct = await newDatabaseUrl(t, 'postgres');
    const line = await startLine(t, direct);
    const connection = connected(t, listOf(direct, [new URL(line.url).host, NOWHERE]));
    let reads = 0;
    const reading = connection.reading(async (ask) => {
      reads++;
      await ask({ text: 'SELECT 1' });
      await line.cut();
      return ask({ text: 'SELECT 2 AS two' });
    });
    await assert.rejects(reading, /cannot be reached/);
    assert.equal(reads, 1);
    await line.mend();
    assert.deepEqual(await connection.ask({ text: 'SELECT 2 AS two' }), [{ two: 2 }]);
  });

  test('the one that is used can fall silent, and the next question is answered by another', async (t) => {
    const direct = await newDatabaseUrl(t, 'postgres');
    const [first, second] = [await startLine(t, direct), await startLine(t, direct)];
    const url = listOf(direct, [new URL(first.url).host, new URL(second.url).host]);
    const connection = connect(url, { ...PATIENT, questionMs: 2_000, connectMs: 2_000 });
    t.after(() => connection.close());
    await connection.askForJson(PORT_OF_SERVER);
    first.freeze();
    // A busy machine may take longer than such a short limit.
    await assert.doesNotReject(
      connection.askForJson(PORT_OF_SERVER).catch(() => connection.askForJson(PORT_OF_SERVER)),
    );
  });

  test('none that is as wanted is a sentence that says why of each, without the password', async (t) => {
    const direct = await newDatabaseUrl(t, 'postgres');
    const { host, pathname } = new URL(direct);
    const sentences: [string, string][] = [
      ['standby', 'is a standby'],
      ['read-only', 'is read-only'],
    ];
    for (const [wanted, what] of sentences) {
      const connection = connected(t, listOf(direct, [NOWHERE, 'server'], `target_session_attrs=${wanted}`));
      await assert.rejects(connection.askForJson(PORT_OF_SERVER), {
        kind: 'unavailable',
        message:
          `No host of the database ${NOWHERE},${host}${pathname} ${what} at the moment ` +
          `(${NOWHERE}: nobody listens there (ECONNREFUSED); ${host}: it is the primary).`,
      });
    }
  });

  test('all that let nobody in with this password are an end, and not worth another try', async (t) => {
    const direct = new URL(await newDatabaseUrl(t, 'postgres'));
    direct.password = 'wrong';
    await assert.rejects(openStore(listOf(direct.href, ['server', 'server']), { missing: 'fail' }), {
      kind: 'locked-out',
      message: `The database ${direct.host},${direct.host}${direct.pathname} refused the password, or there is no such user: check the URL.`,
    });
  });

  test('the primary is read where a standby is preferred and none is there', async (t) => {
    const url = listOf(
      await newDatabaseUrl(t, 'postgres'),
      [NOWHERE, 'server'],
      'target_session_attrs=prefer-standby',
    );
    const answer = await connected(t, url).askForJson({
      text: 'SELECT to_json(pg_is_in_recovery())',
      values: [],
    });
    assert.deepEqual(answer, [false]);
  });

  test('one is drawn for load_balance_hosts=random, for all connections of a process', async (t) => {
    const direct = await newDatabaseUrl(t, 'postgres');
    const busy = { text: 'SELECT to_json(pg_sleep(0.1) IS NULL)', values: [] };
    let isFirst = true;
    // What is drawn depends on the ports, which are others in each round.
    for (let round = 0; round < 30 && isFirst; round++) {
      const lines = await Promise.all(Array.from({ length: 3 }, () => startLine(t, direct)));
      const hosts = lines.map(({ url }) => new URL(url).host);
      const connection = connect(listOf(direct, hosts, 'load_balance_hosts=random'), PATIENT);
      const asked = Array.from({ length: 4 }, () => connection.askForJson(busy));
      await until('all connections are there', () => lines.some((line) => line.connections() === 4));
      isFirst = lines[0]?.connections() === 4;
      await Promise.all(asked);
      await connection.close();
    }
    assert.equal(isFirst, false);
  });
});

describe('The host that is chosen', () => {
  test('is another one when it has failed, although it still answers those who look at it', async (t) => {
    const url = parsePostgresUrl(listOf(await newDatabaseUrl(t, 'postgres'), ['server', 'server', 'server']));
    const { hosts, watch } = watched();
    const chosen = hosts(t, url, (host) => watch(makeClient(url, host, PATIENT_LOOK)));
    const used: number[] = [];
    for (const hasFailed of [false, true, true, true]) {
      const choice = await chosen.current();
      used.push(url.hosts.indexOf(choice.host));
      chosen.forget(choice, hasFailed);
    }
    assert.deepEqual(used, [0, 0, 1, 2]);
  });

  test('is a standby again only when that has all that was read meanwhile', async (t) => {
    let passedMs = 0;
    t.mock.method(performance, 'now', () => passedMs);
    // Two databases of one server stand for a standby and a primary.
    const [standby, primary] = await Promise.all([newStoreUrl(t, 'postgres'), newStoreUrl(t, 'postgres')]);
    const behind = await postgresProgram(t, standby);
    await behind.query(
      `CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean RETURN true;
       ALTER DATABASE ${new URL(standby).pathname.slice(1)} SET search_path = public, pg_catalog`,
    );
    for (const program of [behind, await postgresProgram(t, primary)]) {
      await program.query("INSERT INTO accounts (slug, name, time_zone) VALUES ('a', 'A', 'UTC')");
      await program.query('UPDATE accounts SET revision = 1000');
    }
    const list = `postgres://standby,primary/d?target_session_attrs=prefer-standby`;
    const { hosts, watch, areAllOver } = watched();
    let isAway = true;
    const chosen = hosts(t, parsePostgresUrl(list), ({ label }) => {
      const database = label === 'standby' ? standby : primary;
      const url = parsePostgresUrl(label === 'standby' && isAway ? `postgres://${NOWHERE}/d` : database);
      return watch(makeClient(url, url.hosts[0], PATIENT_LOOK));
    });
    /** Which one is used after the next look for a better one. */
    const used = async (afterMs: number) => {
      passedMs += afterMs;
      await chosen.current();
      await until('nobody looks any more', areAllOver);
      return (await chosen.current()).host.label;
    };
    assert.equal(await used(0), 'primary');
    isAway = false;
    await behind.query('UPDATE accounts SET revision = 999');
    assert.equal(await used(6_000), 'primary');
    await behind.query('UPDATE accounts SET revision = 1000');
    assert.equal(await used(1_000), 'primary', 'it is not looked at all the time');
    assert.equal(await used(2_000), 'standby');
  });
});

const PATIENT_LOOK = { connectMs: LIMIT_MS, answerMs: LIMIT_MS };

/** Chooses hosts without impatience, which would depend on how busy the machine is, and knows who looks at them. */
function watched() {
  const looking = new Set<Client>();
  return {
    hosts(t: TestContext, url: PostgresUrl, open: HostsOptions['open']) {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      return chooseHosts({ url, open, failoverMs: 0 });
    },
    watch(client: Client) {
      looking.add(client);
      return client.once('end', () => looking.delete(client));
    },
    areAllOver: () => looking.size === 0,
  };
}

/** The same database on these hosts; `server` stands for the one that it is on. */
function listOf(databaseUrl: string, hosts: readonly string[], query = ''): string {
  const { username, password, host, pathname } = new URL(databaseUrl);
  const list = hosts.map((name) => (name === 'server' ? host : name)).join();
  return `postgres://${username}:${password}@${list}${pathname}${query && `?${query}`}`;
}

function connected(context: TestContext, url: string): Connection {
  const connection = connect(url, PATIENT);
  context.after(() => connection.close());
  return connection;
}

/** Accepts connections and never says a word. */
async function startMute(context: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  const port = await listen(context, server);
  context.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { host: `127.0.0.1:${port}`, connections: () => sockets.size };
}
