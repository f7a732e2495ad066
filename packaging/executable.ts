/**
 * One file for each platform that has everything in it: Node, our modules and their files. Node makes it itself
 * (`--build-sea`), those of other platforms as well. The same commit gives the same bytes.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIMES } from '../bin/runtime.js';
import type { Bundle } from './bundle.ts';
import { ROOT } from './packages.ts';

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

export async function makeExecutable(
  platform: Platform,
  { main, assets }: Bundle,
  file: string,
): Promise<void> {
  const config = `${file}.json`;
  const settings = {
    // Its path becomes a part of the executable.
    main: basename(main),
    mainFormat: 'module',
    // Of the very version that makes the executable.
    executable: await runtimeOf(platform, join(dirname(file), 'runtimes')),
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

/**
 * The Node of a platform, from the package that npm would install there. It is fetched into this folder, unless it lies there, and
 * checked against package-lock.json.
 */
async function runtimeOf(platform: Platform, folder: string): Promise<string> {
  if (platform === THIS_PLATFORM) return installedRuntime();
  const [name = '', ...path] = RUNTIMES[platform].split('/');
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  const tarball = join(folder, `${name}-${version}.tgz`);
  if ((await integrityOf(tarball)) !== integrity) {
    await mkdir(folder, { recursive: true });
    await run('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`], { cwd: ROOT });
    if ((await integrityOf(tarball)) !== integrity)
      throw new Error(`${name}@${version} is not what package-lock.json says.`);
  }
  const unpacked = join(folder, platform);
  await mkdir(unpacked, { recursive: true });
  const file = ['package', ...path].join('/');
  await run('tar', ['--extract', '--gzip', '--file', tarball, '--directory', unpacked, file]);
  return join(unpacked, file);
}

/** The Node that npm installed here. */
function installedRuntime(): string {
  return createRequire(import.meta.url).resolve(RUNTIMES[THIS_PLATFORM]);
}

async function integrityOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
