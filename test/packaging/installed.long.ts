/**
 * What is packed runs where npm installs it: in a folder, from a global prefix, started by an old Node, and without its
 * runtime.
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import packageInfo from '../../package.json' with { type: 'json' };
import { type PackedPackage, packAll } from '../../packaging/pack.ts';
import { environment } from '../support/cli.ts';
import { newFolder } from '../support/database.ts';
import { withoutNpm } from '../support/from-registry.ts';
import { OLD_NODE_ARGS, oldNodesOnPath } from '../support/old-node.ts';
import { startRegistry } from '../support/registry.ts';
import { assertServes } from './serves.ts';

const run = promisify(execFile);

const folder = await newFolder({ after });
const packed = await packAll(join(folder, 'packed'));
/** A folder with spaces in its path, in which packages are installed. */
const project = join(folder, 'my web site');
/** The same for `npm install --global`. */
const prefix = join(folder, 'all users');
const env = {
  ...withoutNpm(environment()),
  PATH: [await oldNodeFolder(folder), ...pathWithoutModules()].join(delimiter),
  npm_config_registry: await startRegistry({ after }, packed),
  npm_config_cache: join(folder, 'cache'),
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
};
await mkdir(project);
await run('npm', ['install', ...packed.map(({ tarball }) => tarball)], { cwd: project, env });
await run('npm', ['install', '--global', '--prefix', prefix, packedOf('shiftfeed').tarball], {
  cwd: folder,
  env,
});

describe('the package, installed from its tarball', () => {
  test('serves the demo when npx starts it, from a path with spaces', async (t) => {
    const words = ['shiftfeed', 'serve', '--demo', '--port', '0'];
    await assertServes(t, spawn('npx', words, { cwd: project, env, detached: true }));
  });

  test('serves the demo when an old Node starts it', async (t) => {
    const command = join(project, 'node_modules/.bin/shiftfeed');
    const words = ['serve', '--demo', '--port', '0', '--workers', '2'];
    await assertServes(t, spawn(command, words, { cwd: await newFolder(t), env, detached: true }));
  });

  test('serves the demo from a global prefix, and /docs', async (t) => {
    const words = ['serve', '--demo', '--port', '0'];
    const child = spawn(join(prefix, 'bin/shiftfeed'), words, {
      cwd: await newFolder(t),
      env,
      detached: true,
    });
    await assertServes(t, child);
  });

  test('runs no script', async () => {
    for (const { folder } of packed) {
      const { default: manifest } = await import(join(folder, 'package.json'), { with: { type: 'json' } });
      assert.equal(manifest.scripts, undefined);
      assert.equal(manifest.devDependencies, undefined);
      assert.equal(manifest.private, undefined);
    }
  });

  test('needs no runtime of its own with a Node 26, as after npm install --omit=optional', async (t) => {
    const modules = join(project, 'node_modules');
    const [runtime = ''] = (await readdir(modules)).filter(
      (name) => name in packageInfo.optionalDependencies,
    );
    await rename(join(modules, runtime), join(folder, runtime));
    t.after(() => rename(join(folder, runtime), join(modules, runtime)));
    const launcher = join(modules, 'shiftfeed/bin/shiftfeed.js');
    const { stdout } = await run(process.execPath, [launcher, '--version'], { env });
    assert.equal(stdout, `${packageInfo.version}\n`);
    await assert.rejects(run('node', [launcher, '--version'], { env }), /again without --omit=optional/);
  });
});

test('packages of the kit, installed from their tarballs, can be imported by an old Node', async () => {
  const file = join(project, 'reader.mjs');
  await writeFile(
    file,
    `const { ShiftfeedClient } = await import('@shiftfeed/client');
     const { readConfig } = await import('@shiftfeed/gateway');
     const { ShiftCalendar } = await import('@shiftfeed/calendar');
     const { browserFiles } = await import('@shiftfeed/calendar/browser-files');
     const client = new ShiftfeedClient({ url: 'http://127.0.0.1/a', token: 'b' });
     console.log(typeof client.list, typeof readConfig, typeof ShiftCalendar, browserFiles().length);`,
  );
  assert.equal((await run('node', [file], { cwd: project, env })).stdout, 'function function function 3\n');
});

function packedOf(name: string): PackedPackage {
  const found = packed.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

/** A folder in which `node` is the oldest Node at hand, or else one that pretends to be. */
async function oldNodeFolder(parent: string): Promise<string> {
  const folder = join(parent, 'old node');
  await mkdir(folder);
  const [oldest] = oldNodesOnPath().sort(([, a], [, b]) => a.localeCompare(b, 'en', { numeric: true }));
  const words = oldest === undefined ? [process.execPath, ...OLD_NODE_ARGS] : [oldest[0]];
  const command = words.map((word) => `'${word}'`).join(' ');
  await writeFile(join(folder, 'node'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}

/** `npm run` puts the tools of this clone first, among them Node 26. */
function pathWithoutModules(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
}
