/**
 * The downloads for this platform: the executable has everything in it and runs where there is no Node and nothing can be
 * written, and the same commit gives the same bytes. CONTRIBUTING.md has the command that runs the tests of commands with it.
 */

import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, cp, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import packageInfo from '../../package.json' with { type: 'json' };
import { debianFile } from '../../packaging/debian.ts';
import { executableName, makeDownloads } from '../../packaging/downloads.ts';
import { THIS_PLATFORM } from '../../packaging/executable.ts';
import { packAll } from '../../packaging/pack.ts';
import { visitorWith } from '../desk/desk.ts';
import { environment, whenReady } from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { skipsWithout } from '../support/installed.ts';
import { untilYoungSpaceIsLarge } from '../support/young-space.ts';
import { assertServes } from './serves.ts';

const METRICS = /Metrics are at (\S+)/;

const run = promisify(execFile);
const { version } = packageInfo;

const folder = await newFolder({ after });
const first = await downloadsIn('first');
const executable = join(first, executableName(version, THIS_PLATFORM));
/** Where there is no other program, and no folder of the user. */
const BARE = {
  PATH: '/nonexistent',
  HOME: '/nonexistent',
  TMPDIR: '/nonexistent',
  SHIFTFEED_DRAIN_SECONDS: '0',
};

async function downloadsIn(name: string): Promise<string> {
  const destination = join(folder, name);
  await makeDownloads(await packAll(destination), [THIS_PLATFORM], destination);
  return destination;
}

test('the same commit gives the same bytes twice, and the checksums are right', async () => {
  const second = await downloadsIn('second');
  const [one, other] = await Promise.all(
    [first, second].map((place) => readFile(join(place, 'SHA256SUMS'), 'utf8')),
  );
  assert.equal(one, other);
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first });
});

describe('the executable', () => {
  test('runs the desk, and reads what is dropped on it in another process of itself', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const env = { ...environment(), DATABASE_URL: databaseUrl };
    const server = await whenReady(t, spawn(executable, ['desk', 'acme', '--port', '0'], { env }));
    assert.match(await (await fetch(server.url)).text(), /Sign in/);
    assert.equal((await fetch(`${server.url}/desk/main.js`)).status, 200);
    const [, key = ''] = /#key=(\S+)/.exec(await server.nextLine()) ?? [];
    const planner = visitorWith(server.url, `shiftfeed_desk=${key}`);
    const sheet = 'date,start_time,end_time,group,publish_date\n2027-03-06,09:00,17:00,Bar,2027-01-01\n';
    const id = await planner.upload('plan.csv', sheet);
    assert.equal((await planner.resultOf(id)).kind, 'questions');
    await planner.post(`imports/${id}/read`, { answers: [['time-zone', 'UTC']] });
    const { kind, digest } = await planner.resultOf(id);
    assert.equal(kind, 'preview');
    await planner.post(`imports/${id}/import`, { digest });
    assert.equal((await planner.resultOf(id)).kind, 'imported');
  });

  test('serves the demo, its pages and what these load, with workers and without anything else', async (t) => {
    const words = ['serve', '--demo', '--port', '0', '--workers', '2', '--admin-port', '0'];
    const child = spawn(executable, words, { cwd: await newFolder(t), env: BARE, detached: true });
    const server = await assertServes(t, child);
    let metricsUrl: string | undefined;
    while (metricsUrl === undefined) metricsUrl = METRICS.exec(await server.nextLine())?.[1];
    await untilYoungSpaceIsLarge(server.url, metricsUrl, 2);
  });

  test('runs where it cannot write anywhere but to its database', async (t) => {
    if (skipsWithout(t, ['bwrap', '--version'], 'bubblewrap')) return;
    const data = await newFolder(t);
    const database = ['--database', `sqlite:${join(data, 'test.db')}`];
    const jail = [
      '--ro-bind',
      '/',
      '/',
      '--dev-bind',
      '/dev/null',
      '/dev/null',
      '--proc',
      '/proc',
      '--bind',
      data,
      data,
      '--clearenv',
    ];
    const plan = join(data, 'plan.csv');
    // So many rows are read in a thread.
    const rows = Array.from({ length: 4_000 }, () => '2027-06-03,09:00,17:00,Kitchen');
    await writeFile(plan, `date,start,end,group\n${rows.join('\n')}\n`);
    const words = ['import', plan, '--account', 'acme', '--time-zone', 'UTC', '--published-from', 'today'];
    const { stdout } = await run('bwrap', [...jail, executable, ...words, ...database]);
    assert.match(stdout, /^shifts +4000 /m);
  });

  test('names itself as it was called: by another name, or through a link', async (t) => {
    const place = await newFolder(t);
    await symlink(executable, join(place, 'by-link'));
    await cp(executable, join(place, 'renamed'));
    for (const name of ['./by-link', './renamed']) {
      const { stderr, status } = spawnSync(name, { cwd: place, env: BARE, encoding: 'utf8' });
      assert.equal(status, 2);
      assert.match(stderr, new RegExp(`^ {2}${name.replace('.', '\\.')} serve --demo$`, 'm'));
    }
  });

  test('never does half of it if it was cut off: the system does not start it, or ends it', async (t) => {
    const file = join(await newFolder(t), 'cut');
    await cp(executable, file);
    await chmod(file, 0o755);
    const { length } = await readFile(file);
    // From the end: within what is inside of Node, and within Node.
    for (const left of [length - 1_000_000, length - 4_000_000, length / 2, 1_000]) {
      await truncate(file, Math.floor(left));
      const { status, stdout } = spawnSync(file, ['version'], { env: BARE, encoding: 'utf8' });
      assert.equal(stdout ?? '', '');
      assert.notEqual(status, 0);
    }
  });

  test('loads no module that the environment names', async (t) => {
    const module = join(await newFolder(t), 'other.mjs');
    await writeFile(module, 'console.log("loaded");');
    const env = { ...BARE, NODE_OPTIONS: `--import=${module}` };
    const { stdout } = spawnSync(executable, ['--version'], { env, encoding: 'utf8' });
    assert.equal(stdout, `${version}\n`);
  });
});

test('the package for Debian belongs to root, and lintian finds no error', async (t) => {
  const file = join(first, debianFile({ architecture: process.arch === 'x64' ? 'amd64' : 'arm64', version }));
  const { stdout } = await run('dpkg-deb', ['--contents', file]);
  for (const line of stdout.trim().split('\n'))
    assert.match(line, /^[-d]rw[x-]r-[x-](r-|--)[x-] root\/root /);
  assert.match(stdout, /^-rwxr-xr-x .* \.\/usr\/bin\/shiftfeed$/m);
  if (skipsWithout(t, ['lintian', '--version'], 'lintian')) return;
  // It leaves a file among those that are temporary.
  const env = { ...process.env, TMPDIR: await newFolder(t) };
  const { stdout: found } = spawnSync('lintian', ['--allow-root', file], { encoding: 'utf8', env });
  assert.doesNotMatch(found, /^E:/m);
});
