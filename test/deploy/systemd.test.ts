/** The units of systemd, and how the service tells it that it is ready. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { makeProgram } from '../../src/cli/program.ts';
import { startServer } from '../support/cli.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { skipsWithout } from '../support/installed.ts';
import { until } from '../support/until.ts';

const FOLDER = join(import.meta.dirname, '../../deploy');
/** Of 10, at most. The network, which a service cannot do without, makes up most of it. */
const MAX_EXPOSURE = 2;
const AWAY = 'postgres://shiftfeed:secret@127.0.0.1:1/shiftfeed';

for (const name of [
  'shiftfeed.service',
  'shiftfeed-gateway.service',
  'shiftfeed-import.service',
  'shiftfeed-desk.service',
]) {
  describe(name, () => {
    test('starts a command that there is, as a user without rights', async () => {
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const [, command] = /^ExecStart=\/opt\/shiftfeed\/bin\/shiftfeed (\S+)/m.exec(unit) ?? [];
      const { commands } = await makeProgram();
      assert.ok(commands.some((candidate) => candidate.name() === command));
      for (const line of ['DynamicUser=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict']) {
        assert.ok(unit.split('\n').includes(line), line);
      }
    });

    test('is started again however often it fails, and only its first process is told to end', async () => {
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const [head = ''] = unit.split('[Service]');
      assert.match(head, /^StartLimitIntervalSec=0$/m);
      assert.match(unit, /^Restart=on-failure$/m);
      assert.match(unit, /^KillMode=mixed$/m);
    });

    test('is understood by systemd, and exposes little', async (t) => {
      if (skipsWithout(t, ['systemd-analyze', '--version'], 'systemd')) return;
      const folder = await newFolder(t);
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const file = join(folder, name);
      // The check wants the program to exist.
      await writeFile(file, unit.replaceAll('/opt/shiftfeed/bin/shiftfeed', process.execPath));
      const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      assert.ok(!stderr.includes(name), stderr);
      const words = ['security', '--offline=true', '--no-pager', file];
      const { stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
      const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
      assert.ok(exposure < MAX_EXPOSURE, stdout);
    });
  });
}

test('shiftfeed.socket is understood by systemd, and listens where the service does by default', async (t) => {
  const text = await readFile(join(FOLDER, 'shiftfeed.socket'), 'utf8');
  const { commands } = await makeProgram('serve');
  const { host, port } = commands[0]?.opts() ?? {};
  assert.match(text, new RegExp(`^ListenStream=${host}:${port}$`, 'm'));
  if (skipsWithout(t, ['systemd-analyze', '--version'], 'systemd')) return;
  const folder = await newFolder(t);
  const unit = await readFile(join(FOLDER, 'shiftfeed.service'), 'utf8');
  await writeFile(
    join(folder, 'shiftfeed.service'),
    unit.replaceAll('/opt/shiftfeed/bin/shiftfeed', process.execPath),
  );
  await writeFile(join(folder, 'shiftfeed.socket'), text);
  const words = ['verify', join(folder, 'shiftfeed.socket'), join(folder, 'shiftfeed.service')];
  const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  assert.ok(!stderr.includes('shiftfeed.'), stderr);
});

for (const name of ['shiftfeed.service', 'shiftfeed-desk.service']) {
  test(`${name} may change the schema of a large database for as long as it takes, before it is ready`, async () => {
    const unit = await readFile(join(FOLDER, name), 'utf8');
    assert.match(unit, /^Type=notify$/m);
    assert.match(unit, /^TimeoutStartSec=infinity$/m);
  });
}

test('who installs the units is told to make the folder of their settings', async () => {
  const names = await Array.fromAsync(glob('*.service', { cwd: FOLDER }));
  const texts = await Promise.all(
    ['../docs/installing.md', ...names].map((name) => readFile(join(FOLDER, name), 'utf8')),
  );
  const told = texts
    .map((text) => text.split('[Unit]')[0] ?? '')
    .filter((text) => text.includes('/etc/shiftfeed/'));
  assert.ok(told.length > 3);
  for (const text of told) assert.ok(text.includes('mkdir -p /etc/shiftfeed'), text.slice(0, 80));
});

test('commands on the database of the service run as the manual says: as its user, with its settings', async (t) => {
  const unit = (await readFile(join(FOLDER, 'shiftfeed.service'), 'utf8')).split('\n');
  const manual = await readFile(join(FOLDER, '../docs/installing.md'), 'utf8');
  const [, block = ''] = /^```sh\n(shiftfeed\(\) \{\n[\s\S]+?)^```$/m.exec(manual) ?? [];
  const settings = [...block.matchAll(/ -p (\S+)/g)].map(([, setting = '']) => setting);
  assert.ok(settings.length > 0);
  for (const setting of settings) assert.ok(unit.includes(setting), setting);
  assert.ok(unit.some((line) => line.startsWith('ExecStart=/opt/shiftfeed/bin/shiftfeed ')));

  // What the shell makes of it: a stand-in for systemd-run tells its arguments, and what it reads.
  const folder = await newFolder(t);
  const standIn = join(folder, 'systemd-run');
  await writeFile(standIn, '#!/bin/sh\nfor word; do :; done\necho "$word: $(cat)"\n', { mode: 0o755 });
  await writeFile(join(folder, 'plan.csv'), 'a,b');
  const PATH = [folder, process.env.PATH].join(delimiter);
  const { stdout } = spawnSync('sh', ['-c', block], {
    cwd: folder,
    env: { PATH },
    input: '',
    encoding: 'utf8',
  });
  assert.equal(stdout, 'acme: \ntoday: a,b\n');
});

test('systemd is told when the service is ready, and not without asking', async (t) => {
  const folder = await newFolder(t);
  await mkdir(join(folder, 'bin'));
  const told = join(folder, 'told');
  await writeFile(join(folder, 'bin/systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${told}'\n`, {
    mode: 0o755,
  });
  const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  const databaseUrl = await newDatabaseUrl(t);
  await startServer(t, [], { databaseUrl, env: { PATH } });
  // It is ready when it listens, even if its database is away.
  await startServer(t, [], { databaseUrl: AWAY, env: { PATH, NOTIFY_SOCKET: '/run/a' } });
  await until('systemd is told', () => existsSync(told) && readFileSync(told, 'utf8').endsWith('\n'));
  assert.equal(readFileSync(told, 'utf8'), '/run/a --ready\n');
});
