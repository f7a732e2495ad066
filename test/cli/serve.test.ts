import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ListingBody } from '../../src/http/listing/response.ts';
import { importer } from '../import/importer.ts';
import { environment, exitOf, shiftfeed, startServer as startProcess, whenReady } from '../support/cli.ts';
import {
  command,
  shiftfeed as shiftfeedInProcess,
  startHere,
  startServer,
} from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder, postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { startLine } from '../support/line.ts';
import { isListening, listen } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const SIGNALS = often<NodeJS.Signals[]>(['SIGTERM'], ['SIGTERM', 'SIGINT']);

describe('serve', () => {
  test('tells its URL in its first line, its database, and that there is no account; ends in spite of an open connection', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    // An option wins over the environment.
    const env = { HOST: '192.0.2.1', PORT: 'no port' };
    const server = await startProcess(t, ['--host', '127.0.0.1'], { databaseUrl, env });
    assert.match(server.lines[0] ?? '', /^Shiftfeed listens on http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await server.nextLine(), `The database is ${databaseUrl.replace('sqlite:', '')}`);
    assert.match(await server.nextLine(), /^There is no account yet: /);
    const { stdout } = await command(databaseUrl, 'account', 'list', '--json');
    assert.deepEqual(JSON.parse(stdout), []);
    // fetch keeps its connection for the next request.
    assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
    assert.deepEqual(await exitOf(server.child), [0, null]);
  });

  test('takes its address, port and databases from the environment, and tells nothing of a password', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const { databaseUrl: readUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]), 'postgres');
    const env = { HOST: '0.0.0.0', PORT: '0', SHIFTFEED_READ_DATABASE: readUrl };
    const server = await startHere(t, ['serve'], { databaseUrl, env });
    assert.match(server.url, /^http:\/\/0\.0\.0\.0:\d+$/);
    const { host, pathname, password } = new URL(readUrl);
    assert.notEqual(password, '');
    assert.equal(
      await server.nextLine(),
      `The database is ${databaseUrl.replace('sqlite:', '')}, and shifts are read from ${host}${pathname}`,
    );
    const { shifts } = await list(`${server.url}/acme/api/v1/shifts?day=2026-12-01`, token);
    assert.equal(shifts.length, 1);
  });

  for (const workers of often(['1'], ['1', '2'])) {
    test(`on localhost, it is reached by every address that localhost has, with ${workers} workers`, async (t) => {
      const args = ['--host', 'localhost', '--workers', workers];
      const server = await startServer(t, args, { databaseUrl: await newDatabaseUrl(t) });
      const { port } = new URL(server.url);
      const found = await lookup('localhost', { all: true });
      for (const { address, family } of found) {
        const host = family === 6 ? `[${address}]` : address;
        assert.equal((await fetch(`http://${host}:${port}/healthz`)).status, 200, host);
      }
      assert.deepEqual(await exitOf(server.child), [0, null]);
    });
  }

  test('says once that accounts are listed without the database, and once that it is back', async (t) => {
    const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]), 'postgres');
    const line = await startLine(t, databaseUrl);
    const server = await startServer(t, ['--stale-if-error', '600'], { databaseUrl: line.url });
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}/acme/api/v1/shifts?day=2026-12-01`, { headers });
      await response.text();
      return response.status === 200 && (response.headers.has('shiftfeed-stale') ? 'stale' : 'fresh');
    };
    // On a busy machine, PostgreSQL may answer too late for a while.
    await until('the account is listed', async () => (await ask()) === 'fresh');
    const before = server.complaints().length;
    await line.cut();
    assert.deepEqual([await ask(), await ask()], ['stale', 'stale']);
    await line.mend();
    await until('the database answers again', async () => (await ask()) === 'fresh');
    await exitOf(server.child, 'SIGTERM');
    const messages = server
      .complaints()
      .slice(before)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    const name = line.url.slice(line.url.indexOf('@') + 1);
    assert.match(
      messages[0],
      /cannot be reached: .*\. Accounts in memory are listed as they were last known\.$/,
    );
    assert.ok(messages[0].startsWith(`The database ${name} `), messages[0]);
    assert.deepEqual(messages.slice(1), ['The database answers again: accounts are listed as they are.']);
  });

  if (isLong) {
    test('lists an account that changes all the while, whenever the database goes away', async (t) => {
      const document = acme([shift('2026-12-01'), shift('2026-12-02'), shift('2027-01-01')]);
      const { databaseUrl, token } = await filledDatabase(t, document, 'postgres');
      const line = await startLine(t, databaseUrl);
      const server = await startServer(t, ['--stale-if-error', '600'], { databaseUrl: line.url });
      const ask = async (query: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${server.url}/acme/api/v1/shifts?${query}`, { headers });
        await response.text();
        return `${response.status}${response.headers.has('shiftfeed-stale') ? ' stale' : ''}`;
      };
      const askAll = () => Promise.all(['day=2026-12-01', 'months=12', 'months=1', 'per_page=10'].map(ask));
      const program = await postgresProgram(t, databaseUrl);
      const ended = new AbortController();
      const changing = (async () => {
        for (let minute = 0; !ended.signal.aborted; minute = (minute + 1) % 60) {
          const start = `08:${String(minute).padStart(2, '0')}`;
          await program.query(`UPDATE shifts SET start_time = '${start}' WHERE date = '2026-12-01'`);
        }
      })();
      for (let cut = 0; cut < 24; cut++) {
        await until('the database answers', async () => (await askAll()).every((said) => said === '200'));
        const asked = [askAll(), askAll(), askAll()];
        await Promise.race(asked);
        await line.cut();
        await Promise.all(asked);
        assert.deepEqual([...new Set(await askAll())], ['200 stale']);
        await line.mend();
      }
      ended.abort();
      await changing;
    });
  }

  test('says in one sentence that a port is taken', async (t) => {
    const port = await listen(t, createServer());
    assert.deepEqual(
      await shiftfeedInProcess(['serve', '--port', String(port)], { databaseUrl: await newDatabaseUrl(t) }),
      refused(`Port ${port} on 127.0.0.1 is in use already: choose another one with --port.`),
    );
  });

  test('says in one sentence that an address is not one of this machine', async (t) => {
    assert.deepEqual(
      await shiftfeedInProcess(['serve', '--host', '192.0.2.1', '--port', '0'], {
        databaseUrl: await newDatabaseUrl(t),
      }),
      refused('The address 192.0.2.1 is not one of this machine: choose another one with --host.'),
    );
  });

  test('says in one sentence that an address cannot be listened on', async (t) => {
    const { code, stderr } = await shiftfeedInProcess(['serve', '--host', 'fe80::1', '--port', '0'], {
      databaseUrl: await newDatabaseUrl(t),
    });
    assert.equal(code, 1);
    // Without IPv6, the reason is another one.
    assert.match(
      stderr,
      /^shiftfeed: The address fe80::1 cannot be listened on \(E\w+\): choose another one with --host\.\n$/,
    );
  });

  for (const variable of ['HOST', 'SHIFTFEED_HOST']) {
    test(`blames an address on ${variable} if that has it`, async (t) => {
      const options = { databaseUrl: await newDatabaseUrl(t), env: { [variable]: '192.0.2.1' } };
      const blame = new RegExp(`choose another one with ${variable}\\.$`, 'm');
      assert.match((await shiftfeedInProcess(['serve', '--port', '0'], options)).stderr, blame);
      if (!isLong) return;
      assert.match((await shiftfeed(['serve', '--port', '0', '--workers', '2'], options)).stderr, blame);
    });
  }
});

describe('a server that is told to stop', () => {
  for (const signal of SIGNALS) {
    test(`answers a request that is on its way and exits with 0 on ${signal}`, async (t) => {
      const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]));
      const server = await startProcess(t, [], { databaseUrl });
      const exit = once(server.child, 'exit');
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname).setEncoding('utf8');
      t.after(() => {
        socket.destroy();
      });
      // A whole request and the beginning of the next in one piece: the answer to the first shows that the
      // server has begun to read the second.
      const head = `GET /acme/api/v1/shifts?day=2026-12-01 HTTP/1.1\r\nHost: ${hostname}\r\n`;
      socket.write(`${head}\r\n${head}`);
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 401 /);

      server.child.kill(signal);
      await refusal(server.url);
      socket.write(`Authorization: Bearer ${token}\r\n\r\n`);
      const body = /HTTP\/1\.1 200 .*?\r\n\r\n(.*)/s.exec(await text(socket))?.[1];
      assert.equal((JSON.parse(body ?? '') as ListingBody).shifts.length, 1);
      assert.deepEqual(await exit, [0, null]);
    });
  }

  if (isLong)
    test('lets a slow reader have the whole answer', async (t) => {
      // Far more than the buffers of a connection hold, so that the answer is on its way until it is read.
      const remarks = '語'.repeat(10_000);
      const shifts = Array.from({ length: 500 }, () => shift('2026-12-01', { remarks }));
      const { databaseUrl, token } = await filledDatabase(t, acme(shifts));
      const server = await startProcess(t, [], { databaseUrl });
      const exit = once(server.child, 'exit');
      const response = await startReading(`${server.url}/acme/api/v1/shifts?day=2026-12-01`, token);

      server.child.kill('SIGTERM');
      await refusal(server.url);
      const listing: ListingBody = JSON.parse(await text(response));
      assert.equal(listing.shifts.length, 500);
      assert.ok(listing.shifts.every((listed) => listed.remarks === remarks));
      assert.deepEqual(await exit, [0, null]);
    });
});

describe('serve --demo', () => {
  test('prints a request that works when it is pasted, and ends the token of the one before', async (t) => {
    const { url: databaseUrl, run, store, account } = await importer(t);
    // It may stand beside others.
    await run(acme([]));
    const lines: string[] = [];
    const starts = often(['1', '1'], ['1', '2', '1']);
    for (const workers of starts) {
      const server = await startServer(t, ['--demo', '--workers', workers], { databaseUrl });
      const line = await server.nextLine();
      assert.match(line, /^Try it: curl -H 'Authorization: Bearer \S+' 'http:\S+'$/);
      const { shifts, meta } = await paste(line.replace('Try it: ', ''));
      assert.equal(shifts.length, 3);
      assert.ok(meta.total > 3);
      assert.equal(await server.nextLine(), `Explore it: ${server.url}/#account=demo&token=${tokenIn(line)}`);
      assert.match(await server.nextLine(), /^Change it: .* desk demo --database sqlite:/);
      lines.push(line);
      await exitOf(server.child);
    }
    assert.equal(new Set(lines.map(tokenIn)).size, starts.length);
    const tokens = await store.tokens((await account('demo')).id);
    const live = tokens.filter(({ revokedAtMs }) => revokedAtMs === null);
    assert.equal(tokens.length, starts.length);
    assert.equal(live.length, 1);
    assert.deepEqual(
      (await store.accounts()).map(({ slug }) => slug),
      ['acme', 'demo'],
    );
  });

  test('tells on a terminal once where the docs are', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const server = await startServer(t, ['--demo'], { databaseUrl, isTerminal: true });
    const lines: string[] = [];
    while (lines.at(-1) !== 'Ctrl-C stops it.') lines.push(await server.nextLine());
    assert.equal(lines.filter((line) => line.includes('/docs')).length, 1, lines.join('\n'));
  });

  test('quotes the line for the desk as a shell needs it', async (t) => {
    const databaseUrl = `sqlite:${join(await newFolder(t), 'a b', 'shifts.db')}`;
    const server = await startServer(t, ['--demo'], { databaseUrl });
    await server.nextLine();
    await server.nextLine();
    const line = `Change it: npx --no -- shiftfeed desk demo --database '${databaseUrl}'`;
    assert.equal(await server.nextLine(), line);
  });

  test('makes no token, and ends none, when it cannot listen', async (t) => {
    const { url: databaseUrl, store, account } = await importer(t);
    const server = await startServer(t, ['--demo'], { databaseUrl });
    const line = await server.nextLine();
    const { port } = new URL(server.url);
    const args = ['serve', '--demo', '--port', port];
    assert.match((await shiftfeedInProcess(args, { databaseUrl })).stderr, /is in use already/);
    if (isLong)
      assert.match(
        (await shiftfeed([...args, '--workers', '2'], { databaseUrl })).stderr,
        /is in use already/,
      );
    assert.equal((await store.tokens((await account('demo')).id)).length, 1);
    assert.equal((await paste(line.replace('Try it: ', ''))).shifts.length, 3);
  });

  test('adds its account beside others, and leaves their tokens alone', async (t) => {
    const { url: databaseUrl, run, store, account } = await importer(t);
    await run(acme([]));
    await run({ account: { slug: 'demo', premium: true } });
    const ours = { hash: 'a'.repeat(64), label: 'serve --demo', createdAtMs: 0, expiresAtMs: null };
    await store.addToken({ ...ours, accountId: (await account('acme')).id });
    await store.addToken({
      ...ours,
      accountId: (await account('demo')).id,
      hash: 'b'.repeat(64),
      label: 'demo',
    });
    const server = await startServer(t, ['--demo', '--no-pages'], { databaseUrl });
    assert.equal((await paste((await server.nextLine()).replace('Try it: ', ''))).meta.total, 0);
    assert.match(await server.nextLine(), /^Change it: /);
    assert.match(await server.nextLine(), /^The database is /, 'no page is named that is not there');
    for (const slug of ['acme', 'demo']) {
      const [token] = await store.tokens((await account(slug)).id);
      assert.equal(token?.revokedAtMs, null, slug);
    }
  });

  test('serves without a request to try, and says why, when an account of that name is not premium', async (t) => {
    const { url: databaseUrl, run, store, account } = await importer(t);
    await run({ account: { slug: 'demo' } });
    const server = await startServer(t, ['--demo'], { databaseUrl });
    assert.equal(
      await server.nextLine(),
      'There is no request to try. The account demo is not premium, and only premium accounts have tokens: ' +
        '"shiftfeed account set demo --premium true" changes that.',
    );
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    assert.deepEqual(await store.tokens((await account('demo')).id), []);
  });
});

describe('npm start', () => {
  for (const signal of SIGNALS) {
    test(`serves the demo account and exits with 0 on ${signal}`, async (t) => {
      const npm = await npmStart(t, ['start', '--', '--port', '0']);
      assert.equal((await paste((await npm.nextLine()).replace('Try it: ', ''))).shifts.length, 3);
      assert.deepEqual(await exitOf(npm.child, signal), [0, null]);
    });
  }

  test('on a port that is taken names the command for another one', async (t) => {
    const port = await listen(t, createServer());
    // As npm sets them.
    const env = { PORT: String(port), npm_lifecycle_event: 'start', npm_package_name: 'shiftfeed' };
    assert.deepEqual(
      await shiftfeedInProcess(['serve', '--demo'], { databaseUrl: await newDatabaseUrl(t), env }),
      refused(
        `Port ${port} on 127.0.0.1 is in use already: choose another one with "npm start -- --port ${port + 1}".`,
      ),
    );
  });

  if (isLong)
    test('exits with 0 on Ctrl-C, which a terminal sends to npm and to the server', async (t) => {
      const npm = await npmStart(t);
      const exit = once(npm.child, 'exit');
      signalGroup(npm.child, 'SIGINT');
      assert.deepEqual(await exit, [0, null]);
    });
});

function tokenIn(line: string | undefined): string | undefined {
  return /Bearer ([^']+)/.exec(line ?? '')?.[1];
}

async function npmStart(context: TestContext, args: readonly string[] = ['start']) {
  const child = spawn('npm', ['--silent', ...args], {
    cwd: PROJECT,
    env: { ...environment(), PORT: '0', DATABASE_URL: await newDatabaseUrl(context) },
    // A group of its own, as a shell gives it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(() => signalGroup(child, 'SIGKILL'));
  return whenReady(context, child);
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}

/** On a busy machine, PostgreSQL may answer too late for a while. */
async function list(url: string, token: string): Promise<ListingBody> {
  const ask = () => fetch(url, { headers: { authorization: `Bearer ${token}` } });
  let response = await ask();
  await until('the database answers in time', async () => {
    if (response.status !== 503) return true;
    response = await ask();
    return false;
  });
  assert.equal(response.status, 200);
  return (await response.json()) as ListingBody;
}

/** Resolves when the head of the response is there; the body waits until somebody reads it. */
async function startReading(url: string, token: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  return response;
}

/** Resolves when nobody listens there any more. */
function refusal(url: string): Promise<void> {
  return until('nobody listens', async () => !(await isListening(url)));
}

/** Runs a line as a person would who pastes it into a shell, or what it says where there is no curl. */
async function paste(line: string): Promise<ListingBody> {
  const run = promisify(execFile);
  try {
    await run('curl', ['--version']);
  } catch {
    const [, token = '', url = ''] = /^curl -H 'Authorization: Bearer (\S+)' '(\S+)'$/.exec(line) ?? [];
    return list(url, token);
  }
  const { stdout } = await run('bash', ['-c', line]);
  return JSON.parse(stdout);
}
