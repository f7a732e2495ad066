/** What may be wrong with what was imported, as sentences. They are told with --quiet, too. */

import type { ImportSummary } from '../../import/import.ts';
import { placeInSheet } from '../../import/place.ts';
import type { Odd, OddShift } from '../../store/import-store.ts';

export function describeWarnings({ oddities, today }: ImportSummary): readonly string[] {
  if (oddities === undefined) return [];
  const far = `more than two years from ${today?.slice(0, 4)}`;
  return [
    ...question(oddities.long, 'A shift lasts 16 hours or more', 'shifts last 16 hours or more', timesOf),
    ...question(oddities.far, `A shift lies ${far}`, `shifts lie ${far}`, ({ date }) => date),
    ...question(oddities.equal, 'A row is equal to an earlier one', 'rows are equal to earlier ones', twinOf),
  ];
}

function question(
  { count, first }: Odd,
  one: string,
  many: string,
  detail: (shift: OddShift) => string,
): readonly string[] {
  if (count === 0) return [];
  const places = first.map((shift) => `${lineOf(shift.position)} (${detail(shift)})`).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  return [`Is this meant? ${count === 1 ? one : `${count} ${many}`}: ${places}${more}.`];
}

function timesOf({ start_time, end_time }: OddShift): string {
  return `${start_time} to ${end_time}`;
}

function twinOf({ equalPosition }: OddShift): string {
  return `as ${lineOf(equalPosition ?? 0)}`;
}

function lineOf(position: number): string {
  return placeInSheet(position + 1, undefined);
}
