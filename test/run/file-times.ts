/**
 * How long files took when `npm run test:times` was last run. Those that take longest begin first, so that nobody is left
 * with one at the end.
 */

import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { FileTime } from './summary.ts';

const KEPT_AT = new URL('./file-times.json', import.meta.url);
/** Shorter ones fill the gaps at the end in any order. */
const WORTH_KEEPING_SECONDS = 3;

/** `npm test`, or `npm run test:long`, in which the same file takes longer. */
type Kind = 'test' | 'long';
type Seconds = Readonly<Record<string, number>>;

/** The rest in the order of their sizes, which often says how much there is to do. */
export async function longestFirst(kind: Kind, files: readonly string[]): Promise<string[]> {
  const seconds = (await readTimes())[kind];
  const weigh = (file: string) => seconds[file] ?? 0;
  return files.toSorted((a, b) => weigh(b) - weigh(a) || statSync(b).size - statSync(a).size);
}

export async function writeTimes(kind: Kind, times: readonly FileTime[]): Promise<void> {
  const longest = times
    .filter(({ seconds }) => seconds >= WORTH_KEEPING_SECONDS)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => [file, Math.round(seconds)]);
  const kept = { ...(await readTimes()), [kind]: Object.fromEntries(longest) };
  await writeFile(KEPT_AT, `${JSON.stringify(kept, null, 2)}\n`);
}

async function readTimes(): Promise<Record<Kind, Seconds>> {
  return JSON.parse(await readFile(KEPT_AT, 'utf8'));
}
