/**
 * The last result that was kept of each part, a file each, and docs/reliability.md, which is drawn from them: each promise,
 * how it was tried, the figures, and what was found and mended.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure, Outcome, Part } from './part.ts';
import { PARTS } from './parts.ts';
import found from './results/found.json' with { type: 'json' };

/** What the torture, or building it, has found so far. Each was mended, and its like is kept as a test. */
export const FOUND: readonly Finding[] = found;

interface Finding {
  /** The name of the part that found it. */
  readonly part: string;
  readonly what: string;
  /** The file that would notice if it came back. */
  readonly test: string;
}

export interface Result {
  readonly part: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly node: string;
  readonly amount: number;
  readonly seed: number;
  readonly seconds: number;
  readonly figures: Outcome['figures'];
  readonly failures: readonly Failure[];
  /** The names of its drawings, which are beside the page. */
  readonly plots: readonly string[];
}

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

export function markdownOf(
  parts: readonly Part[],
  results: readonly Result[],
  found: readonly Finding[],
): string {
  return `${[
    '# Reliability',
    'What Shiftfeed promises, how hard it was tried to break that, and what came of it. Each section has the figures of ' +
      'the last run of its part; with its seed, the same is tried again. `npm run torture` wrote this page.',
    ...parts.flatMap((part) =>
      sectionOf(
        part,
        results.find((result) => result.part === part.name),
        found.filter((finding) => finding.part === part.name),
      ),
    ),
  ].join('\n\n')}\n`;
}

function sectionOf(part: Part, result: Result | undefined, found: readonly Finding[]): string[] {
  return [
    `## ${part.name[0]?.toUpperCase()}${part.name.slice(1)}`,
    part.promises.map((promise) => `- ${promise}`).join('\n'),
    part.trial,
    ...(result === undefined ? ['No run was kept yet.'] : figuresOf(part, result)),
    ...(found.length > 0
      ? [`Found and mended:\n\n${found.map(({ what, test }) => `- ${what} (\`${test}\`)`).join('\n')}`]
      : []),
  ];
}

function figuresOf(part: Part, result: Result): string[] {
  const { date, commit, machine, node, failures } = result;
  return [
    `Last run: ${date} at commit ${commit}, on ${machine}, with Node ${node}.`,
    table(
      ['figure', 'value'],
      [
        [part.unit, amountOf(part, result.amount)],
        ['seed', String(result.seed)],
        ['seconds', shown(Math.round(result.seconds))],
        ...Object.entries(result.figures)
          .sort(byName)
          .map(([name, value]) => [name, shown(value)]),
        ['broken promises', shown(failures.length)],
      ],
    ),
    ...result.plots.map((name) => `![What ${part.name} takes over time](${name})`),
    ...(failures.length > 0
      ? [failures.map(({ seed, what }) => `- **Broken** (seed ${seed}): ${firstLine(what)}`).join('\n')]
      : []),
  ];
}

/** Figures come in the order in which chance brought them up. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function amountOf({ amounts }: Part, amount: number): string {
  const isWhole = amount >= amounts.whole;
  return isWhole ? shown(amount) : `${shown(amount)} (a whole run has ${shown(amounts.whole)})`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

function shown(value: string | number): string {
  return typeof value === 'string' ? value : value.toLocaleString('en');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
