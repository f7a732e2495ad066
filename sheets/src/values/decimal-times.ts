/**
 * Are times written as parts of an hour, such as 9.5 and 17.75? A spreadsheet may have made 9.5 of 9.50, ten to ten. So
 * all times must be quarters of an hour, and one of them `.75`, which no minutes are.
 */

import { type GridRow, textOf } from '../cell.ts';
import type { ColumnPlaces } from '../shape/headings.ts';
import { type ClockTime, readDecimalTime } from '../words/time.ts';

export type ReadDecimalTime = (text: string) => ClockTime | undefined;

export function decimalTimesQuestion({ start_time, end_time }: ColumnPlaces) {
  const columns = [start_time, end_time].filter((place) => place !== undefined);
  let [areOthers, isSure, hasFractions] = [false, false, false];
  return {
    look({ cells }: GridRow): void {
      if (areOthers) return;
      for (const place of columns) {
        const text = textOf(cells[place]);
        if (text === '') continue;
        if (readDecimalTime(text) === undefined) areOthers = true;
        else if (/[.,]75$/.test(text)) isSure = true;
        else if (/[.,]/.test(text)) hasFractions = true;
      }
    },
    isSettled: () => areOthers || isSure || !hasFractions,
    problems: () => [],
    /** undefined: they are not, or it is not sure. */
    reader: (): ReadDecimalTime | undefined => (isSure && !areOthers ? readDecimalTime : undefined),
  };
}
