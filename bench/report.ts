/** What measurements found: printed row by row as it becomes known, and written as one section each. */

import { AIMS, type Aim, type AimName, judge, limitOn } from './aims.ts';
import { brief, plusMinus } from './numbers.ts';

export interface Section {
  readonly title: string;
  /** When, at which commit and how much disturbed. */
  readonly measured: string;
  readonly text: string;
  readonly tables: readonly Table[];
  readonly findings: readonly Finding[];
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A number that an aim is held against. */
export interface Finding {
  readonly aim: AimName;
  readonly value: number;
  /** How far away the true value may be, where that is known. */
  readonly uncertainty?: number;
  /** Where the value comes from, when it is the worst of several. */
  readonly of?: string;
}

/** What a measurement writes to. */
export interface Report {
  text(text: string): void;
  /** Returns what adds a row. Columns are written as in Markdown: `question | pages/s`. */
  table(columns: string): (...cells: readonly string[]) => void;
  /** For the README. */
  plot(name: string, svg: string): void;
  finding(aim: AimName, value: number, uncertainty?: number): void;
  /** Of several values the one that the aim fails by first. */
  worst(aim: AimName, values: readonly Omit<Finding, 'aim'>[]): void;
  finish(measured: string): Section;
  readonly svgs: ReadonlyMap<string, string>;
}

export function openReport(title: string, print: (line: string) => void): Report {
  let told = '';
  const tables: { columns: string[]; rows: (readonly string[])[] }[] = [];
  const findings: Finding[] = [];
  const svgs = new Map<string, string>();
  print(`\n### ${title}\n`);
  return {
    svgs,
    text(text) {
      told = text;
      print(`${text}\n`);
    },
    table(header) {
      const table = { columns: header.split(' | '), rows: [] as (readonly string[])[] };
      tables.push(table);
      print(markdownTable(table));
      return (...cells) => {
        table.rows.push(cells);
        print(markdownRow(cells));
      };
    },
    plot: (name, svg) => svgs.set(name, svg),
    finding: (aim, value, uncertainty) =>
      findings.push({ aim, value, ...(uncertainty !== undefined && { uncertainty }) }),
    worst(aim, values) {
      const sorted = values.toSorted((a, b) => a.value - b.value);
      const found = AIMS[aim].sign === '≥' ? sorted[0] : sorted.at(-1);
      if (found === undefined) throw new Error(`Nothing was measured for ${aim}.`);
      findings.push({ aim, ...found });
    },
    finish: (measured) => ({ title, measured, text: told, tables, findings }),
  };
}

/** The results of one processor. */
export interface Results {
  readonly processor: string;
  readonly architecture: string;
  /** Of the last run: versions and the like, by name. */
  readonly machine: Readonly<Record<string, string>>;
  /** Sentences that say how it was measured. */
  readonly method: readonly string[];
  /** By name of the measurement. */
  readonly sections: Readonly<Record<string, Section>>;
}

export function markdownOf(all: readonly Results[]): string {
  const head = [
    '# Results of the benchmark',
    'Written by `npm run bench`; not to be edited. Only ratios mean something beyond the machine, and they differ from processor to processor.',
  ];
  return `${[...head, ...all.flatMap(partOf)].join('\n\n')}\n`;
}

/** All that is known of one processor. */
function partOf({ processor, architecture, machine, method, sections }: Results): string[] {
  const all = Object.values(sections);
  const findings = all.flatMap((section) => section.findings);
  return [
    `## ${processor}, ${architecture}`,
    ...aimsOf(findings, architecture),
    '### How it was measured',
    method.map((sentence) => `- ${sentence}`).join('\n'),
    markdownTable({ columns: ['', ''], rows: Object.entries(machine) }),
    ...all.flatMap(({ title, measured, text, tables }) => [
      `### ${title}`,
      text,
      ...tables.map(markdownTable),
      measured,
    ]),
  ];
}

export function aimsOf(findings: readonly Finding[], architecture: string): string[] {
  if (findings.length === 0) return [];
  const judged = findings.map((finding) => ({ ...finding, verdict: judge(finding, architecture) }));
  const rows = judged.map(({ aim, value, uncertainty, of, verdict }) => {
    const { sentence, sign, unit = '' }: Aim = AIMS[aim];
    const spread = uncertainty === undefined ? '' : ` ${plusMinus(uncertainty)}`;
    return [
      sentence,
      `${sign} ${limitOn(architecture, aim)}${unit}`,
      `${brief(value)}${unit}${spread}${of === undefined ? '' : ` (${of})`}`,
      verdict === 'met' ? verdict : `**${verdict}**`,
    ];
  });
  const missed = judged
    .filter(({ verdict }) => verdict === 'missed')
    .map(({ aim }) => `- ${AIMS[aim].sentence}: ${AIMS[aim].reason}`);
  return [
    '### Aims',
    markdownTable({ columns: ['aim', 'at least / at most', 'measured', ''], rows }),
    ...(missed.length > 0 ? ['What was missed, and why:', missed.join('\n')] : []),
  ];
}

function markdownTable({ columns, rows }: Table): string {
  return [columns, columns.map(() => '---'), ...rows].map(markdownRow).join('\n');
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
