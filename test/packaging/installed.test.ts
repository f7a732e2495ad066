/** What is packed is whole, and runs where npm would put it, below `node_modules`. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { glob, mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { packAll } from '../../packaging/pack.ts';
import { allPackages, type Manifest, ROOT } from '../../packaging/packages.ts';
import { environment } from '../support/cli.ts';
import { newFolder } from '../support/database.ts';
import { assertListsShifts } from './lists-shifts.ts';

const run = promisify(execFile);

const folder = await newFolder({ after });
const packed = await packAll(join(folder, 'packed'));

test('every package depends on what it imports', async () => {
  for (const { folder: unpacked, name } of packed) {
    const manifest: Manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
    for await (const file of glob('{src,build}/**/*.js', { cwd: unpacked })) {
      const script = await readFile(join(unpacked, file), 'utf8');
      for (const [, imported = ''] of script.matchAll(
        /(?:^(?:import|export) .*from |import\()'([^.][^']*)'/gm,
      )) {
        const [scope = '', rest] = imported.split('/');
        const needed = scope.startsWith('@') ? `${scope}/${rest}` : scope;
        if (!needed.startsWith('node:'))
          assert.ok(needed in (manifest.dependencies ?? {}), `${name}: ${file} imports ${needed}`);
      }
    }
  }
});

test('every package holds JavaScript with maps, types where it can be imported, and what a reader looks for', async () => {
  for (const { folder: source, manifest } of await allPackages()) {
    const tarball = packed.find(({ name }) => name === manifest.name)?.tarball ?? '';
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout.split('\n').map((file) => file.replace('package/', ''));
    for (const module of await Array.fromAsync(glob('src/**/*.ts', { cwd: source }))) {
      const types = manifest.exports === undefined ? [] : ['d.ts'];
      for (const ending of ['js', 'js.map', ...types]) {
        assert.ok(files.includes(module.replace(/ts$/, ending)), `${module} as ${ending}`);
      }
    }
    for (const text of ['README.md', 'LICENSE', 'CHANGELOG.md']) assert.ok(files.includes(text), text);
    const others = /^(test|bench|docs|kit|dist)\/|(?<!\.d)\.ts$|tsconfig/;
    assert.deepEqual(
      files.filter((file) => others.test(file)),
      [],
    );
  }
});

test('the packed service lists the shifts of the demo, with the packed kit beside it', async (t) => {
  const modules = join(await newFolder(t), 'node_modules');
  await mkdir(join(modules, '@shiftfeed'), { recursive: true });
  for (const { name, folder: unpacked } of packed) await rename(unpacked, join(modules, name));
  const others = (await readdir(join(ROOT, 'node_modules'))).filter((name) => name !== '@shiftfeed');
  for (const name of others) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  const child = spawn(
    process.execPath,
    [join(modules, 'shiftfeed/bin/shiftfeed.js'), 'serve', '--demo', '--port', '0'],
    { cwd: dirname(modules), env: environment(), detached: true },
  );
  const url = await assertListsShifts(t, child);
  for (const path of ['/', '/explorer/shift-calendar.js', '/docs', '/docs/swagger-ui-bundle.js']) {
    const response = await fetch(url + path);
    await response.body?.cancel();
    assert.equal(response.status, 200, path);
  }
});
