/** What executables and packages for Debian are made of. That they run is a matter of the long tests. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import packageInfo from '../../package.json' with { type: 'json' };
import { forDebian } from '../../packaging/debian.ts';
import { partsList } from '../../packaging/downloads.ts';
import { manPage } from '../../packaging/man-page.ts';
import { ROOT } from '../../packaging/packages.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { newFolder } from '../support/database.ts';
import { skipsWithout } from '../support/installed.ts';

describe('a unit in the package for Debian', async () => {
  for (const name of await Array.fromAsync(glob('deploy/*.{service,socket}', { cwd: ROOT }))) {
    test(`${name} starts the executable, and says nothing of npm`, async () => {
      const source = await readFile(join(ROOT, name), 'utf8');
      const unit = forDebian(source);
      assert.doesNotMatch(unit, /\/opt\/|npm|\bcp |To install/);
      if (name.endsWith('.service')) assert.match(unit, /^ExecStart=\/usr\/bin\/shiftfeed [a-z]+/m);
      // The user of the database is there for commands as well, so systemd need not make one up.
      assert.equal(/^DynamicUser=/m.test(unit), /^User=shiftfeed-/m.test(unit));
      assert.equal(/^CapabilityBoundingSet=$/m.test(unit), /^CapabilityBoundingSet=$/m.test(source));
    });
  }
});

describe('the man page', async () => {
  const page = await manPage('1.2.3', 1_800_000_000);

  test('has the help of every command, and the version and day of the release', async () => {
    assert.match(page, /^\.TH SHIFTFEED 1 2027-01-15 "Shiftfeed 1\.2\.3"/);
    const sections = [...page.matchAll(/^\.SS (.+)$/gm)].map(([, name]) => name);
    const { commands } = await makeProgram();
    const expected = commands.flatMap((one) => [
      one.name(),
      ...one.commands.map((child) => `${one.name()} ${child.name()}`),
    ]);
    assert.deepEqual(sections, expected);
    assert.match(page, /^ {2}\\-\\-port <number>/m);
  });

  test('is read by man without a complaint', async (t) => {
    if (skipsWithout(t, ['man', '--version'], 'man-db')) return;
    const file = join(await newFolder(t), 'shiftfeed.1');
    await writeFile(file, page);
    const env = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '90' };
    const { stdout, stderr } = spawnSync('man', ['--warnings', '--local-file', file], {
      env,
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    assert.match(stdout, /^ {3}token create$/m);
  });
});

test('the list of parts is CycloneDX, and names what npm would install and no tools of ours', async () => {
  const list = JSON.parse(await partsList({ ...packageInfo, exports: {} }, 1_800_000_000));
  assert.deepEqual([list.bomFormat, list.metadata.component.name], ['CycloneDX', 'shiftfeed']);
  const parts: string[] = list.components.map((part: { purl: string }) => part.purl);
  const { dependencies, optionalDependencies } = packageInfo;
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
    assert.ok(parts.includes(`pkg:npm/${name.replace('@', '%40')}@${version}`), name);
  assert.ok(parts.some((part) => part.startsWith('pkg:npm/pg-protocol@')));
  assert.ok(!parts.some((part) => /typescript|esbuild|playwright/.test(part)));
});
