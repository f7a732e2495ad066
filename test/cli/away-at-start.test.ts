/** What `serve` does when PostgreSQL is not there yet. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { prepare } from '../../src/cli/serve/prepare.ts';
import { type Server, startServer } from '../support/cli.ts';
import { shiftfeed, startServer as startHere } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newStoreUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { type Line, startLine } from '../support/line.ts';
import { isListening, listen } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const AWAY = 'postgres://shiftfeed:hush@127.0.0.1:1/shiftfeed';
const UNAVAILABLE = { error: 'The database cannot be read at the moment: try again soon.' };

describe('serve, while PostgreSQL is away', { concurrency: true }, () => {
  for (const workers of often(['2'], ['1', '2'])) {
    test(`with ${workers} workers listens and answers 503, and needs no restart when a new database comes`, async (t) => {
      const { server, line } = await startAway(t, await newDatabaseUrl(t, 'postgres'), (options) =>
        startServer(t, ['--demo', '--workers', workers], options),
      );
      assert.match(await server.nextLine(), /^The database is 127\.0\.0\.1:\d+\/test_/);
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      const authorization = { authorization: 'Bearer shiftfeed_x' };
      for (const path of ['/readyz', '/demo/api/v1/shifts']) {
        const response = await fetch(server.url + path, { headers: authorization });
        assert.deepEqual([response.status, await response.json()], [503, UNAVAILABLE], path);
        assert.equal(response.headers.get('retry-after'), '2');
      }

      await line.mend();
      const token = /Bearer (\S+)'/.exec(await nextLineWith(server, 'Try it: '))?.[1];
      const demo = () =>
        fetch(`${server.url}/demo/api/v1/shifts`, { headers: { authorization: `Bearer ${token}` } });
      await until('the demo account is listed', async () => (await demo()).status === 200);
      await until('it is ready', async () => (await fetch(`${server.url}/readyz`)).status === 200);
      assert.deepEqual(saidBy(server, /goes on trying|is ready/), [
        'The database NAME cannot be reached: nobody listens there (ECONNREFUSED). Shiftfeed goes on trying, and answers 503 to what it cannot read.',
        'The database NAME is ready.',
      ]);
    });
  }

  test('reads from --read-database, and says so, and why the database is away whenever the reason changes', async (t) => {
    const { databaseUrl: readUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]));
    let isResetting = false;
    const broken = createServer((socket) => (isResetting ? socket.resetAndDestroy() : socket.end()));
    const databaseUrl = `postgres://shiftfeed:hush@127.0.0.1:${await listen(t, broken)}/shiftfeed`;
    const server = await startHere(t, ['--read-database', readUrl], { databaseUrl });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`, { headers })).status, 200);
    const said = () => saidBy(server, /reads from --read-database meanwhile\./);
    await until('it is said', () => said().length > 0);
    isResetting = true;
    await until('the other reason is said', () => said().length > 1);
    assert.deepEqual(said(), [
      'The database NAME cannot be reached: Connection terminated unexpectedly. Shiftfeed goes on trying, and reads from --read-database meanwhile.',
      'The database NAME cannot be reached: the connection was reset (ECONNRESET). Shiftfeed goes on trying, and reads from --read-database meanwhile.',
    ]);
    assert.doesNotMatch(server.complaints(), /hush/);
  });

  if (isLong)
    test('waits no longer than some seconds for one that does not say a word', async (t) => {
      const silent = await listen(t, createServer());
      const databaseUrl = `postgres://shiftfeed:hush@127.0.0.1:${silent}/shiftfeed`;
      const server = await startServer(t, [], { databaseUrl });
      assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
      const sentence = `The database 127.0.0.1:${silent}/shiftfeed is not ready yet. Shiftfeed goes on trying`;
      await until('it is said', () => server.complaints().includes(sentence));
    });

  test('ends when its port is taken, as ever', async (t) => {
    const port = await listen(t, createServer());
    assert.deepEqual(
      await shiftfeed(['serve', '--port', String(port)], { databaseUrl: AWAY }),
      refused(`Port ${port} on 127.0.0.1 is in use already: choose another one with --port.`),
    );
  });
});

describe('serve ends with a sentence when PostgreSQL comes, but', { concurrency: true }, () => {
  test('there is no such database', async (t) => {
    const url = new URL(await newDatabaseUrl(t, 'postgres'));
    url.pathname = '/nowhere';
    await assertEnds(
      t,
      url.href,
      often([], ['--workers', '2']),
      'There is no database at NAME: create it first.',
    );
  });

  if (isLong)
    test('the password is wrong', async (t) => {
      const url = new URL(await newDatabaseUrl(t, 'postgres'));
      url.password = 'wrong';
      await assertEnds(
        t,
        url.href,
        [],
        'The database NAME refused the password, or there is no such user: check the URL.',
      );
    });

  test('its schema is newer, and cannot be read by this version', async (t) => {
    const url = await newStoreUrl(t, 'postgres');
    const client = new Client(url);
    await client.connect();
    await client.query('UPDATE shiftfeed.schema_version SET version = 1000, reads_from = 1000');
    await client.end();
    const sentence =
      /^shiftfeed: The database \S+ was written by a newer Shiftfeed \(schema 1000, .*\): use that version, .*\.$/m;
    await assertEnds(t, url, [], sentence);
  });
});

test('serve tells the same trouble with PostgreSQL again after a minute', async (t) => {
  let passedMs = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + passedMs);
  const told: string[] = [];
  const { onTrouble, giveUp } = prepare({ database: AWAY, demo: false });
  t.after(giveUp);
  onTrouble((sentence) => told.push(sentence));
  await until('it is told', () => told.length > 0);
  passedMs += 60_000;
  await until('it is told again', () => told.length > 1);
  assert.equal(new Set(told).size, 1);
});

/** Starts it on a database that nobody can reach until the line is mended. */
async function startAway<S>(
  context: TestContext,
  databaseUrl: string,
  start: (args: { databaseUrl: string }) => Promise<S>,
): Promise<{ line: Line; server: S }> {
  const line = await startLine(context, databaseUrl);
  await line.cut();
  return { line, server: await start({ databaseUrl: line.url }) };
}

async function assertEnds(
  context: TestContext,
  databaseUrl: string,
  args: readonly string[],
  sentence: string | RegExp,
): Promise<void> {
  const { server, line } = await startAway(context, databaseUrl, (options) =>
    startHere(context, args, options),
  );
  const closed = once(server.child, 'close');
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await line.mend();
  assert.deepEqual(await closed, [1, null]);
  assert.equal(await isListening(server.url), false);
  const said = server.complaints();
  if (typeof sentence === 'string') assert.ok(anonymous(said).includes(`shiftfeed: ${sentence}\n`), said);
  else assert.match(said, sentence);
  assert.doesNotMatch(said, /wrong@|secret|Error/);
}

async function nextLineWith(server: Server, beginning: string): Promise<string> {
  for (;;) {
    const line = await server.nextLine();
    if (line.startsWith(beginning)) return line;
  }
}

/** The lines of the log that a pattern matches, without the name of the database. */
function saidBy(server: Pick<Server, 'complaints'>, pattern: RegExp): string[] {
  return server
    .complaints()
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => anonymous(JSON.parse(line).msg));
}

function anonymous(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+\/\w+/g, 'NAME');
}
