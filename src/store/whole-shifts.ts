/**
 * Shifts of a document that say all that a new shift needs. What becomes of them can be found out and written by one
 * statement for all of them, in the same SQL on every database, and without another look from here.
 *
 * What such a shift leaves out has its default on the stage, and a bit in `kept` that says so: a known shift keeps what
 * it has.
 */

import { COLUMN_NAMES, type ShiftRecord } from './records.ts';

/** The fields that may be left out. */
export const KEEPABLE = [
  'end_date',
  'location_id',
  'person_id',
  'remarks',
  'starred',
  'cancelled',
  'noshow',
] as const satisfies readonly (keyof ShiftRecord)[];

export function bitOf(field: keyof ShiftRecord): number {
  const index = (KEEPABLE as readonly string[]).indexOf(field);
  return index < 0 ? 0 : 1 << index;
}

const SAME_TIMES = `given.date = existing.date AND given.start_time = existing.start_time AND given.end_time = existing.end_time`;

/**
 * Whether a known shift is to be changed. One without its end date keeps it, unless it is moved, which is a change
 * already.
 */
export const IS_CHANGED = COLUMN_NAMES.shifts
  .filter((name) => name !== 'id')
  .map((name) => {
    const isOther = `given.${name} IS DISTINCT FROM existing.${name}`;
    const bit = bitOf(name);
    return bit === 0 ? isOther : `((given.kept & ${bit}) = 0 AND ${isOther})`;
  })
  .join(' OR ');

/** The columns of a shift as it will be, in the order of COLUMN_NAMES. */
export const AS_IT_WILL_BE = COLUMN_NAMES.shifts.map((name) => {
  const bit = bitOf(name);
  if (bit === 0) return `given.${name}`;
  const condition = name === 'end_date' ? ` AND ${SAME_TIMES}` : '';
  return `CASE WHEN existing.id IS NOT NULL AND (given.kept & ${bit}) <> 0${condition} THEN existing.${name} ELSE given.${name} END`;
});

export type Reference = 'group_id' | 'location_id' | 'person_id';

/** More ids of a kind are not collected. */
const MAX_REFERENCES = 1_000_000;
const KEPT_REFERENCES = bitOf('location_id') | bitOf('person_id');

/** The ids that whole shifts refer to. There are few beside the shifts, so they are kept in memory. */
export class References {
  readonly group_id = new Set<number>();
  readonly location_id = new Set<number>();
  readonly person_id = new Set<number>();
  /** Whether a shift leaves out its location or person: it then refers to whatever it has in the database. */
  hasKept = false;
  /** Whether some were not collected. */
  isFull = false;

  addThoseOf({ group_id, location_id, person_id }: Pick<ShiftRecord, Reference>, kept: number): void {
    this.#add('group_id', group_id);
    this.#add('location_id', location_id);
    this.#add('person_id', person_id);
    if ((kept & KEPT_REFERENCES) !== 0) this.hasKept = true;
  }

  #add(field: Reference, id: number | null): void {
    const ids = this[field];
    if (id === null || ids.has(id)) return;
    if (ids.size < MAX_REFERENCES) ids.add(id);
    else this.isFull = true;
  }
}
