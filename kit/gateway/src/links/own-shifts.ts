/** The shifts of one person among those of a copy. */

import { foldName } from '@shiftfeed/common/same-name';
import type { FeedCopy } from '../feed-copy.ts';
import type { PublicShift } from '../projection.ts';

/** The copy with only the shifts of a person, whose name is as `foldName` writes it. */
export function ownCopy(copy: FeedCopy, name: string): FeedCopy {
  const byPerson = shiftsByPerson.get(copy) ?? sortOut(copy);
  shiftsByPerson.set(copy, byPerson);
  return { ...copy, shifts: byPerson.get(name) ?? [] };
}

/** Sorted out once for all people. */
const shiftsByPerson = new WeakMap<FeedCopy, ReadonlyMap<string, readonly PublicShift[]>>();

function sortOut({ shifts, people }: FeedCopy): ReadonlyMap<string, readonly PublicShift[]> {
  const byPerson = new Map<string, PublicShift[]>();
  for (const shift of shifts) {
    const name = foldName(people[shift.id] ?? '');
    const own = byPerson.get(name);
    if (own === undefined) byPerson.set(name, [shift]);
    else own.push(shift);
  }
  return byPerson;
}
