/** `npm run pack`: packs every package into dist/. */

import { relative } from 'node:path';
import { packAll } from './pack.ts';
import { DESTINATION, ROOT } from './packages.ts';

for (const { tarball } of await packAll(DESTINATION)) process.stdout.write(`${relative(ROOT, tarball)}\n`);
