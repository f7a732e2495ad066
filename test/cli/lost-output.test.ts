/** /dev/full takes nothing, as a disk that is full. */

import assert from 'node:assert/strict';
import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { start } from '../support/cli.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { freePort } from '../support/listening.ts';
import { childrenOf } from '../support/processes.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const FULL = openSync('/dev/full', 'w');
const COMPLAINT =
  'shiftfeed: Standard output could not be written: ENOSPC: no space left on device, write.\n';

describe('when what is printed cannot be written', { concurrency: 3 }, () => {
  test('a command fails with one sentence', async (t) => {
    const plan = new URL('../../docs/example.json', import.meta.url).pathname;
    const child = await run(t, ['import', plan], ['ignore', FULL, 'pipe']);
    const exit = once(child, 'exit');
    assert.equal(await text(child.stderr as NodeJS.ReadableStream), COMPLAINT);
    assert.deepEqual(await exit, [1, null]);
  });

  test('a server serves on, and ends as if all were well', async (t) => {
    const port = await freePort();
    const child = await run(t, ['serve', '--port', String(port)], ['ignore', FULL, FULL]);
    const exit = once(child, 'exit');
    await until('it serves', () => isServing(port));
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  if (isLong)
    test('workers are replaced, though nobody can be told', async (t) => {
      const port = await freePort();
      const child = await run(t, ['serve', '--workers', '2', '--port', String(port)], ['ignore', FULL, FULL]);
      const exit = once(child, 'exit');
      await until('it serves', () => isServing(port));
      await until('there are two workers', () => childrenOf(child.pid).length === 2);
      const [victim = 0] = childrenOf(child.pid);
      process.kill(victim, 'SIGKILL');
      await until('there is another one', () => {
        const workers = childrenOf(child.pid);
        return workers.length === 2 && !workers.includes(victim);
      });
      await until('it still serves', () => isServing(port));
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
    });
});

async function run(context: TestContext, args: readonly string[], stdio: StdioOptions) {
  const child = start(args, { databaseUrl: await newDatabaseUrl(context), stdio });
  context.after(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function isServing(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}
