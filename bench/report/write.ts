/** Puts the results into a folder: the document and its plots. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownOf, type Run } from './markdown.ts';

export async function writeResults(folder: string, run: Run): Promise<void> {
  const plotsFolder = join(folder, 'plots');
  await mkdir(plotsFolder, { recursive: true });
  for (const { name, svg } of run.sections.flatMap(({ plots = [] }) => plots)) {
    await writeFile(join(plotsFolder, `${name}.svg`), svg);
  }
  await writeFile(join(folder, 'RESULTS.md'), markdownOf(run));
}
