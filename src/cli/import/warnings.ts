/** Warnings about the imported data, as sentences. They are printed even with --quiet. */

import type { ImportSummary } from '../../import/import.ts';
import { placeAt, placeInSheet } from '../../import/place.ts';
import type { Odd, OddShift } from '../../store/import-store.ts';
import { count } from '../print.ts';
import { shown } from './changes.ts';

export function describeWarnings(summary: ImportSummary): readonly string[] {
  return [...oddShifts(summary), ...nearNames(summary)];
}

function oddShifts({ oddities, today }: ImportSummary): readonly string[] {
  if (oddities === undefined) return [];
  const far = `more than two years from ${today?.slice(0, 4)}`;
  return [
    ...question(oddities.long, 'A shift lasts 16 hours or more', 'shifts last 16 hours or more', timesOf),
    ...question(oddities.far, `A shift lies ${far}`, `shifts lie ${far}`, ({ date }) => date),
    ...question(oddities.equal, 'A row is equal to an earlier one', 'rows are equal to earlier ones', twinOf),
  ];
}

const MAX_TOLD_NAMES = 5;

function nearNames({ nearNames: names = [] }: ImportSummary): readonly string[] {
  const told = names.slice(0, MAX_TOLD_NAMES).map(({ table, name, near, isNearInactive }) => {
    const why = isNearInactive ? ', which is not active' : '';
    return `Is this meant? The ${NOUNS[table]} ${shown(name)} is new beside ${shown(near)}${why}.`;
  });
  const more = names.length - told.length;
  const others = count(more, 'more name is', 'more names are');
  return more > 0 ? [...told, `Is this meant? ${others} new beside ones that they nearly equal.`] : told;
}

const NOUNS = { groups: 'group', locations: 'location', people: 'person' } as const;

function question(
  { count: all, first }: Odd,
  one: string,
  many: string,
  detail: (shift: OddShift) => string,
): readonly string[] {
  if (all === 0) return [];
  const places = first.map((shift) => `${lineOf(shift.position)} (${detail(shift)})`).join(', ');
  const more = all > first.length ? ` and ${all - first.length} more` : '';
  return [`Is this meant? ${all === 1 ? one : `${all} ${many}`}: ${places}${more}.`];
}

function timesOf({ start_time, end_time }: OddShift): string {
  return `${start_time} to ${end_time}`;
}

function twinOf({ equalPosition }: OddShift): string {
  return `as ${lineOf(equalPosition ?? 0)}`;
}

function lineOf(position: number): string {
  return placeInSheet(placeAt(position));
}
