/**
 * What a visitor asks for. A query can only narrow what the owner shows. Anything that is not exactly right is refused,
 * because an ignored filter would show more than the visitor's website meant to show.
 */

import { isDate } from '@shiftfeed/common/dates';
import { quote } from '@shiftfeed/common/quote';

export interface Narrowing {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Sorted, without repetition. */
  readonly groupIds: readonly number[] | undefined;
}

/** What is wrong with a query, as a sentence for whoever wrote it. */
export class BadQuery extends Error {}

const NO_NARROWING: Narrowing = { from: undefined, to: undefined, groupIds: undefined };
/** Enough for every group of a large organisation, and few enough to remember. */
const MAX_GROUP_IDS = 1000;

/** Throws `BadQuery`. */
export function readNarrowing(search: string): Narrowing {
  if (search === '' || search === '?') return NO_NARROWING;
  const dates = new Map<string, string>();
  let groupIds: Set<number> | undefined;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === 'date_from' || name === 'date_to') {
      if (dates.has(name)) throw new BadQuery(`${name} is given twice.`);
      dates.set(name, readDate(name, value));
    } else if (/^group_ids(?:\[\d*\])?$/.test(name)) {
      groupIds ??= new Set();
      for (const id of readIds(value)) groupIds.add(id);
      if (groupIds.size > MAX_GROUP_IDS) throw new BadQuery(`group_ids has more than ${MAX_GROUP_IDS} ids.`);
    } else {
      throw new BadQuery(`There is no parameter ${quote(name)}: expected date_from, date_to or group_ids.`);
    }
  }
  return {
    from: dates.get('date_from'),
    to: dates.get('date_to'),
    groupIds: groupIds && [...groupIds].sort((a, b) => a - b),
  };
}

/** The query that asks for just this, with its question mark, or nothing. */
export function writeNarrowing({ from, to, groupIds }: Narrowing): string {
  const search = new URLSearchParams({
    ...(from !== undefined && { date_from: from }),
    ...(to !== undefined && { date_to: to }),
    ...(groupIds !== undefined && { group_ids: groupIds.join() }),
  });
  return search.size === 0 ? '' : `?${search}`;
}

function readDate(name: string, value: string): string {
  const date = value.trim();
  if (!isDate(date)) throw new BadQuery(`${name} is ${quote(value)}: expected a date such as 2027-03-06.`);
  return date;
}

function readIds(value: string): number[] {
  return value.split(',').map((item) => {
    const text = item.trim();
    const id = Number(text);
    if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) {
      throw new BadQuery(`group_ids is ${quote(value)}: expected ids of groups, such as 1,4.`);
    }
    return id;
  });
}
