/** A stop runs to its end, whatever clients do meanwhile: the process does not end because its event loop ran empty. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { exitOf, type Server, start, WITH_PRELOAD, whenReady } from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { silentClient } from '../support/raw-client.ts';
import { often } from '../support/strength.ts';

const RAN_EMPTY = 'the event loop ran empty';
const LISTENER = `process.on('beforeExit', () => process._rawDebug(${JSON.stringify(RAN_EMPTY)}))`;
const NODE_ARGS = ['--import', `data:text/javascript,${encodeURIComponent(LISTENER)}`];
const CHECK = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

/** What a client sends first, and then without end; and whether it reads the answers. */
const CLIENTS: Readonly<Record<string, readonly [first: string, more: string, reads: boolean]>> = {
  'go on sending what was refused': [
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n`,
    'x'.repeat(65_536),
    true,
  ],
  'send garbage': ['nonsense\r\n\r\n', 'x'.repeat(65_536), true],
  'send thousands of requests ahead': ['', CHECK.repeat(1_000), true],
  'read nothing': ['', CHECK.repeat(10), false],
};

const SERVERS: Readonly<Record<string, (t: TestContext) => Promise<Stopping>>> = { serve, desk, gateway };

describe('a server that is told to stop', { ...WITH_PRELOAD, concurrency: true }, () => {
  for (const [name, begin] of Object.entries(SERVERS))
    describe(name, () => {
      // The way to the end is the same for all. Whoever reads nothing is waited for, which takes ten seconds.
      for (const [what, client] of Object.entries(CLIENTS).slice(0, often(name === 'serve' ? 3 : 1, 4))) {
        test(`stops in order while clients ${what}`, async (t) => {
          const { server, check } = await begin(t);
          const sockets = await Promise.all(Array.from({ length: 3 }, () => silentClient(server.url)));
          t.after(() => sockets.forEach((socket) => void socket.destroy()));
          // At once, because a connection that was refused ends soon.
          await Promise.race(sockets.map((socket) => pester(socket, ...client)));
          assert.deepEqual(await exitOf(server.child), [0, null]);
          assert.doesNotMatch(server.complaints(), new RegExp(`${RAN_EMPTY}|Warning`));
          await check();
        });
      }
    });
});

interface Stopping {
  readonly server: Server;
  /** Checks what is left behind. */
  readonly check: () => Promise<void>;
}

async function serve(t: TestContext): Promise<Stopping> {
  const { databaseUrl, token } = await database(t);
  const child = start(['serve', '--port', '0'], { databaseUrl, nodeArgs: NODE_ARGS });
  const server = await whenReady(t, child);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`, { headers })).status, 200);
  return {
    server,
    async check() {
      await checkClosed(databaseUrl);
      const store = await openStore(databaseUrl, { missing: 'fail' });
      const [used] = await store.tokens();
      await store.close();
      assert.ok(used?.lastUsedAtMs, 'the use of the token was not written');
    },
  };
}

async function desk(t: TestContext): Promise<Stopping> {
  const { databaseUrl } = await database(t);
  const folder = await newFolder(t);
  const child = start(['desk', '--port', '0'], { databaseUrl, nodeArgs: NODE_ARGS, env: { TMPDIR: folder } });
  const server = await whenReady(t, child);
  assert.equal((await readdir(folder)).length, 1);
  return {
    server,
    async check() {
      await checkClosed(databaseUrl);
      assert.deepEqual(await readdir(folder), []);
    },
  };
}

/** The service that it reads is away, which is none of its business here. */
async function gateway(t: TestContext): Promise<Stopping> {
  const file = join(await newFolder(t), 'website.json');
  const config = { upstream: 'http://127.0.0.1:1/acme', feeds: { kitchen: { group_ids: 'all' } } };
  await writeFile(file, JSON.stringify(config));
  const env = { SHIFTFEED_TOKEN: 'shiftfeed_x' };
  const child = start(['gateway', file, '--port', '0'], { env, nodeArgs: NODE_ARGS });
  return { server: await whenReady(t, child), check: async () => undefined };
}

async function database(t: TestContext): Promise<{ databaseUrl: string; token: string }> {
  const databaseUrl = await newDatabaseUrl(t);
  const store = await openStore(databaseUrl, { missing: 'create' });
  await importDocument(store, acme([]), { replace: false, dryRun: false });
  const account = (await store.findAccount('acme')) ?? assert.fail();
  const token = makeToken();
  const hash = hashToken(token);
  await store.addToken({ accountId: account.id, hash, label: '', createdAtMs: 0, expiresAtMs: null });
  await store.close();
  return { databaseUrl, token };
}

/** Whoever closes a database of SQLite last removes its log. */
async function checkClosed(databaseUrl: string): Promise<void> {
  assert.deepEqual(await readdir(dirname(databaseUrl.slice('sqlite:'.length))), ['test.db']);
}

/** Resolves when the server begins to answer. The client sends on until its connection is closed. */
async function pester(socket: Socket, first: string, more: string, reads: boolean): Promise<void> {
  const send = () => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on('drain', send);
  socket.write(first);
  send();
  await (reads ? once(socket.resume(), 'data') : once(socket, 'readable'));
}
