/**
 * The calendar's scripts, ready for browsers: one that a site can copy or load from a CDN, and those that a server gives
 * beside each other, as texts within a module; and what editors want to know. Who installs the package needs nothing to make or find them.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRIPTS, wholeScript } from '../kit/calendar/build/scripts.ts';
import { customElementsManifest } from './custom-elements.ts';

export async function writeCalendarFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'browser'), { recursive: true });
  await writeFile(join(folder, 'browser/shift-calendar.js'), wholeScript());
  const manifest = customElementsManifest(await readFile(join(folder, 'README.md'), 'utf8'));
  await writeFile(join(folder, 'browser/custom-elements.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const module = join(folder, 'build/scripts');
  await writeFile(`${module}.js`, `export const SCRIPTS = ${JSON.stringify(SCRIPTS, null, 2)};\n`);
  await writeFile(`${module}.d.ts`, 'export declare const SCRIPTS: Readonly<Record<string, string>>;\n');
  await rm(`${module}.js.map`);
}
