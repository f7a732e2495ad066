/** Describes in sentences how a sheet was read. */

import type { ImportSummary } from '../../import/import.ts';
import { columnLetters } from '../../import/place.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { count, onOneLine } from '../print.ts';

/** Empty if all headings have our names and nothing was left out. */
export function describeReport(report: SheetReport): readonly string[] {
  const { sheets, leftOutSheets, taken, leftOut, leftOutRows, unnamed, noShifts, hiddenRows } = report;
  const { aboveHeadings, between, totals, empty, titles } = leftOutRows;
  const reasons = [
    aboveHeadings > 0 && `${aboveHeadings} above the headings`,
    between > 0 && count(between, 'heading in between', 'headings in between'),
    totals > 0 && count(totals, 'total', 'totals'),
    empty > 0 && `${empty} empty`,
  ].filter((reason) => reason !== false);
  const rows = aboveHeadings + between + totals + empty;
  return [
    ...(sheets.length === 0 ? [] : [`Read the ${named(sheets, 'sheet', 'sheets')}.`]),
    ...(leftOutSheets.length === 0 ? [] : [`Left out the ${named(leftOutSheets, 'sheet', 'sheets')}.`]),
    ...(taken.length === 0
      ? []
      : [`Read ${taken.map(({ heading, column }) => `${shown(heading)} as ${column}`).join(', ')}.`]),
    ...(leftOut.length === 0 ? [] : [`Left out the ${named(leftOut, 'column', 'columns')}.`]),
    ...(unnamed.size === 0
      ? []
      : [
          `Left out the ${unnamed.size === 1 ? 'column' : 'columns'} ${[...unnamed].map(columnLetters).join(', ')}, without a heading.`,
        ]),
    ...(hiddenRows === 0
      ? []
      : [`Read ${count(hiddenRows, 'row that is', 'rows that are')} hidden in the workbook, too.`]),
    ...(noShifts.count === 0
      ? []
      : [
          `Read ${count(noShifts.count, 'cell', 'cells')} as no shift: ${[...noShifts.words].map(shown).join(', ')}.`,
        ]),
    ...(rows === 0 ? [] : [`Left out ${count(rows, 'row', 'rows')}: ${reasons.join(', ')}.`]),
    ...(titles.size === 0 || report.hasGroups
      ? []
      : [
          `Found no shifts in the ${named([...titles], 'row', 'rows')}: what stands there was not taken for groups.`,
        ]),
  ];
}

/** Says which days --replace covers, if one of several sheets decides that. */
export function describeReplaced({ replacedDays }: ImportSummary): readonly string[] {
  if (replacedDays === undefined) return [];
  const { from = '', to = '' } = replacedDays;
  const days = from > to ? 'no days' : `the days from ${from} to ${to}`;
  return [`Other sheets hold shifts, too: --replace covers ${days}, unless --from and --to say others.`];
}

function named(names: readonly string[], one: string, many: string): string {
  return `${names.length === 1 ? one : many} ${names.map(shown).join(', ')}`;
}

const MAX_SHOWN_CHARACTERS = 60;

function shown(heading: string): string {
  const line = onOneLine(heading);
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line;
}
