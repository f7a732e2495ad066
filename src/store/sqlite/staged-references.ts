/**
 * Checks the references of a merge that ran without foreign keys. It can break one in two ways: it writes a shift that
 * refers to a record which is not there, or it removes a record to which a shift refers. What other programs broke
 * before is for `doctor` to tell, and does not stop an import.
 */

import type { DatabaseSync } from 'node:sqlite';
import { StoreFailure } from '../failure.ts';
import type { Table } from '../records.ts';
import type { Reference, References } from '../whole-shifts.ts';

const REFERENCES: readonly (readonly [field: Reference, table: Table, noun: string])[] = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
];

/** To be called before the commit. `ofWholeShifts` are the ids that the written whole shifts refer to, if there are any. */
export function checkReferences(
  database: DatabaseSync,
  accountId: number,
  ofWholeShifts: References | undefined,
): void {
  for (const [field, table, noun] of REFERENCES) {
    const missing = database
      .prepare(
        `SELECT id FROM (
          SELECT value AS id FROM json_each(:whole)
          UNION SELECT ${field} FROM temp.shifts_to_write
          UNION SELECT id FROM temp.${table}_to_remove AS removed
            WHERE EXISTS (SELECT 1 FROM main.shifts WHERE account_id = :account AND ${field} = removed.id)
        ) AS referred
        WHERE id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM main.${table} WHERE account_id = :account AND id = referred.id) LIMIT 1`,
      )
      .get({ account: accountId, whole: JSON.stringify([...(ofWholeShifts?.[field] ?? [])]) });
    if (missing !== undefined) {
      throw new StoreFailure(
        'refused',
        `A shift refers to ${noun} ${missing.id}, which another program has removed meanwhile: nothing was imported, try again.`,
      );
    }
  }
}
