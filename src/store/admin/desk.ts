/** The desk of an account: who may open it, how its sheets are read, and the shifts that it shows. */

import type { Account } from '../account.ts';
import { type Database, type Queries, type RecordRow, selectedColumns } from '../database.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf, recordOf } from '../rows.ts';

/** What a key allows. */
export const DESK_ROLES = ['planner', 'owner'] as const;
export type DeskRole = (typeof DESK_ROLES)[number];

export interface NewDeskKey {
  readonly accountId: number;
  /** The hexadecimal SHA-256 of the key. */
  readonly hash: string;
  /** Who has it. */
  readonly name: string;
  readonly role: DeskRole;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface DeskKey extends Omit<NewDeskKey, 'hash'> {
  readonly id: number;
  readonly revokedAtMs: number | null;
  /** Rounded to the hour. */
  readonly lastUsedAtMs: number | null;
}

/** Behind this shift. */
export interface ShiftPlace {
  readonly date: string;
  readonly id: number;
}

/** A shift as the API lists it, and whether it would be listed. */
export interface DeskShift {
  readonly id: number;
  readonly date: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly end_date: string;
  readonly group: { readonly id: number; readonly name: string };
  readonly location: { readonly name: string; readonly address: string } | null;
  readonly person: { readonly name: string } | null;
  readonly publish_date: string;
  readonly remarks: string;
  readonly starred: boolean;
  readonly cancelled: boolean;
  readonly noshow: boolean;
  /** Whether its group is active. */
  readonly active: boolean;
}

const KEY = `id, account_id AS "accountId", name, role, created_at AS "createdAtMs", expires_at AS "expiresAtMs",
  revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

export function deskStore(database: Database) {
  return { ...keyStore(database), ...recipeStore(database), ...shiftStore(database) };
}

function keyStore(database: Database) {
  const { all, dialect } = database;
  const { main, locked } = dialect;
  return {
    /** Returns undefined when somebody of that name has a live key of the account. */
    addDeskKey: ({ accountId, hash, name, role, createdAtMs, expiresAtMs }: NewDeskKey) =>
      database.writing(async (queries): Promise<DeskKey | undefined> => {
        await queries.all(locked(`SELECT 1 FROM ${main}.accounts WHERE id = $1`, 'NO KEY UPDATE'), [
          accountId,
        ]);
        const [row] = await queries.all<DeskKey>(
          `INSERT INTO ${main}.desk_keys (account_id, hash, name, role, created_at, expires_at)
          SELECT CAST($1 AS bigint), $2, $3, $4, CAST($5 AS bigint), CAST($6 AS bigint) WHERE NOT EXISTS (
            SELECT 1 FROM ${main}.desk_keys
            WHERE account_id = CAST($1 AS bigint) AND name = $3 AND ${isLiveAt('CAST($5 AS bigint)')}
          ) RETURNING ${KEY}`,
          [accountId, hash, name, role, createdAtMs, expiresAtMs],
        );
        return row;
      }),

    /** The oldest first. */
    deskKeys: (accountId: number) =>
      all<DeskKey>(`SELECT ${KEY} FROM ${main}.desk_keys WHERE account_id = $1 ORDER BY id`, [accountId]),

    /** Ends the keys of an account that have this id or this name. Returns how many were live. */
    async revokeDeskKeys(accountId: number, which: { id: number } | { name: string }, atMs: number) {
      const [column, value] = 'id' in which ? ['id', which.id] : ['name', which.name];
      const rows = await all(
        `UPDATE ${main}.desk_keys SET revoked_at = $3
        WHERE account_id = $1 AND ${column} = $2 AND ${isLiveAt('$3')} RETURNING id`,
        [accountId, value, atMs],
      );
      return rows.length;
    },

    /** The key with this hash, live or not, and its account. */
    async findDeskKey(hash: string): Promise<{ key: DeskKey; account: Account } | undefined> {
      const [key] = await all<DeskKey>(`SELECT ${KEY} FROM ${main}.desk_keys WHERE hash = $1`, [hash]);
      const account = key && (await accountWith(database, key.accountId));
      return key && account && { key, account };
    },
  };
}

function recipeStore({ dialect: { main }, all }: Database) {
  return {
    /** undefined: nobody has answered anything yet. */
    async deskRecipe(accountId: number): Promise<string | undefined> {
      const query = `SELECT recipe FROM ${main}.desk_recipes WHERE account_id = $1`;
      return (await all<{ recipe: string }>(query, [accountId]))[0]?.recipe;
    },

    async saveDeskRecipe(accountId: number, recipe: string): Promise<void> {
      await all(
        `INSERT INTO ${main}.desk_recipes (account_id, recipe) VALUES ($1, $2)
        ON CONFLICT (account_id) DO UPDATE SET recipe = excluded.recipe`,
        [accountId, recipe],
      );
    },
  };
}

function shiftStore({ dialect, all }: Database) {
  const { main } = dialect;
  return {
    /**
     * At most `limit` shifts that start on these days, and where to go on if there are more. Days come as a whole, in the
     * order in which shifts start; one with more than `limit` comes in parts. So however many there are, no more are read.
     */
    async shiftsBetween(accountId: number, from: string, to: string, limit: number, after?: ShiftPlace) {
      const { date, id } = after ?? { date: from, id: 0 };
      const rows = await all<RecordRow>(
        `SELECT ${selectedColumns(dialect, 'shifts', (name) => `shifts.${name}`)}, groups.name AS group_name, groups.active,
          locations.name AS location_name, locations.address, people.name AS person_name
        FROM ${main}.shifts
        JOIN ${main}.groups ON groups.account_id = shifts.account_id AND groups.id = group_id
        LEFT JOIN ${main}.locations ON locations.account_id = shifts.account_id AND locations.id = location_id
        LEFT JOIN ${main}.people ON people.account_id = shifts.account_id AND people.id = person_id
        WHERE shifts.account_id = $1 AND (shifts.date, shifts.id) > ($2, $3) AND shifts.date <= $4
        ORDER BY shifts.date, shifts.id LIMIT $5`,
        [accountId, date, id, to, limit + 1],
      );
      return sliceOf(rows.map(deskShiftOf), limit);
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
    shifts: shifts.toSorted((a, b) => order(a.date, b.date) || order(a.start_time, b.start_time)),
    next: isAll || last === undefined ? undefined : ({ date: last.date, id: last.id } satisfies ShiftPlace),
  };
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function isLiveAt(time: string): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${time})`;
}

async function accountWith({ all, dialect }: Queries, id: number): Promise<Account | undefined> {
  const [row] = await all<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM ${dialect.main}.accounts WHERE id = $1`,
    [id],
  );
  return row && accountOf(row);
}

function deskShiftOf(row: RecordRow): DeskShift {
  const { group_id, location_id, person_id, ...shift } = recordOf('shifts', row);
  return {
    ...shift,
    group: { id: group_id, name: String(row.group_name) },
    location: location_id === null ? null : { name: String(row.location_name), address: String(row.address) },
    person: person_id === null ? null : { name: String(row.person_name) },
    active: Boolean(row.active),
  };
}
