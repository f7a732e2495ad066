/** The last results of each processor, a file each; RESULTS.md is drawn from them. What a run did not measure stays. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownOf, type Results } from './report.ts';

/**
 * Puts the sections of a run into the file of its processor.
 * @param order of the names of all measurements
 */
export async function keepResults(
  folder: string,
  run: Results,
  svgs: ReadonlyMap<string, string>,
  order: readonly string[],
): Promise<void> {
  const resultsFolder = join(folder, 'results');
  const plotsFolder = join(folder, 'plots');
  for (const made of [resultsFolder, plotsFolder]) await mkdir(made, { recursive: true });
  const others = await readResults(resultsFolder);
  const name = fileNameOf(run);
  const sections = { ...others.get(name)?.sections, ...run.sections };
  const inOrder = order.flatMap((key) => (sections[key] === undefined ? [] : [[key, sections[key]]]));
  const kept: Results = { ...run, sections: Object.fromEntries(inOrder) };
  await writeFile(join(resultsFolder, name), `${JSON.stringify(kept, null, 2)}\n`);
  for (const [plot, svg] of svgs) await writeFile(join(plotsFolder, `${plot}.svg`), svg);
  await writeFile(join(folder, 'RESULTS.md'), await drawResults(folder));
}

/** What RESULTS.md must be, as the files are. */
export async function drawResults(folder: string): Promise<string> {
  return markdownOf([...(await readResults(join(folder, 'results'))).values()]);
}

async function readResults(folder: string): Promise<Map<string, Results>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  // JSON has no infinity: of such a value nobody can tell.
  const revived = (key: string, value: unknown) =>
    key === 'uncertainty' && value === null ? Number.POSITIVE_INFINITY : value;
  const read = async (name: string) =>
    [name, JSON.parse(await readFile(join(folder, name), 'utf8'), revived) as Results] as const;
  return new Map(await Promise.all(names.map(read)));
}

function fileNameOf({ architecture, processor }: Results): string {
  return `${`${architecture} ${processor}`.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-')}.json`;
}
