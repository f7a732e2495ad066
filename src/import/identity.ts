/**
 * Derives the id of a shift that has none in its sheet from date, start, group and location, so that the same row is
 * the same shift in the next import. Rows that agree in all of these get the same id here; the stage then tells them
 * apart by their order.
 */

import { FIRST_DAY, parseDate } from '@shiftfeed/common/days';
import { DERIVED_IDS } from '../store/records.ts';

/** The values that identify a row. The date is already checked. */
export interface Identity {
  readonly date: string;
  readonly startTime: string;
  readonly groupId: number;
  readonly locationId: number | null;
}

export function derivedId({ date, startTime, groupId, locationId }: Identity): number {
  const { first, days, hashes } = DERIVED_IDS;
  // Days count from 1970 on, so the ids of an account nearly always grow with the date.
  const day = (parseDate(date) ?? FIRST_DAY) & (days - 1);
  return first + day * hashes + (hashOf(`${date} ${startTime} ${groupId} ${locationId ?? ''}`) % hashes);
}

/** FNV-1a with a final mixing step. It need not be secure, but it must never change. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
