/** `npm run pack`: packs every package and the plugin for WordPress into dist/. With --executable, it also makes the downloads for this platform. */

import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDownloads } from './downloads.ts';
import { PLATFORMS, THIS_PLATFORM } from './executable.ts';
import { packAll } from './pack.ts';
import { DESTINATION, ROOT } from './packages.ts';
import { makePlugin } from './wordpress.ts';

const { values } = parseArgs({ options: { executable: { type: 'boolean', default: false } } });
if (values.executable && !PLATFORMS.includes(THIS_PLATFORM))
  throw new Error(`Executables are made on ${PLATFORMS.join(' and ')}, and this is ${THIS_PLATFORM}.`);
const packed = await packAll(DESTINATION);
const downloads = values.executable
  ? await makeDownloads(packed, [THIS_PLATFORM], DESTINATION)
  : [await makePlugin(DESTINATION)];
for (const file of [...packed.map(({ tarball }) => tarball), ...downloads]) {
  process.stdout.write(`${relative(ROOT, file)}\n`);
}
