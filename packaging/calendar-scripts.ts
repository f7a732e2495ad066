/**
 * The calendar's scripts, ready for browsers: one that a site can copy or load from a CDN, and those that a server gives
 * beside each other. Who installs the package needs nothing to make them.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { madeScripts } from '../kit/calendar/build/browser-files.ts';

export async function writeCalendarScripts(folder: string): Promise<void> {
  for (const [path, bytes] of madeScripts()) {
    const file = join(folder, 'browser', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
