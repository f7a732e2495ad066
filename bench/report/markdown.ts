/** What was found, as a document. */

import { AIMS, type Aim, judge, REASONS, type Verdict } from '../aims.ts';
import type { Machine } from '../machine.ts';
import { brief, plusMinus } from './format.ts';
import type { Finding, Section, Table } from './section.ts';

export interface Run {
  readonly machine: Machine;
  /** Sentences that say how it was measured. */
  readonly method: readonly string[];
  readonly sections: readonly Section[];
}

export function markdownOf({ machine, method, sections }: Run): string {
  const findings = sections.flatMap((section) => section.findings ?? []);
  return [
    '# Results of the benchmark',
    'Written by `npm run bench`; not to be edited. Only ratios mean something beyond the machine.',
    ...(findings.length > 0 ? ['## Aims', markdownTable(aimsTable(findings)), ...missedAims(findings)] : []),
    '## How it was measured',
    method.map((sentence) => `- ${sentence}`).join('\n'),
    markdownTable({ columns: ['', ''], rows: Object.entries(machine) }),
    ...sections.flatMap(({ title, text, tables, plots = [] }) => [
      `## ${title}`,
      text,
      ...plots.map(({ name, alt }) => `![${alt}](plots/${name}.svg)`),
      ...tables.map(markdownTable),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

export function aimsTable(findings: readonly Finding[]): Table {
  return {
    columns: ['aim', 'at least / at most', 'measured', ''],
    rows: findings.map((finding) => [
      AIMS[finding.aim].sentence,
      describeBound(AIMS[finding.aim]),
      describeValue(finding),
      describeVerdict(verdictOf(finding)),
    ]),
  };
}

function verdictOf({ aim, value, uncertainty }: Finding): Verdict {
  return judge(AIMS[aim], value, uncertainty);
}

function describeVerdict(verdict: Verdict): string {
  return verdict === 'met' ? verdict : `**${verdict}**`;
}

function describeValue({ aim, value, uncertainty, of }: Finding): string {
  const spread = uncertainty === undefined ? '' : ` ${plusMinus(uncertainty)}`;
  return `${brief(value)}${unitOf(AIMS[aim])}${spread}${of === undefined ? '' : ` (${of})`}`;
}

function missedAims(findings: readonly Finding[]): string[] {
  const missed = findings.filter((finding) => verdictOf(finding) === 'missed');
  if (missed.length === 0) return [];
  const lines = missed.map(
    ({ aim }) => `- ${AIMS[aim].sentence}: ${REASONS[aim] ?? 'the reason is not known yet.'}`,
  );
  return [`What was missed, and why:`, lines.join('\n')];
}

function describeBound(aim: Aim): string {
  const { bound } = aim;
  return 'atLeast' in bound ? `≥ ${bound.atLeast}${unitOf(aim)}` : `≤ ${bound.atMost}${unitOf(aim)}`;
}

function unitOf({ unit = '' }: Aim): string {
  return unit;
}

export function markdownTable({ columns, rows }: Table): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
