/** What an import made of a sheet, as sentences. */

import { columnLetters } from '../../import/place.ts';
import type { SheetReport } from '../../import/sheet/report.ts';
import { count, onOneLine } from '../print.ts';

/** Nothing, if all was called as it is here and nothing was left out. */
export function describeReport(report: SheetReport): readonly string[] {
  const { sheet, taken, leftOut, leftOutRows, unnamed, noShifts, hiddenRows } = report;
  const { aboveHeadings, between, totals, empty } = leftOutRows;
  const reasons = [
    aboveHeadings > 0 && `${aboveHeadings} above the headings`,
    between > 0 && count(between, 'heading in between', 'headings in between'),
    totals > 0 && count(totals, 'total', 'totals'),
    empty > 0 && `${empty} empty`,
  ].filter((reason) => reason !== false);
  const rows = aboveHeadings + between + totals + empty;
  return [
    ...(sheet === undefined ? [] : [`Read the sheet ${shown(sheet)}.`]),
    ...(taken.length === 0
      ? []
      : [`Read ${taken.map(({ heading, column }) => `${shown(heading)} as ${column}`).join(', ')}.`]),
    ...(leftOut.length === 0
      ? []
      : [`Left out the ${leftOut.length === 1 ? 'column' : 'columns'} ${leftOut.map(shown).join(', ')}.`]),
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
  ];
}

const MAX_SHOWN_CHARACTERS = 60;

function shown(heading: string): string {
  const line = onOneLine(heading);
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line;
}
