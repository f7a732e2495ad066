/** What executables and packages for Debian are made of. That they run is a matter of the long tests. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import packageInfo from '../../package.json' with { type: 'json' };
import { forDebian } from '../../packaging/debian.ts';
import { partsList } from '../../packaging/downloads.ts';
import { signForMac } from '../../packaging/mac-signature.ts';
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

describe('the signature for macOS', () => {
  test('has the hash of every page, and lies at the end of the last segment', async (t) => {
    const file = join(await newFolder(t), 'program');
    const unsigned = Buffer.concat([smallProgram(), Buffer.alloc(10_001, 'x')]);
    await writeFile(file, unsigned);
    await signForMac(file, 'shiftfeed');
    const signed = await readFile(file);
    const command = signed.subarray(32 + 2 * 72);
    assert.equal(command.readUInt32LE(0), 0x1d);
    const [offset, length] = [command.readUInt32LE(8), command.readUInt32LE(12)];
    assert.equal(offset + length, signed.length);
    assert.equal(offset % 16, 0);
    const linkedit = signed.subarray(32 + 72);
    assert.equal(linkedit.readBigUInt64LE(40) + linkedit.readBigUInt64LE(48), BigInt(signed.length));
    const directory = signed.subarray(offset + signed.readUInt32BE(offset + 16));
    const hashes = directory.subarray(directory.readUInt32BE(16));
    const pages = directory.readUInt32BE(28);
    assert.equal(pages, Math.ceil(offset / 4096));
    for (let i = 0; i < pages; i++) {
      const page = signed.subarray(i * 4096, Math.min((i + 1) * 4096, offset));
      const hash = createHash('sha256').update(page).digest('hex');
      assert.equal(hashes.toString('hex', i * 32, (i + 1) * 32), hash);
    }
  });

  test('is refused to what is signed, or is no program of macOS', async (t) => {
    const file = join(await newFolder(t), 'program');
    await writeFile(file, Buffer.concat([smallProgram(), Buffer.alloc(5_000)]));
    await signForMac(file, 'shiftfeed');
    await assert.rejects(signForMac(file, 'shiftfeed'), /signed already/);
    await writeFile(file, Buffer.alloc(5_000));
    await assert.rejects(signForMac(file, 'shiftfeed'), /no executable of macOS/);
  });
});

/** A head with two segments, and room for a third command. */
function smallProgram(): Buffer {
  const head = Buffer.alloc(4_096);
  head.writeUInt32LE(0xfeedfacf, 0);
  head.writeUInt32LE(2, 16);
  head.writeUInt32LE(2 * 72, 20);
  for (const [i, name] of ['__TEXT', '__LINKEDIT'].entries()) {
    const segment = head.subarray(32 + i * 72);
    segment.writeUInt32LE(0x19, 0);
    segment.writeUInt32LE(72, 4);
    segment.write(name, 8);
    segment.writeBigUInt64LE(BigInt(i * 4_096), 40);
  }
  return head;
}
