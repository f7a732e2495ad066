/** A service whose socket belongs to systemd, for which a small process stands in. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { passedSockets } from '../../src/server/lifecycle.ts';
import { environment, program, type Server, whenReady } from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { freePort } from '../support/listening.ts';
import { OLD_NODE_ARGS } from '../support/old-node.ts';
import { childrenOf, killTree } from '../support/processes.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const HOLDER = join(import.meta.dirname, '../support/socket-holder.ts');
const REQUESTS_BETWEEN = 5;
const WAYS: readonly [name: string, nodeArgs: readonly string[], args: readonly string[]][] = [
  [', with workers, under the launcher of an older Node', OLD_NODE_ARGS, ['--workers', '2']],
  [', with workers', [], ['--workers', '2']],
  ['', [], []],
];

describe('a service whose socket systemd holds', { concurrency: true }, () => {
  for (const [name, nodeArgs, args] of WAYS.slice(0, often(1, 3))) {
    test(`is restarted while clients connect, and none is refused${name}`, async (t) => {
      const holder = await hold(t, { sockets: 1, starts: 3, nodeArgs, args });
      const urls = urlsIn(holder.lines[0]);
      assert.equal(await holder.nextLine(), `Shiftfeed listens on ${urls[0]}`);
      const clients = connectOn(urls[0] as string);
      for (let i = 0; i < often(1, 2); i++) {
        await clients.more(REQUESTS_BETWEEN);
        // As systemd does with KillMode=mixed.
        process.kill(childrenOf(holder.child.pid)[0] as number, 'SIGTERM');
        await nextLineWith(holder, 'Shiftfeed listens on ');
        await clients.more(REQUESTS_BETWEEN);
      }
      assert.deepEqual(await clients.end(), new Set([200]));
    });
  }

  if (isLong)
    test('keeps it when all workers are killed at once', async (t) => {
      const holder = await hold(t, { sockets: 1, starts: 1, args: ['--workers', '2'] });
      const [url] = urlsIn(holder.lines[0]);
      await holder.nextLine();
      const primary = childrenOf(holder.child.pid)[0];
      for (const pid of childrenOf(primary)) process.kill(pid, 'SIGKILL');
      await until('both are replaced', () => childrenOf(primary).length === 2);
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
    });

  test('takes all that there are', async (t) => {
    const holder = await hold(t, { sockets: 2, starts: 1, args: [] });
    await holder.nextLine();
    for (const url of urlsIn(holder.lines[0])) assert.equal((await fetch(`${url}/healthz`)).status, 200, url);
  });
});

describe('a socket that is not one to listen on is told in a sentence', { concurrency: true }, () => {
  for (const [name, fds, stdin, sentence] of [
    [
      'a file',
      '1',
      '3</dev/null',
      /^shiftfeed: The socket 3 that systemd passed cannot be listened on \(\w+\)\.\n$/,
    ],
    [
      'none at all',
      '1',
      '3<&-',
      /^shiftfeed: The socket 3 that systemd passed cannot be listened on \(\w+\)\.\n$/,
    ],
    [
      'a number that is none',
      'many',
      '3<&-',
      /^shiftfeed: The variable LISTEN_FDS is "many": expected how many/,
    ],
  ] as const) {
    test(name, async (t) => {
      const script = `LISTEN_PID=$$ exec "$@" ${stdin}`;
      const command = [...program(), 'serve', '--database', await newDatabaseUrl(t)];
      const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', ...command], {
        env: { ...environment(), LISTEN_FDS: fds },
        encoding: 'utf8',
      });
      assert.match(stderr, sentence);
      assert.equal(status, 1);
    });
  }

  test('one that is not of TCP', async (t) => {
    const server = createServer().listen(join(await newFolder(t), 'socket'));
    t.after(() => server.close());
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    const command = [...program(), 'serve', '--database', await newDatabaseUrl(t)];
    const { stderr } = spawnSync('sh', ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...command], {
      env: { ...environment(), LISTEN_FDS: '1' },
      stdio: ['ignore', 'ignore', 'pipe', fd],
      encoding: 'utf8',
    });
    assert.match(stderr, /^shiftfeed: The socket 3 that systemd passed is none of TCP: /);
  });
});

test('sockets that were passed to another process are left alone', () => {
  const sockets = (env: NodeJS.ProcessEnv) => passedSockets({ ...process, env, pid: 7, ppid: 6 });
  assert.deepEqual(sockets({ LISTEN_FDS: '2', LISTEN_PID: '7' }), [3, 4]);
  assert.deepEqual(sockets({ LISTEN_FDS: '2', LISTEN_PID: '6' }), []);
  assert.deepEqual(sockets({ LISTEN_FDS: '1', LISTEN_PPID: '6' }), [3]);
  assert.deepEqual(sockets({ LISTEN_FDS: '1', LISTEN_PPID: '5' }), []);
  assert.deepEqual(sockets({ LISTEN_FDS: '1' }), []);
  assert.deepEqual(sockets({ LISTEN_PID: '7' }), []);
  assert.deepEqual(sockets({ LISTEN_FDS: '0', LISTEN_PID: '7' }), []);
});

interface Holding {
  readonly sockets: number;
  readonly starts: number;
  readonly nodeArgs?: readonly string[];
  readonly args: readonly string[];
}

/** The port that is given is not used: the socket wins. */
async function hold(
  context: TestContext,
  { sockets, starts, nodeArgs = [], args }: Holding,
): Promise<Server> {
  const port = String(await freePort());
  const command = [...program({ nodeArgs }), 'serve', '--port', port, ...args];
  const child = spawn(process.execPath, [HOLDER, String(sockets), String(starts), ...command], {
    env: { ...environment(), DATABASE_URL: await newDatabaseUrl(context) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(() => killTree(child.pid));
  return whenReady(context, child);
}

function urlsIn(line = ''): string[] {
  return line.match(/http:\S+/g) ?? [];
}

async function nextLineWith(server: Server, beginning: string): Promise<void> {
  while (!(await server.nextLine()).startsWith(beginning));
}

/** A client that asks all the time, each time on a new connection. */
function connectOn(url: string) {
  const statuses = new Set<unknown>();
  let answered = 0;
  let isEnding = false;
  const asking = (async () => {
    while (!isEnding) {
      const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).catch(
        (error: Error) => error.cause,
      );
      statuses.add(response instanceof Response ? response.status : response);
      answered++;
    }
    return statuses;
  })();
  return {
    async more(count: number): Promise<void> {
      const enough = answered + count;
      await until('more is answered', () => answered >= enough);
    },
    async end(): Promise<ReadonlySet<unknown>> {
      isEnding = true;
      return asking;
    },
  };
}
