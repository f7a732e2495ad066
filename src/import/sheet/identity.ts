/**
 * The id of a shift that has none in its sheet. It follows from date, start, group and location, so that the same row
 * is the same shift the next time. Rows that agree in all of these get the same id here; the stage tells them apart by
 * their turn.
 */

import { FIRST_DAY, parseDate } from '../../listing/calendar.ts';
import { DERIVED_ID_BITS, FIRST_DERIVED_ID } from '../../store/derived-ids.ts';

/** The date is one that was checked. */
export function derivedId(
  date: string,
  startTime: string,
  groupId: number,
  locationId: number | null,
): number {
  const day = (parseDate(date) ?? FIRST_DAY) - FIRST_DAY;
  const hash = hashOf(`${startTime} ${groupId} ${locationId ?? ''}`);
  return FIRST_DERIVED_ID + day * 2 ** DERIVED_ID_BITS + (hash % 2 ** DERIVED_ID_BITS);
}

/** FNV-1a with a finish that mixes the bits once more. It need not be secret, only the same for ever. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
