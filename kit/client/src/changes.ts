/** What became of shifts from one state of a listing to the next. */

import type { Shift } from './api.ts';

/**
 * A step of a listing that is watched. Whoever keeps a copy by id deletes what was removed, and sets what was added and
 * changed. When shifts are only in another order than before, there is nothing of the three.
 */
export interface ShiftChanges {
  /** All that is listed, in its order. A shift that is as it was is the same object. */
  readonly shifts: readonly Shift[];
  /** In the order of the listing. In the first step these are all. */
  readonly added: readonly Shift[];
  /** As they are now. */
  readonly changed: readonly Shift[];
  /** As they were last. */
  readonly removed: readonly Shift[];
}

/** From nothing at first. undefined when nothing changed, not even the order. */
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
