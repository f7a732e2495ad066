/** The packages that are released together: the service, and those of the kit that it and others use. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
/** What the packages have in common. It is part of each of them, and no package for others. */
export const COMMON = '@shiftfeed/common';
/** What reads sheets, likewise. */
export const SHEETS = '@shiftfeed/sheets';
export const DESTINATION = join(ROOT, 'dist');

/** The parts of a package.json that packing and releasing look at. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: string | Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** All packages that are published on npm, each after those that it may depend on. */
export async function allPackages(): Promise<Package[]> {
  const kit = await readdir(join(ROOT, 'kit'));
  const folders = kit.map((name) => join(ROOT, 'kit', name)).filter(hasManifest);
  return Promise.all([...folders.sort(), ROOT].map(readPackage));
}

function hasManifest(folder: string): boolean {
  return existsSync(join(folder, 'package.json'));
}

async function readPackage(folder: string): Promise<Package> {
  return { folder, manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) };
}
