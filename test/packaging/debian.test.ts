/**
 * What dpkg runs when the package for Debian is installed, upgraded, removed and purged. Paths lead into a folder; Debian's
 * own helpers look there, too, and tell a stand-in for systemctl, which writes down what it is told and knows what runs.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { makeDebianPackage } from '../../packaging/debian.ts';
import { ROOT } from '../../packaging/packages.ts';
import { newFolder } from '../support/database.ts';

const NEEDED = ['dpkg-deb', 'deb-systemd-helper', 'deb-systemd-invoke'];
const missing = NEEDED.filter((name) => spawnSync('which', [name]).status !== 0);
const skip = missing.length > 0 && `This is no Debian: there is no ${missing.join(', ')}.`;

const unpacked = skip ? '' : await unpackedPackage();

async function unpackedPackage(): Promise<string> {
  const folder = await newFolder({ after });
  const executable = join(folder, 'executable');
  await writeFile(executable, '#!/bin/sh\n');
  const options = { architecture: 'amd64', version: '1.2.3', licences: '', epochSeconds: 0 } as const;
  const file = await makeDebianPackage({ ...options, executable }, folder);
  spawnSync('dpkg-deb', ['--raw-extract', file, join(folder, 'unpacked')]);
  return join(folder, 'unpacked');
}

/**
 * As systemd does, it refuses to listen for a service that runs without its socket, and a pattern matches what it has
 * loaded: what runs, and what is enabled.
 */
const SYSTEMCTL = `#!/bin/sh
words=
for word; do case $word in -*) ;; *) words="$words $word" ;; esac; done
set -f
set -- $words
set +f
verb=$1
shift
stop() { rm -f "$ROOT/active/$1"; }
start() {
  if [ "$1" = shiftfeed.socket ] && [ ! -e "$ROOT/active/$1" ] && [ -e "$ROOT/active/shiftfeed.service" ]; then exit 1; fi
  : > "$ROOT/active/$1"
}
named() {
  case $1 in *[*]*) ;; *) echo "$1"; return ;; esac
  for file in "$ROOT"/active/* "$ROOT"/etc/systemd/system/*.wants/*; do
    case \${file##*/} in $1) echo "\${file##*/}" ;; esac
  done | sort -u
}
case $verb in
  list-units) named "$1" | sed 's/$/ loaded active running Some words/' ;;
  is-enabled) [ -L "$(echo "$ROOT"/etc/systemd/system/*.wants/"$1")" ] && echo enabled ;;
  is-active) [ -e "$ROOT/active/$1" ] ;;
  daemon-reload) ;;
  *)
    for unit in $(for word; do named "$word"; done); do
      echo "$verb $unit" >> "$ROOT/told"
      case $verb in restart) stop "$unit" && start "$unit" ;; *) "$verb" "$unit" ;; esac
    done
    ;;
esac
`;

/** The data belongs to a user, who is not there. */
const INSTALL = `#!/bin/sh
case $1 in
  -d) for last; do :; done; mkdir -p "$last" ;;
  *) PATH=\${PATH#*:}; exec install "$@" ;;
esac
`;

/** What debconf answers: nobody can be asked, unless this says what somebody answered. A question has its default then. */
const CONFMODULE = `db_fset() { :; }
db_purge() { :; }
db_stop() { :; }
db_go() { :; }
db_input() { [ -n "$ANSWER" ] || return 30; }
db_get() { RET=\${ANSWER:-$(sed -n 's/^Default: //p' "$ROOT/templates")}; }
`;

/** A machine without the package. */
async function makeMachine(t: TestContext) {
  const root = await newFolder(t);
  for (const folder of ['stand-ins', 'active', 'run/systemd/system', 'etc', 'usr/share/debconf', 'var/lib'])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'stand-ins/systemctl'), SYSTEMCTL, { mode: 0o755 });
  await writeFile(join(root, 'usr/share/debconf/confmodule'), CONFMODULE);
  await cp(join(unpacked, 'DEBIAN/templates'), join(root, 'templates'));
  // Without being root.
  for (const name of ['adduser', 'getent'])
    await writeFile(join(root, 'stand-ins', name), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(root, 'stand-ins/install'), INSTALL, { mode: 0o755 });

  async function run(script: string, words: readonly string[], answer = ''): Promise<void> {
    const text = await readFile(join(unpacked, 'DEBIAN', script), 'utf8');
    const here = text.replaceAll(/(?<=[\s"])\/(?=(?:etc|run|usr|var)\/)/g, `${root}/`);
    const env = {
      PATH: [join(root, 'stand-ins'), process.env.PATH].join(delimiter),
      ROOT: root,
      DPKG_ROOT: root,
      DPKG_MAINTSCRIPT_PACKAGE: 'shiftfeed',
      ANSWER: answer,
    };
    const args = ['-c', here, script, ...words];
    const { status, stderr } = spawnSync('sh', args, { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }

  async function unpack(): Promise<void> {
    await cp(unpacked, root, { recursive: true, filter: (path) => basename(path) !== 'DEBIAN' });
  }

  async function conffiles(): Promise<string[]> {
    const file = join(unpacked, 'DEBIAN/conffiles');
    return existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : [];
  }

  const units = () => readdir(join(unpacked, 'usr/lib/systemd/system'));
  return {
    data: join(root, 'var/lib/shiftfeed'),
    settings: join(root, 'etc/shiftfeed/environment'),
    units,
    async install(before = ''): Promise<void> {
      await unpack();
      await run('postinst', ['configure', before]);
    },
    async upgrade(): Promise<void> {
      await run('prerm', ['upgrade', '1.2.4']);
      await unpack();
      await run('postrm', ['upgrade', '1.2.4']);
      await run('postinst', ['configure', '1.2.3']);
    },
    async remove(): Promise<void> {
      await run('prerm', ['remove']);
      for (const unit of await units()) await rm(join(root, 'usr/lib/systemd/system', unit));
      await run('postrm', ['remove']);
    },
    async purge(answer = ''): Promise<void> {
      // dpkg removes these itself, before it runs the script.
      for (const file of await conffiles()) await rm(join(root, file), { force: true });
      await run('postrm', ['purge'], answer);
    },
    /** What `systemctl enable` does, also with a copy of a unit. */
    async enable(unit: string, original = unit): Promise<void> {
      const text = await readFile(join(unpacked, 'usr/lib/systemd/system', original), 'utf8');
      const [, target = ''] = /^WantedBy=(.+)$/m.exec(text) ?? [];
      const folder = join(root, 'etc/systemd/system', `${target}.wants`);
      await mkdir(folder, { recursive: true });
      await symlink(`/usr/lib/systemd/system/${unit}`, join(folder, unit));
    },
    /** What `systemctl disable` does. */
    async disable(unit: string): Promise<void> {
      for await (const link of glob(`etc/systemd/system/*.wants/${unit}`, { cwd: root }))
        await rm(join(root, link));
    },
    systemctl: (...words: string[]) =>
      spawnSync(join(root, 'stand-ins/systemctl'), words, { env: { ...process.env, ROOT: root } }),
    active: async () => (await readdir(join(root, 'active'))).sort(),
    /** What systemd was told to do since it was last asked. */
    async told(): Promise<string[]> {
      const file = join(root, 'told');
      const text = existsSync(file) ? await readFile(file, 'utf8') : '';
      await rm(file, { force: true });
      return text.split('\n').filter((line) => line !== '');
    },
    leftInEtc: () => Array.fromAsync(glob('etc/systemd/**/*.{service,socket}', { cwd: root })),
    withoutDebconf: () => rm(join(root, 'usr/share/debconf'), { recursive: true }),
  };
}

describe('the package for Debian', { skip }, () => {
  test('starts the service alone when it is installed, and restarts what runs when it is upgraded, but for the socket', async (t) => {
    const machine = await makeMachine(t);
    await machine.install();
    assert.deepEqual(await machine.active(), ['shiftfeed.service']);
    machine.systemctl('stop', 'shiftfeed.service');
    for (const unit of ['shiftfeed.socket', 'shiftfeed.service', 'shiftfeed-desk.service']) {
      if (unit !== 'shiftfeed.service') await machine.enable(unit);
      machine.systemctl('start', unit);
    }
    await machine.told();
    await machine.upgrade();
    // Who listens goes on listening: to stop that resets the connections that wait.
    const told = await machine.told();
    assert.deepEqual(
      told.filter((line) => line !== 'start shiftfeed.socket'),
      ['restart shiftfeed.service', 'restart shiftfeed-desk.service'],
    );
    assert.deepEqual(await machine.active(), [
      'shiftfeed-desk.service',
      'shiftfeed.service',
      'shiftfeed.socket',
    ]);
  });

  test('listens by a socket that was enabled while the service ran, from the next upgrade on', async (t) => {
    const machine = await makeMachine(t);
    await machine.install();
    await machine.enable('shiftfeed.socket');
    await machine.upgrade();
    assert.deepEqual(await machine.active(), ['shiftfeed.service', 'shiftfeed.socket']);
  });

  test('leaves off what somebody switched off, when it is upgraded and when it is installed again', async (t) => {
    const machine = await makeMachine(t);
    await machine.install();
    await machine.disable('shiftfeed.service');
    machine.systemctl('stop', 'shiftfeed.service');
    await machine.upgrade();
    assert.deepEqual(await machine.active(), []);
    await machine.remove();
    await machine.install('1.2.3');
    assert.deepEqual(await machine.active(), []);
  });

  test('runs again what was enabled when it is removed and installed again; a purge leaves no link', async (t) => {
    const machine = await makeMachine(t);
    await machine.install();
    const all = (await machine.units()).sort();
    for (const unit of all) if (unit !== 'shiftfeed.service') await machine.enable(unit);
    await machine.remove();
    assert.deepEqual(await machine.active(), []);
    await machine.install('1.2.3');
    assert.deepEqual(await machine.active(), all);
    await machine.remove();
    await machine.purge();
    assert.deepEqual(await machine.leftInEtc(), []);
  });

  test('restarts, stops and runs again what somebody copied under another name', async (t) => {
    const copy = 'shiftfeed-import-bar.service';
    const machine = await makeMachine(t);
    await machine.install();
    await machine.enable(copy, 'shiftfeed-import.service');
    machine.systemctl('start', copy);
    await machine.told();
    await machine.upgrade();
    assert.deepEqual(await machine.told(), ['restart shiftfeed.service', `restart ${copy}`]);
    await machine.remove();
    assert.deepEqual(await machine.active(), []);
    await machine.install('1.2.3');
    assert.deepEqual(await machine.active(), [copy, 'shiftfeed.service']);
  });

  test('makes the settings, which only root can read, and leaves those that are there as they are', async (t) => {
    const machine = await makeMachine(t);
    await machine.install();
    assert.match(await readFile(machine.settings, 'utf8'), /^#SHIFTFEED_PORT=8080$/m);
    assert.equal((await stat(machine.settings)).mode & 0o777, 0o640);
    await writeFile(machine.settings, 'SHIFTFEED_PORT=8081\n');
    await machine.upgrade();
    await machine.remove();
    await machine.install('1.2.3');
    assert.equal(await readFile(machine.settings, 'utf8'), 'SHIFTFEED_PORT=8081\n');
  });

  test('has the rules and the dashboard for operators', async () => {
    const names = await Array.fromAsync(glob('deploy/monitoring/*', { cwd: ROOT }));
    assert.ok(names.length > 2);
    for (const name of names)
      assert.ok(existsSync(join(unpacked, 'usr/share/shiftfeed/monitoring', basename(name))), name);
  });

  describe('removes data and settings with a purge', () => {
    for (const [sentence, { answer, isGone }] of Object.entries({
      'if somebody says yes': { answer: 'true', isGone: true },
      'but not if somebody says no': { answer: 'false', isGone: false },
      'but not if nobody can be asked': { answer: '', isGone: false },
    })) {
      test(sentence, async (t) => {
        const machine = await makeMachine(t);
        await machine.install();
        await machine.remove();
        await machine.purge(answer);
        assert.equal(existsSync(machine.data), !isGone);
        assert.equal(existsSync(machine.settings), !isGone);
      });
    }

    test('but not where debconf is gone', async (t) => {
      const machine = await makeMachine(t);
      await machine.install();
      await machine.remove();
      await machine.withoutDebconf();
      await machine.purge();
      assert.ok(existsSync(machine.data));
      assert.ok(existsSync(machine.settings));
    });
  });
});
