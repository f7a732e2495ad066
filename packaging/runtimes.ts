/** The Node of another platform, from the package that npm would install there. It is checked against package-lock.json. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIMES } from '../bin/runtime.js';
import { installedRuntime, type Platform, THIS_PLATFORM } from './executable.ts';
import { ROOT } from './packages.ts';

const run = promisify(execFile);

/** Fetches it into this folder, unless it lies there. */
export async function runtimeOf(platform: Platform, folder: string): Promise<string> {
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

async function integrityOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
