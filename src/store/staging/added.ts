/** Facts about the records added to a table of the stage, as far as they decide how to proceed. */

import type { StagedRecord, Table } from '../records.ts';

export interface Added {
  count: number;
  lastPosition: number;
  lastId: number;
  lastDate: string;
  /** Whether each id is larger than the one before, so that none is repeated. */
  isGrowing: boolean;
  /** Whether the records come in the order of the table, which is by date and id. */
  isInOrder: boolean;
  hasDerivedIds: boolean;
}

export const NOTHING_ADDED: Added = {
  count: 0,
  lastPosition: -1,
  lastId: 0,
  lastDate: '',
  isGrowing: true,
  isInOrder: true,
  hasDerivedIds: false,
};

export function note(added: Added, record: StagedRecord<Table>, position = added.lastPosition + 1): void {
  const { id = 0, isDerived = false } = record;
  const { date } = record as StagedRecord<'shifts'>;
  added.count++;
  added.lastPosition = position;
  added.hasDerivedIds ||= isDerived;
  if (id <= added.lastId) added.isGrowing = false;
  if (date && date !== added.lastDate) {
    if (date < added.lastDate) added.isInOrder = false;
    added.lastDate = date;
  } else if (id < added.lastId) {
    added.isInOrder = false;
  }
  added.lastId = id;
}
