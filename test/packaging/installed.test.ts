/** What is packed is whole, and runs where npm would put it, below `node_modules`. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cp, glob, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { browserFiles } from '../../kit/calendar/build/browser-files.ts';
import { packAll } from '../../packaging/pack.ts';
import { allPackages, COMMON, type Manifest, ROOT } from '../../packaging/packages.ts';
import { browserTest, connectBrowser } from '../support/browser.ts';
import { environment } from '../support/cli.ts';
import { newFolder } from '../support/database.ts';
import { oldNodesOnPath } from '../support/old-node.ts';
import { often } from '../support/strength.ts';
import { assertServes } from './serves.ts';

const run = promisify(execFile);

const folder = await newFolder({ after });
/** As an earlier version left it. */
const destination = join(folder, 'packed');
await mkdir(destination);
const LEFTOVERS = ['shiftfeed-0.9.0.tgz', 'shiftfeed_0.9.0_amd64.deb', 'SHA256SUMS'];
const OTHERS = ['runtimes', 'notes.txt'];
for (const name of [...LEFTOVERS, ...OTHERS]) await writeFile(join(destination, name), '');
const umask = process.umask(0o077);
const packed = await packAll(destination);
process.umask(umask);
/** Where the packages are installed, with the packages of this clone beside them. */
const project = await newFolder({ after });
const modules = join(project, 'node_modules');
await mkdir(join(modules, '@shiftfeed'), { recursive: true });
for (const { name, folder: unpacked } of packed) await cp(unpacked, join(modules, name), { recursive: true });
for (const name of await readdir(join(ROOT, 'node_modules'))) {
  if (name !== '@shiftfeed') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
}

test('packing removes what an earlier version left, and nothing else', async () => {
  const names = await readdir(destination);
  assert.deepEqual(
    [...LEFTOVERS, ...OTHERS].filter((name) => names.includes(name)),
    OTHERS,
  );
});

test('everybody can read what is packed, whatever the umask of who packs it', async () => {
  for (const { tarball, name } of packed) {
    const { stdout } = await run('tar', ['--list', '--verbose', '--gzip', '--file', tarball]);
    const modes = stdout.split('\n').flatMap((line) => line.split(' ', 1));
    const others = modes.filter((mode) => !['', '-rw-r--r--', '-rwxr-xr-x'].includes(mode));
    assert.deepEqual(others, [], name);
  }
});

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
          assert.ok(
            needed in { ...manifest.dependencies, ...manifest.peerDependencies },
            `${name}: ${file} imports ${needed}`,
          );
      }
    }
  }
});

test('client and calendar depend on nothing, and no package names the one that is not published', async () => {
  for (const { folder: unpacked, name } of packed) {
    const manifest: Manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
    if (name === '@shiftfeed/client' || name === '@shiftfeed/calendar')
      assert.equal(manifest.dependencies, undefined, name);
    assert.equal(manifest.devDependencies, undefined, name);
    for await (const file of glob('{src,build}/**/*.{js,d.ts}', { cwd: unpacked })) {
      const text = await readFile(join(unpacked, file), 'utf8');
      assert.ok(!text.includes(COMMON), `${name}: ${file}`);
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
    const others = /^(test|bench|docs(?!\/[\w.-]+\.(?:md|json)$)|kit|dist)\/|(?<!\.d)\.ts$|tsconfig/;
    assert.deepEqual(
      files.filter((file) => others.test(file)),
      [],
    );
  }
});

test('the package has every file that the manuals copy out of it, and the dashboard', async () => {
  const manuals = ['installing.md', 'operating.md'].map((name) => readFile(join(ROOT, 'docs', name), 'utf8'));
  const copied = [...(await Promise.all(manuals)).join('').matchAll(/\/node_modules\/shiftfeed\/(\S+)/g)];
  assert.ok(copied.length > 2);
  for (const pattern of [...copied.map(([, path = '']) => path), 'deploy/monitoring/grafana.json']) {
    const inClone = await Array.fromAsync(glob(pattern, { cwd: ROOT }));
    assert.notDeepEqual(inClone, [], pattern);
    const inPackage = await Array.fromAsync(glob(pattern, { cwd: join(modules, 'shiftfeed') }));
    assert.deepEqual(inPackage.sort(), inClone.sort(), pattern);
  }
});

test('the packed service lists the shifts of the demo, with the packed kit beside it', async (t) => {
  const child = spawn(
    process.execPath,
    [join(modules, 'shiftfeed/bin/shiftfeed.js'), 'serve', '--demo', '--port', '0'],
    { cwd: project, env: environment(), detached: true },
  );
  await assertServes(t, child);
});

test('on a server, as old as Node 20, the packed calendar does nothing and gives the scripts for browsers', async (t) => {
  const file = join(project, 'server.mjs');
  await writeFile(
    file,
    `import * as calendar from '@shiftfeed/calendar';
     import { browserFiles } from '@shiftfeed/calendar/browser-files';
     const scripts = browserFiles().map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]);
     const isRegistered = 'customElements' in globalThis;
     console.log(JSON.stringify({ exported: Object.keys(calendar), isRegistered, scripts }));`,
  );
  for (const [node, version] of [
    [process.execPath, process.version],
    ...often([], oldNodesOnPath()),
  ] as const) {
    t.diagnostic(`run on Node ${version}`);
    const { exported, isRegistered, scripts } = JSON.parse((await run(node, [file])).stdout);
    assert.deepEqual(exported, ['ShiftCalendar']);
    assert.equal(isRegistered, false);
    assert.deepEqual(
      scripts,
      browserFiles().map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    );
  }
});

browserTest('the script that stands ready in the package shows every view by itself', async (context) => {
  const script = new URL(await resolved('@shiftfeed/calendar/shift-calendar.js'));
  const asked: string[] = [];
  const browser = await connectBrowser(context);
  const page = await browser.newPage();
  await page.route('https://site.example/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(pathname);
    if (pathname === '/') await route.fulfill({ contentType: 'text/html', body: PAGE });
    else await route.fulfill({ contentType: 'text/javascript', body: await readFile(script, 'utf8') });
  });
  await page.goto('https://site.example/');
  await page.evaluate('document.querySelector("shift-calendar").source = () => ({ shifts: [] })');
  const parts = { list: 'list', week: 'week', month: 'month', now: 'board' };
  for (const [view, part] of Object.entries(parts)) {
    await page.evaluate(`document.querySelector('shift-calendar').view = '${view}'`);
    await page.locator(`shift-calendar [part~="${part}"]`).waitFor({ state: 'attached' });
  }
  assert.deepEqual(asked, ['/', '/shift-calendar.js']);
});

const PAGE = `<!doctype html><link rel="icon" href="data:,">
<script type="module" src="shift-calendar.js"></script>
<shift-calendar></shift-calendar>`;

/** The address of the file that a program in the project gets for this name. */
async function resolved(name: string): Promise<string> {
  const script = `console.log(import.meta.resolve('${name}'))`;
  const words = ['--input-type=module', '--eval', script];
  return (await run(process.execPath, words, { cwd: project })).stdout.trim();
}
