/** What the visitor looks for among the shifts that are held: words, and groups of the legend. */

import type { Placed } from '@shiftfeed/common/calendar/range';
import { type CalendarShift, namesOf, type ShiftGroup } from '@shiftfeed/common/calendar/shift';
import type { Day } from '@shiftfeed/common/days';

export interface Filter {
  /** What is written in the field. */
  text: string;
  /** By id. Without any, all are seen. */
  readonly groups: Map<number, ShiftGroup>;
}

export type Days = ReadonlyMap<Day, readonly Placed[]>;

/** The days with what is left of their shifts, as far as there is something left. */
export function filterDays(days: Days, { text, groups }: Filter): Days {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0 && groups.size === 0) return days;
  const isWanted = ({ shift }: Placed) =>
    (groups.size === 0 || groups.has(shift.group?.id ?? Number.NaN)) && hasWords(shift, words);
  const left = [...days].map(([day, placed]) => [day, placed.filter(isWanted)] as const);
  return new Map(left.filter(([, placed]) => placed.length > 0));
}

function hasWords(shift: CalendarShift, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const said = plain([...namesOf(shift), shift.location?.address, shift.remarks].join(' '));
  return words.every((word) => said.includes(word));
}

/** Case and accents make no difference. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
