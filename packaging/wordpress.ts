/** The plugin for WordPress, as an archive that administrators upload. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { ROOT } from './packages.ts';
import { zip } from './zip.ts';

const PLUGIN = join(ROOT, 'kit/wordpress');

/** Makes it in this folder, and returns its path. */
export async function makePlugin(destination: string): Promise<string> {
  const names = (await readdir(PLUGIN)).sort();
  const files = names.map(async (name) => [`shiftfeed/${name}`, await readFile(join(PLUGIN, name))] as const);
  const licence = ['shiftfeed/LICENSE', await readFile(join(ROOT, 'LICENSE'))] as const;
  const file = join(destination, `shiftfeed-wordpress-${manifest.version}.zip`);
  await writeFile(file, zip([...(await Promise.all(files)), licence]));
  return file;
}
