/** What the launcher does when the Node that runs it is too old. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { LAUNCHER, type RunOptions, shiftfeed, start, whenReady } from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';

/** This Node, but it says of itself that it is an old one. What it starts is not told so. */
const PRETENDS_TO_BE_OLD = [
  '--import',
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.0.0" } })',
];

/** There is always one that pretends; where the machine has a real one, the same holds for it. */
const OLD_NODES: [name: string, options: RunOptions][] = [
  ['a Node that pretends to be old', { nodeArgs: PRETENDS_TO_BE_OLD }],
  ...oldNodesOnPath().map(([path, version]): [string, RunOptions] => [`${path} ${version}`, { node: path }]),
];

for (const [name, options] of OLD_NODES) {
  describe(`the launcher under ${name}`, () => {
    test('hands over to the Node that was installed along', async () => {
      assert.deepEqual(await shiftfeed(['--version'], options), await shiftfeed(['--version']));
    });

    test('passes arguments and exit codes on', async (t) => {
      assert.deepEqual(await shiftfeed(['a "b" ü $HOME'], options), {
        code: 2,
        stdout: '',
        stderr: `shiftfeed: unknown command 'a "b" ü $HOME'\n`,
      });
      const cwd = await newFolder(t);
      assert.equal((await shiftfeed(['account', 'list'], { ...options, cwd })).code, 1);
    });

    test('passes SIGTERM on to a server, which exits with 0', async (t) => {
      const child = start(['serve', '--port', '0'], {
        ...options,
        databaseUrl: await newDatabaseUrl(t),
        detached: true,
      });
      t.after(() => signalGroup(child, 'SIGKILL'));
      const { url } = await whenReady(t, child);
      assert.equal((await fetch(`${url}/acme/api/v1/shifts`)).status, 401);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
      await assert.rejects(fetch(url));
    });

    test('exits with 0 on Ctrl-C, which a terminal sends to both of them', async (t) => {
      const child = start(['serve', '--port', '0'], {
        ...options,
        databaseUrl: await newDatabaseUrl(t),
        detached: true,
      });
      t.after(() => signalGroup(child, 'SIGKILL'));
      await whenReady(t, child);
      const exit = once(child, 'exit');
      signalGroup(child, 'SIGINT');
      assert.deepEqual(await exit, [0, null]);
    });

    test('does not end as if all were well when a signal ended the command', async (t) => {
      const pipe = join(await newFolder(t), 'plan.json');
      execFileSync('mkfifo', [pipe]);
      const child = start(['import', pipe], {
        ...options,
        databaseUrl: await newDatabaseUrl(t),
        detached: true,
      });
      t.after(() => signalGroup(child, 'SIGKILL'));
      // Opens when the import is there to read: from then on it waits for a document that never comes.
      const writer = await open(pipe, 'w');
      t.after(() => writer.close());
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [null, 'SIGTERM']);
    });
  });
}

test('without a newer Node at hand, the launcher says what to do', async (t) => {
  const folder = await newFolder(t);
  const launcher = join(folder, 'bin', 'shiftfeed.js');
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await copyFile(LAUNCHER, launcher);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...PRETENDS_TO_BE_OLD, launcher], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(stderr, /^shiftfeed: Node 26 or newer is needed, .*: run "npm ci", or install Node 26\.\n$/);
});

function oldNodesOnPath(): [path: string, version: string][] {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const old = paths.flatMap((path): [string, string][] => {
    const version = existsSync(path)
      ? spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim()
      : '';
    const major = Number(/^v(\d+)\./.exec(version)?.[1]);
    return major >= 20 && major < 26 ? [[path, version]] : [];
  });
  // The same one is often found twice, as /bin and as /usr/bin.
  return [...new Map(old.map(([path, version]) => [version, path]))].map(([version, path]) => [
    path,
    version,
  ]);
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}
