/**
 * The rows of a month block that pass the conditions on groups, locations and publication, with day starts of their
 * own. Counting and cutting work on a view as on a whole block. A view holds until the block changes or, if it depends
 * on publication, until the day is over. Callers keep it.
 */

import type { Day } from '@shiftfeed/common/days';
import { DAYS_PER_MONTH } from './day-mask.ts';
import type { RowFilter } from './filter.ts';
import { type DayStarts, type MonthBlock, type RowLists, rowsOf } from './month.ts';

export interface View {
  /** Ascending row numbers; undefined means every row of the block. */
  readonly rows: Uint32Array<ArrayBuffer> | undefined;
  readonly dayStarts: DayStarts;
}

export function viewOf(block: MonthBlock, filter: RowFilter, today: Day): View {
  const chosen = chooseRows(block, filter);
  const allPublished = filter.includeUnpublished || block.lastPublishDay <= today;
  if (allPublished) return frame(block, chosen);
  const isPublished = (row: number) => (block.publishDays[row] as number) <= today;
  return frame(block, (chosen ?? everyRow(block)).filter(isPublished));
}

/** Equal keys mean equal views of the same block. */
export function viewKey(filter: RowFilter, today: Day): string {
  return [
    filter.includeUnpublished ? 'all' : today,
    filter.groupIds === undefined ? '' : sorted(filter.groupIds),
    filter.locationIds === undefined ? '' : sorted(filter.locationIds),
  ].join(';');
}

export function sizeOfView(view: View): number {
  return view.rows === undefined ? 0 : view.rows.byteLength + view.dayStarts.byteLength;
}

function chooseRows(block: MonthBlock, filter: RowFilter): Uint32Array<ArrayBuffer> | undefined {
  const { groupIds, locationIds } = filter;
  const rows = rowCount(block);
  const ofGroups = groupIds && uniteRows(block.rowsOfGroup, groupIds, rows);
  const atLocations = locationIds && uniteRows(block.rowsOfLocation, locationIds, rows);
  return ofGroups && atLocations ? intersect(ofGroups, atLocations) : (ofGroups ?? atLocations);
}

/** Each row is marked and then collected, which is several times faster than sorting. */
function uniteRows(lists: RowLists, ids: ReadonlySet<number>, rowCount: number): Uint32Array<ArrayBuffer> {
  const isWanted = new Uint8Array(rowCount);
  let count = 0;
  for (const id of ids) {
    const rows = rowsOf(lists, id);
    for (const row of rows) isWanted[row] = 1;
    count += rows.length;
  }
  const united = new Uint32Array(count);
  let end = 0;
  for (let row = 0; end < count; row++) {
    if (isWanted[row] === 1) united[end++] = row;
  }
  return united;
}

/** The numbers that two ascending lists have in common. */
function intersect(a: Uint32Array<ArrayBuffer>, b: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  let next = 0;
  return a.filter((row) => {
    while (next < b.length && (b[next] as number) < row) next++;
    return b[next] === row;
  });
}

function frame(block: MonthBlock, rows: Uint32Array<ArrayBuffer> | undefined): View {
  if (rows === undefined || rows.length === rowCount(block)) {
    return { rows: undefined, dayStarts: block.dayStarts };
  }
  const dayStarts = new Uint32Array(DAYS_PER_MONTH + 1);
  let next = 0;
  for (let day = 0; day < DAYS_PER_MONTH; day++) {
    dayStarts[day] = next;
    const endOfDay = block.dayStarts[day + 1] as number;
    while (next < rows.length && (rows[next] as number) < endOfDay) next++;
  }
  dayStarts[DAYS_PER_MONTH] = next;
  return { rows, dayStarts };
}

function everyRow(block: MonthBlock): Uint32Array<ArrayBuffer> {
  return new Uint32Array(rowCount(block)).map((_, row) => row);
}

function rowCount(block: MonthBlock): number {
  return block.publishDays.length;
}

function sorted(ids: ReadonlySet<number>): string {
  return [...ids].sort((a, b) => a - b).join(',');
}
