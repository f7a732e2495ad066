/** Compares two states of a listing. */

import type { Shift } from './api.ts';

/**
 * A step of a watched listing. To keep a copy by id, delete the removed shifts, and set the added and changed ones. If
 * only the order has changed, all three are empty.
 */
export interface ShiftChanges {
  /** All listed shifts, in order. An unchanged shift is the same object as before. */
  readonly shifts: readonly Shift[];
  /** In the order of the listing. In the first step, these are all shifts. */
  readonly added: readonly Shift[];
  /** As they are now. */
  readonly changed: readonly Shift[];
  /** In their last known state. */
  readonly removed: readonly Shift[];
}

/** The first state is compared with nothing. Returns undefined when nothing changed, not even the order. */
export function changesBetween(
  before: readonly Shift[] | undefined,
  now: readonly Shift[],
): ShiftChanges | undefined {
  const gone = new Map(before?.map((shift) => [shift.id, shift]));
  const added: Shift[] = [];
  const changed: Shift[] = [];
  const shifts = now.map((shift) => {
    const known = gone.get(shift.id);
    gone.delete(shift.id);
    if (known !== undefined && isSame(known, shift)) return known;
    (known === undefined ? added : changed).push(shift);
    return shift;
  });
  if (shifts.length === before?.length && shifts.every((shift, i) => shift === before[i])) return undefined;
  return Object.freeze({
    shifts: Object.freeze(shifts),
    added: Object.freeze(added),
    changed: Object.freeze(changed),
    removed: Object.freeze([...gone.values()]),
  });
}

/** All shifts are read with the same fields in the same order. */
function isSame(a: Shift, b: Shift): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
