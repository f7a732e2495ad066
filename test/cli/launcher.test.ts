/** What the launcher does when the Node that runs it is too old, and where it keeps compiled code. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  environment,
  exitOf,
  LAUNCHER,
  type RunOptions,
  shiftfeed,
  start,
  startServer,
  whenReady,
} from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { isListening } from '../support/listening.ts';
import { OLD_NODE_ARGS, oldNodesOnPath } from '../support/old-node.ts';
import { refused } from '../support/outcome.ts';
import { childrenOf } from '../support/processes.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

/** There is always one that pretends; where the machine has a real one, the same holds for it. */
const OLD_NODES: [name: string, options: RunOptions][] = [
  ['a Node that pretends to be old', { nodeArgs: OLD_NODE_ARGS }],
  ...often([], oldNodesOnPath()).map(([path, version]): [string, RunOptions] => [
    `${path} ${version}`,
    { node: path },
  ]),
];

for (const [name, options] of OLD_NODES) {
  describe(`the launcher under ${name}`, () => {
    test('hands over to the Node that was installed along', async () => {
      assert.deepEqual(await shiftfeed(['--version'], options), await shiftfeed(['--version']));
    });

    test('passes arguments and exit codes on', async (t) => {
      assert.deepEqual(
        await shiftfeed(['a "b" ü $HOME'], options),
        refused(`unknown command 'a "b" ü $HOME'`, 2),
      );
      const cwd = await newFolder(t);
      assert.equal((await shiftfeed(['account', 'list'], { ...options, cwd })).code, 1);
    });

    test('passes SIGTERM on to a server, which exits with 0', async (t) => {
      const { url, child } = await whenReady(t, await startGroup(t, ['serve', '--port', '0'], options));
      assert.equal((await fetch(`${url}/acme/api/v1/shifts`)).status, 401);
      assert.deepEqual(await exitOf(child), [0, null]);
      await assert.rejects(fetch(url));
    });

    if (isLong)
      test('exits with 0 on Ctrl-C, which a terminal sends to both of them', async (t) => {
        const { child } = await whenReady(t, await startGroup(t, ['serve', '--port', '0'], options));
        const exit = once(child, 'exit');
        signalGroup(child, 'SIGINT');
        assert.deepEqual(await exit, [0, null]);
      });

    test('does not end as if all were well when a signal ended the command', async (t) => {
      const pipe = join(await newFolder(t), 'plan.json');
      execFileSync('mkfifo', [pipe]);
      const child = await startGroup(t, ['import', pipe], options);
      // Opens when the import is there to read: from then on it waits for a document that never comes.
      const writer = await open(pipe, 'w');
      t.after(() => writer.close());
      assert.deepEqual(await exitOf(child), [null, 'SIGTERM']);
    });
  });
}

for (const [name, options] of [...OLD_NODES, ['a Node that is new enough', {}] as const]) {
  test(`under ${name}, a service that npx started ends with it, although npx tells only its shell`, async (t) => {
    const { node = process.execPath, nodeArgs = [] }: RunOptions = options;
    const words = [node, ...nodeArgs, LAUNCHER, 'serve', '--port', '0'].map((word) => `'${word}'`).join(' ');
    const env = { ...environment(), npm_command: 'exec', DATABASE_URL: await newDatabaseUrl(t) };
    // The second command keeps the shell from becoming the first one.
    const shell = spawn('sh', ['-c', `${words}; true`], { env, detached: true });
    t.after(() => signalGroup(shell, 'SIGKILL'));
    const { url } = await whenReady(t, shell);
    shell.kill('SIGTERM');
    await until('nobody listens any more', async () => !(await isListening(url)));
  });
}

for (const [name, options] of OLD_NODES) {
  test(`under ${name}, a service ends when its launcher is killed`, async (t) => {
    const { url, child } = await whenReady(t, await startGroup(t, ['serve', '--port', '0'], options));
    child.kill('SIGKILL');
    await until('nobody listens any more', async () => !(await isListening(url)));
  });
}

test('without a newer Node at hand, the launcher says what to do', async (t) => {
  const folder = await newFolder(t);
  const launcher = join(folder, 'bin', 'shiftfeed.js');
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await cp(dirname(LAUNCHER), join(folder, 'bin'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [...OLD_NODE_ARGS, launcher], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(
    stderr,
    /^shiftfeed: Node 26 or newer is needed, .*: install again without --omit=optional, or start it with Node 26\.\n$/,
  );
});

describe('compiled code', () => {
  test('is kept in a folder of the user, whom alone it is open to, and used at the next start, by workers as well', async (t) => {
    const caches = await newFolder(t);
    await startWith({ XDG_CACHE_HOME: caches });
    for (const folder of ['shiftfeed', 'shiftfeed/compiled']) {
      assert.equal((await stat(join(caches, folder))).mode & 0o777, 0o700);
    }
    const told = await startWith({ XDG_CACHE_HOME: caches });
    const read = told.split('\n').find((line) => /^reading cache .* ESM .*src\/cli\/main\.ts/.test(line));
    assert.match(read ?? '', / success/);
    assert.ok(read?.includes(`${caches}/shiftfeed/compiled/`));

    const env = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: caches };
    const { child } = await startServer(t, ['--workers', '2'], { env, databaseUrl: await newDatabaseUrl(t) });
    const [worker] = childrenOf(child.pid);
    const variables = (await readFile(`/proc/${worker}/environ`, 'utf8')).split('\0');
    assert.ok(variables.includes(`NODE_COMPILE_CACHE=${caches}/shiftfeed/compiled`));
  });

  test('is kept in the home of the user unless XDG_CACHE_HOME names another folder', async (t) => {
    const home = await newFolder(t);
    assert.equal(dirname(folderWith({ HOME: home }) ?? ''), join(home, '.cache/shiftfeed/compiled'));
  });

  test('is never kept in the folder for temporary files', async (t) => {
    const temporary = await newFolder(t);
    assert.equal(folderWith({ HOME: '/nowhere', TMPDIR: temporary }), undefined);
    assert.deepEqual(await readdir(temporary), []);
  });

  test('is not kept where no folder can be made, and that is noticed at once', async () => {
    assert.equal(folderWith({ XDG_CACHE_HOME: '/proc/nowhere' }), undefined);
  });

  const makeCompiled = (caches: string, mode = 0o700) => makeFolder(join(caches, 'shiftfeed/compiled'), mode);
  const giveAway = async (caches: string, folder: string) => {
    await makeCompiled(caches);
    await chown(join(caches, folder), 65_534, 65_534);
  };
  const traps: [name: string, set: (caches: string) => Promise<void>, needsRoot?: true][] = [
    ['a folder that others may write to', (caches) => makeCompiled(caches, 0o777)],
    ['a folder that its group may write to', (caches) => makeCompiled(caches, 0o770)],
    [
      'a folder that others may replace',
      async (caches) => {
        await makeCompiled(caches);
        await chmod(join(caches, 'shiftfeed'), 0o777);
      },
    ],
    [
      'a symbolic link',
      async (caches) => {
        await makeFolder(join(caches, 'elsewhere'), 0o700);
        await makeFolder(join(caches, 'shiftfeed'), 0o700);
        await symlink(join(caches, 'elsewhere'), join(caches, 'shiftfeed/compiled'));
      },
    ],
    ['a folder of somebody else', (caches) => giveAway(caches, 'shiftfeed/compiled'), true],
    ['a folder within one of somebody else', (caches) => giveAway(caches, 'shiftfeed'), true],
  ];
  for (const [name, set, needsRoot] of traps) {
    const skip = needsRoot && process.getuid?.() !== 0 && 'only root can give folders away.';
    test(`is neither read from nor written to ${name}`, { skip }, async (t) => {
      const caches = await newFolder(t);
      await set(caches);
      const before = await readdir(caches, { recursive: true });
      assert.equal(folderWith({ XDG_CACHE_HOME: caches }), undefined);
      assert.deepEqual(await readdir(caches, { recursive: true }), before);
    });
  }
});

/** Starts it to its end, and returns what Node tells about the folder that it keeps compiled code in. */
async function startWith(env: Record<string, string>): Promise<string> {
  const unset = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: '' };
  const { code, stdout, stderr } = await shiftfeed(['--version'], {
    env: { ...unset, ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
  });
  assert.equal(code, 0, stderr);
  const told = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('[compile cache] '));
  return told.map((line) => line.replace('[compile cache] ', '')).join('\n');
}

/** The folder that Node keeps compiled code in, found out without starting all of it. */
function folderWith(env: Record<string, string>): string | undefined {
  const script = `
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from ${JSON.stringify(new URL('../../bin/compile-cache.js', import.meta.url))};
    keepCompiledCode();
    console.log(getCompileCacheDir() ?? '');`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...environment(), NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: '', ...env },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout.trim() || undefined;
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
}

/** Starts it with a database and a process group of its own, as a shell does. */
async function startGroup(t: TestContext, args: readonly string[], options: RunOptions) {
  const child = start(args, { ...options, databaseUrl: await newDatabaseUrl(t), detached: true });
  t.after(() => signalGroup(child, 'SIGKILL'));
  return child;
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}
