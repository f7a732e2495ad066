/** The results as Markdown: each promise, how it was tried, the figures, and what was found and mended. */

import type { Finding } from './found.ts';
import type { Outcome, Part } from './part.ts';

export interface Result {
  readonly part: Part;
  readonly amount: number;
  readonly seed: number;
  readonly seconds: number;
  readonly outcome: Outcome;
}

/** Of the machine and the code, by name. */
export type Circumstances = Readonly<Record<string, string>>;

export function markdownOf(
  circumstances: Circumstances,
  results: readonly Result[],
  found: readonly Finding[],
): string {
  return `${[
    '# Reliability',
    'What Shiftfeed promises, how hard it was tried to break that, and what came of it. `npm run torture` wrote this page; ' +
      'with the seed of a part, the same is tried again.',
    table(['', ''], Object.entries(circumstances)),
    ...results.flatMap((result) => sectionOf(result, found)),
  ].join('\n\n')}\n`;
}

function sectionOf({ part, amount, seed, seconds, outcome }: Result, found: readonly Finding[]): string[] {
  const ofPart = found.filter((finding) => finding.part === part.name);
  return [
    `## ${part.name[0]?.toUpperCase()}${part.name.slice(1)}`,
    part.promises.map((promise) => `- ${promise}`).join('\n'),
    part.trial,
    table(
      ['figure', 'value'],
      [
        [part.unit, amountOf(part, amount)],
        ['seed', String(seed)],
        ['seconds', shown(Math.round(seconds))],
        ...Object.entries(outcome.figures).map(([name, value]) => [name, shown(value)]),
        ['broken promises', shown(outcome.failures.length)],
      ],
    ),
    ...Object.keys(outcome.plots ?? {}).map((name) => `![What ${part.name} takes over time](${name})`),
    ...(outcome.failures.length > 0
      ? [
          outcome.failures
            .map(({ seed, what }) => `- **Broken** (seed ${seed}): ${firstLine(what)}`)
            .join('\n'),
        ]
      : []),
    ...(ofPart.length > 0
      ? [`Found and mended:\n\n${ofPart.map(({ what, test }) => `- ${what} (\`${test}\`)`).join('\n')}`]
      : []),
  ];
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
