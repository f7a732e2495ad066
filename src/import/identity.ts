/**
 * Derives the id of a shift that has none in its sheet from date, start, group and location, so that the same row is
 * the same shift in the next import. Rows that agree in all of these get the same id here; the stage then tells them
 * apart by their order.
 */

import { type Day, FIRST_DAY, parseDate } from '../listing/calendar.ts';
import { DERIVED_ID_DAYS, DERIVED_IDS, OLDER_DERIVED_IDS } from '../store/derived-ids.ts';

/** The values that identify a row. The date is already checked. */
export interface Identity {
  readonly date: string;
  readonly startTime: string;
  readonly groupId: number;
  readonly locationId: number | null;
}

export function derivedId({ date, startTime, groupId, locationId }: Identity): number {
  const { first, hashes } = DERIVED_IDS;
  // Days count from 1970 on, so the ids of an account nearly always grow with the date.
  const day = dayOf(date) & (DERIVED_ID_DAYS - 1);
  return first + day * hashes + (hashOf(`${date} ${startTime} ${groupId} ${locationId ?? ''}`) % hashes);
}

/** The id of the same row in the days when ids had 16 digits. */
export function olderDerivedId({ date, startTime, groupId, locationId }: Identity): number {
  const { first, hashes } = OLDER_DERIVED_IDS;
  const hash = hashOf(`${startTime} ${groupId} ${locationId ?? ''}`);
  return first + (dayOf(date) - FIRST_DAY) * hashes + (hash % hashes);
}

function dayOf(date: string): Day {
  return parseDate(date) ?? FIRST_DAY;
}

/** FNV-1a with a final mixing step. It need not be secure, but it must never change. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
