/**
 * What belongs to Shiftfeed beside its modules: files that it reads or serves, and the scripts of threads. A module names
 * them by where they lie from it: `new URL('./page.html', import.meta.url)`. In a clone and in the package that npm
 * installs these are files. In the executable, `packaging/executable.ts` gives every module an address that begins with
 * `inside:`, and what lies there comes out of the executable, without ever being written to a disk.
 */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { getAsset, getAssetKeys } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Whether this is the executable, which needs no Node and no script to be started. */
export const IS_EXECUTABLE = isInside(new URL(import.meta.url));

/** Scripts for browsers are TypeScript in a clone. What is packed was compiled. */
const IS_CLONE = import.meta.url.endsWith('.ts');

export function ownFile(file: URL): Buffer {
  if (isInside(file)) return Buffer.from(getAsset(file.pathname));
  return IS_CLONE && file.pathname.endsWith('.js') ? compiled(file) : readFileSync(file);
}

/** Without its types, so that in a clone nothing has to be built before a start. */
function compiled(script: URL): Buffer {
  const source = readFileSync(new URL(script.href.replace(/js$/, 'ts')), 'utf8');
  const { emitWarning } = process;
  // Node warns once that this may change, which is for us to notice, and not for whoever opens a page.
  process.emitWarning = () => undefined;
  try {
    return Buffer.from(stripTypeScriptTypes(source).replaceAll(/(?<= from '\.\/[\w-]+\.)ts(?=';$)/gm, 'js'));
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The names of the files in a folder, whose address ends with a slash. */
export function ownFilesIn(folder: URL): string[] {
  if (!isInside(folder)) return readdirSync(folder).sort();
  const paths = getAssetKeys().filter((path) => path.startsWith(folder.pathname));
  return paths.map((path) => path.slice(folder.pathname.length)).sort();
}

/** The script must be named as above in the file that starts it, because only such scripts become a part of the executable. */
export function startThread(script: URL, options: WorkerOptions): Worker {
  return new Worker(isInside(script) ? asAddress(ownFile(script)) : script, options);
}

/**
 * Starts a process that runs a module of ours and is talked to by messages. `packaging/bundle.ts` names such modules: the
 * executable is started once more then, with the address of the module for its first word.
 */
export function startProcess(module: URL, { maxMemoryMb }: { readonly maxMemoryMb: number }): ChildProcess {
  const limit = `--max-old-space-size=${maxMemoryMb}`;
  // What it prints is dropped: it may quote what it was given.
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  if (!isInside(module)) return fork(module, { execArgv: [limit], stdio: [...stdio] });
  // An executable takes options of Node from the environment only.
  const env = { ...process.env, NODE_OPTIONS: limit };
  return spawn(process.execPath, [module.href], { env, stdio: [...stdio] });
}

/**
 * For such a process: ends it when the one that started it is gone, even while it is too busy to hear of that, as in the
 * middle of a long statement.
 */
export function endWithParent(): void {
  const watch = `const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 100);`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
}

function isInside({ protocol }: URL): boolean {
  return protocol === 'inside:';
}

/** Node takes a module that is no file in this form. */
function asAddress(module: Buffer): URL {
  return new URL(`data:text/javascript;base64,${module.toString('base64')}`);
}
