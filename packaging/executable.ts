/**
 * One file for each platform that has everything in it: Node, our modules and their files. Node makes it itself
 * (`--build-sea`), those of other platforms as well. The same commit gives the same bytes.
 */

import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIMES } from '../bin/runtime.js';
import type { Bundle } from './bundle.ts';

const run = promisify(execFile);

/** Others install Shiftfeed with npm. */
export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** One of them, wherever executables are made. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}` as Platform;

/**
 * Compiled code only serves the platform that compiled it; the others compile at each start. V8 orders some of it by a
 * random number, unless it is told which.
 */
const SAME_BYTES = '--random-seed=1';

/** `runtime` is the Node of that platform, of the very version that makes the executable. */
export async function makeExecutable(
  platform: Platform,
  runtime: string,
  { main, assets }: Bundle,
  file: string,
): Promise<void> {
  const config = `${file}.json`;
  const settings = {
    // Its path becomes a part of the executable.
    main: basename(main),
    mainFormat: 'module',
    executable: runtime,
    output: file,
    disableExperimentalSEAWarning: true,
    useCodeCache: platform === THIS_PLATFORM,
    assets,
  };
  await writeFile(config, JSON.stringify(settings));
  try {
    // Without settings of this shell, which would change what the compiled code fits to.
    const env = { ...process.env, NODE_OPTIONS: '' };
    await run(installedRuntime(), [SAME_BYTES, '--build-sea', config], { cwd: dirname(main), env });
  } finally {
    await rm(config);
  }
}

/** The Node that npm installed here. */
export function installedRuntime(): string {
  return createRequire(import.meta.url).resolve(RUNTIMES[THIS_PLATFORM]);
}
