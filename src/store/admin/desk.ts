/** The desk of an account: how files of each layout are read, and the shifts that it shows. */

import { setImmediate as turn } from 'node:timers/promises';
import { foldName } from '@shiftfeed/common/names';
import type { ListedShift } from '../../listing/shift.ts';
import { type Database, type Queries, type RecordRow, selectedColumns } from '../database.ts';
import type { RecordOf } from '../records.ts';
import { recordOf } from '../rows.ts';

/** Behind this shift. */
export interface ShiftPlace {
  readonly date: string;
  readonly id: number;
}

/** A shift as the API lists it, whose it is and where, and whether it would be listed. */
export interface DeskShift extends ListedShift {
  readonly location: RecordOf<'locations'> | null;
  readonly person: RecordOf<'people'> | null;
  /** Whether its group is active. */
  readonly active: boolean;
}

export function deskStore(database: Database) {
  return { ...layoutStore(database), ...shiftStore(database) };
}

/** What was answered about files of one layout, as JSON, and when it was last used. */
interface DeskLayout {
  readonly answers: string;
  readonly usedAtMs: number;
}

/** Of an account. The one that was not used for longest makes room. */
export const MAX_LAYOUTS = 50;

function layoutStore(database: Database) {
  const { main } = database.dialect;
  return {
    /** undefined: no file of this layout was imported at the desk yet. */
    async deskLayout(accountId: number, layout: string): Promise<DeskLayout | undefined> {
      const [row] = await database.all<DeskLayout>(
        `SELECT answers, used_at AS "usedAtMs" FROM ${main}.desk_layouts WHERE account_id = $1 AND layout = $2`,
        [accountId, layout],
      );
      return row;
    },

    saveDeskLayout: (accountId: number, layout: string, { answers, usedAtMs }: DeskLayout) =>
      database.writing(async ({ all }): Promise<void> => {
        await all(
          `INSERT INTO ${main}.desk_layouts (account_id, layout, answers, used_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (account_id, layout) DO UPDATE SET answers = excluded.answers, used_at = excluded.used_at`,
          [accountId, layout, answers, usedAtMs],
        );
        const ofAccount = `${main}.desk_layouts WHERE account_id = $1`;
        await all(
          `DELETE FROM ${ofAccount} AND layout IN (
            SELECT layout FROM ${ofAccount} ORDER BY used_at DESC, layout LIMIT 1000 OFFSET ${MAX_LAYOUTS})`,
          [accountId],
        );
      }),
  };
}

/** Drops the answers that name this person, such as who is meant, or a heading that is left out. */
export async function forgetAnswers({ dialect, all }: Queries, accountId: number, name: string) {
  const { main, locked } = dialect;
  const named = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(foldName(name))}(?![\\p{L}\\p{N}])`, 'u');
  const ofAccount = `FROM ${main}.desk_layouts WHERE account_id = $1`;
  const layouts = await all<{ layout: string }>(locked(`SELECT layout ${ofAccount}`, 'UPDATE'), [accountId]);
  for (const { layout } of layouts) {
    const [row] = await all<{ answers: string }>(`SELECT answers ${ofAccount} AND layout = $2`, [
      accountId,
      layout,
    ]);
    const given: readonly (readonly [option: string, value: string])[] = JSON.parse(row?.answers ?? '[]');
    const kept = given.filter(([, value]) => !named.test(foldName(value)));
    if (kept.length < given.length)
      await all(`UPDATE ${main}.desk_layouts SET answers = $3 WHERE account_id = $1 AND layout = $2`, [
        accountId,
        layout,
        JSON.stringify(kept),
      ]);
    // Each may be long, and the desk serves others meanwhile.
    await turn();
  }
}

/** How many shifts are read at once, and how long the remarks of a slice may be together. */
const READ_AT_ONCE = 100;
const MAX_REMARKS_CHARACTERS = 500_000;

function shiftStore({ dialect, all }: Database) {
  const { main } = dialect;
  return {
    /**
     * At most `limit` shifts that start on these days, and where to go on if there are more. Days come as a whole, in the
     * order in which shifts start; one with more than `limit`, or with remarks that are too long together, comes in parts.
     * So however many there are, no more are read.
     */
    async shiftsBetween(accountId: number, from: string, to: string, limit: number, after?: ShiftPlace) {
      const found: DeskShift[] = [];
      let fits = 0;
      let place = after ?? { date: from, id: 0 };
      let characters = 0;
      for (let isLast = false; !isLast && found.length === fits; ) {
        const asked = Math.min(READ_AT_ONCE, limit + 1 - found.length);
        const rows = await all<RecordRow>(
          `SELECT ${selectedColumns(dialect, 'shifts', (name) => `shifts.${name}`)}, groups.name AS group_name, groups.active,
            locations.name AS location_name, locations.address, people.name AS person_name
          FROM ${main}.shifts
          JOIN ${main}.groups ON groups.account_id = shifts.account_id AND groups.id = group_id
          LEFT JOIN ${main}.locations ON locations.account_id = shifts.account_id AND locations.id = location_id
          LEFT JOIN ${main}.people ON people.account_id = shifts.account_id AND people.id = person_id
          WHERE shifts.account_id = $1 AND (shifts.date, shifts.id) > ($2, $3) AND shifts.date <= $4
          ORDER BY shifts.date, shifts.id LIMIT $5`,
          [accountId, place.date, place.id, to, asked],
        );
        for (const shift of rows.map(deskShiftOf)) {
          found.push(shift);
          characters += shift.remarks.length;
          if (characters <= MAX_REMARKS_CHARACTERS) fits = Math.min(limit, found.length);
        }
        isLast = rows.length < asked;
        place = found.at(-1) ?? place;
      }
      return sliceOf(found.slice(0, fits + 1), fits);
    },
  };
}

/** The shifts are sorted by date and id. */
function sliceOf(found: readonly DeskShift[], limit: number) {
  const isAll = found.length <= limit;
  const whole = found.findLastIndex(({ date }) => date !== found.at(-1)?.date) + 1;
  const shifts = isAll ? found : found.slice(0, whole || limit);
  const last = shifts.at(-1);
  return {
    shifts: shifts.toSorted(byStart),
    next: isAll || last === undefined ? undefined : ({ date: last.date, id: last.id } satisfies ShiftPlace),
  };
}

/** The order of the desk's tables and calendars. */
export function byStart(one: DeskShift, other: DeskShift): number {
  return order(one.date, other.date) || order(one.start_time, other.start_time) || one.id - other.id;
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function deskShiftOf(row: RecordRow): DeskShift {
  const { group_id, location_id, person_id, ...shift } = recordOf('shifts', row);
  return {
    ...shift,
    group: { id: group_id, name: String(row.group_name) },
    location:
      location_id === null
        ? null
        : { id: location_id, name: String(row.location_name), address: String(row.address) },
    person: person_id === null ? null : { id: person_id, name: String(row.person_name) },
    active: Boolean(row.active),
  };
}
