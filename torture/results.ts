/** The last result that was kept of each part, a file each. docs/reliability.md is drawn from them. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOUND } from './found.ts';
import type { Outcome } from './part.ts';
import { PARTS } from './parts.ts';
import { markdownOf, type Result } from './report.ts';

const RESULTS = join(import.meta.dirname, 'results');
const DOCS = join(import.meta.dirname, '../docs');

export async function keepResult(result: Result, plots: Outcome['plots'] = {}): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${result.part}.json`), `${JSON.stringify(result, null, 2)}\n`);
  for (const [name, svg] of Object.entries(plots)) await writeFile(join(DOCS, name), svg);
  await writePage();
}

export async function writePage(): Promise<void> {
  await writeFile(join(DOCS, 'reliability.md'), await drawPage());
}

/** What the page must be, as the results are. */
export async function drawPage(): Promise<string> {
  const results = await Promise.all(PARTS.map(({ name }) => readResult(name)));
  return markdownOf(
    PARTS,
    results.filter((result) => result !== undefined),
    FOUND,
  );
}

/** Undefined for a part of which nothing was kept yet. */
async function readResult(part: string): Promise<Result | undefined> {
  try {
    return JSON.parse(await readFile(join(RESULTS, `${part}.json`), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
