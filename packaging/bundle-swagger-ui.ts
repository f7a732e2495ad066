/** Swagger UI as a bundled dependency: the two files that the page at /docs loads, without the 10 MB of others. */

import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './packages.ts';

const FILES = ['LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js'];

export async function bundleSwaggerUi(folder: string): Promise<void> {
  const from = join(ROOT, 'node_modules/swagger-ui-dist');
  const to = join(folder, 'node_modules/swagger-ui-dist');
  await mkdir(to, { recursive: true });
  for (const file of FILES) await cp(join(from, file), join(to, file));
  const { dependencies: _, ...manifest } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
