import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hashToken } from '../../src/feed/access/token.ts';
import { importer } from '../import/importer.ts';
import { exitOf, shiftfeed, start, whenReady } from '../support/cli.ts';
import { command } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { printed, refused } from '../support/outcome.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('desk invite, keys and revoke', () => {
  test('an invitation is a link alone, and the database has only the hash of its key', async (t) => {
    const { url, run, store, account } = await importer(t);
    await run(acme([]));
    const { code, stdout, stderr } = await command(url, 'desk', 'invite', 'acme', '--name', 'Noor Smit');
    assert.equal(code, 0);
    assert.match(stderr, /^shiftfeed: The link is one of this machine: --base-url says .*\n$/);
    const [, key = ''] = /^http:\/\/127\.0\.0\.1:8070\/#key=(shiftfeed_desk_[\w-]{43})\n$/.exec(stdout) ?? [];
    const found = await store.findDeskKey(hashToken(key));
    assert.equal(found?.account.id, (await account()).id);
    const { label: name, role, createdAtMs, expiresAtMs } = found.key;
    assert.deepEqual({ name, role }, { name: 'Noor Smit', role: 'planner' });
    assert.equal(expiresAtMs, createdAtMs + 90 * DAY_MS);
  });

  test('the link is where --base-url says, for the role and the time that are given', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const args = ['--role', 'owner', '--expires', '2999-12-31', '--base-url', 'https://desk.example.org/'];
    const { stdout, stderr } = await command(
      url,
      'desk',
      'invite',
      'acme',
      '--name',
      'Ada',
      ...args,
      '--json',
    );
    assert.equal(stderr, '');
    const { link, ...rest } = JSON.parse(stdout);
    assert.match(link, /^https:\/\/desk\.example\.org\/#key=shiftfeed_desk_/);
    assert.deepEqual(rest, {
      account: 'acme',
      name: 'Ada',
      role: 'owner',
      expires_at: '3000-01-01T00:00:00.000Z',
    });
  });

  test('keys are listed, and revoked by name', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const none = await command(url, 'desk', 'keys', 'acme');
    assert.deepEqual(none, printed('Nobody has a key of acme: "shiftfeed desk invite" makes one.'));
    await command(url, 'desk', 'invite', 'acme', '--name', 'Noor Smit');
    const again = await command(url, 'desk', 'invite', 'acme', '--name', 'Noor Smit');
    assert.deepEqual(again, refused('Noor Smit has a key of acme already: "shiftfeed desk revoke" ends it.'));
    const { stdout } = await command(url, 'desk', 'keys', 'acme');
    assert.match(
      stdout,
      /^NAME +ROLE +STATE +SINCE +EXPIRES +LAST USED\nNoor Smit +planner +live +\S+Z +\S+Z +never\n$/,
    );
    const revoke = () => command(url, 'desk', 'revoke', 'acme', 'Noor Smit');
    assert.deepEqual(await revoke(), printed('The key of Noor Smit is revoked.'));
    assert.deepEqual(
      await revoke(),
      refused('Nobody named Noor Smit has a live key of acme: "shiftfeed desk keys acme" shows who has.'),
    );
    const [key] = JSON.parse((await command(url, 'desk', 'keys', 'acme', '--json')).stdout);
    assert.equal(key.state, 'revoked');
  });

  test('what cannot be is refused', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const invite = (...args: string[]) => command(url, 'desk', 'invite', ...args);
    assert.match((await invite('nobody', '--name', 'Ada')).stderr, /There is no account "nobody"/);
    assert.equal((await invite('acme')).code, 2);
    assert.equal((await invite('acme', '--name', 'Ada', '--role', 'king')).code, 2);
    assert.match((await invite('acme', '--name', 'Ada', '--expires', '2020-01-01')).stderr, /is in the past/);
  });

  test('keys do not cross a network in the clear by mistake', async (t) => {
    const { url } = await importer(t);
    const { code, stderr } = await command(url, 'desk', '--host', '0.0.0.0');
    assert.equal(code, 2);
    assert.match(stderr, /Say with --base-url at which address people open the desk/);
  });
});

describe('desk', () => {
  test('prints where it listens and a link that opens it, and ends on a signal', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const args = ['desk', 'acme', '--port', '0', '--admin-port', '0'];
    const server = await whenReady(t, start(args, { databaseUrl }));
    assert.equal(server.lines[0], `Shiftfeed's desk listens on ${server.url}`);
    const [, link = '', key = ''] = /^Open it: (\S+\/)#key=(\S+)$/.exec(await server.nextLine()) ?? [];
    assert.equal(link, `${server.url}/`);
    const response = await fetch(`${server.url}/api/session`, {
      method: 'POST',
      headers: { origin: server.url },
      body: JSON.stringify({ key }),
    });
    assert.equal(response.status, 204);
    const [, metricsUrl = ''] = /^Metrics are at (\S+)$/.exec(await server.nextLine()) ?? [];
    const metrics = await (await fetch(metricsUrl)).text();
    for (const told of [
      'shiftfeed_http_requests_total{route="/api/session",status="204"} 1',
      'shiftfeed_desk_tasks{state="running"} 0',
      'shiftfeed_database_up 1',
    ])
      assert.ok(metrics.includes(`\n${told}\n`), told);
    assert.deepEqual(await exitOf(server.child), [0, null]);
    assert.equal(server.complaints(), '');
  });

  test('leaves no files behind when its terminal is closed', async (t) => {
    const folder = await newFolder(t);
    const options = { databaseUrl: await newDatabaseUrl(t), env: { TMPDIR: folder } };
    const server = await whenReady(t, start(['desk', '--port', '0'], options));
    const left = async () => (await readdir(folder)).filter((name) => name.startsWith('shiftfeed-desk-'));
    assert.equal((await left()).length, 1);
    assert.deepEqual(await exitOf(server.child, 'SIGHUP'), [0, null]);
    assert.deepEqual(await left(), []);
  });

  test('without a folder for temporary files, it ends with a sentence that names it', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const missing = join(await newFolder(t), 'missing');
    const args = ['desk', '--port', '0', '--admin-port', '0'];
    assert.deepEqual(
      await shiftfeed(args, { databaseUrl, env: { TMPDIR: missing } }),
      refused(
        `The desk cannot keep files in ${missing} (ENOENT): set TMPDIR to a folder that it can write to.`,
      ),
    );
  });
});
