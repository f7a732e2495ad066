/** The calendar as one script that is ready for browsers: to copy into the folder of a site, or to load from a CDN. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { singleFile } from '../kit/calendar/build/browser-files.ts';

export async function writeCalendarScript(folder: string): Promise<void> {
  const { name, bytes } = singleFile();
  await mkdir(join(folder, 'browser'));
  await writeFile(join(folder, 'browser', name), bytes);
}
