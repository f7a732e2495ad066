import { DatabaseSync } from 'node:sqlite';
import {
  crowdedAccountOf,
  crowdedAccountsQuery,
  type DoctorStore,
  type ImpossibleDate,
  LOOSE_ROW_CHECKS,
  type LooseRows,
  looseRowsQuery,
  type SchemaFlaw,
  type StampFlaw,
  stampFlawsQuery,
} from '../doctor-store.ts';
import { IN_MEMORY, reading } from './connection.ts';
import { migrate } from './migrate.ts';

const MAX_TOLD_DAMAGE = 20;
const STAMP_STATEMENT =
  'INSERT INTO changes SELECT account_id, substr(date, 1, 7) FROM shifts UNION SELECT account_id, month FROM months;';
const IS_MONTH = "month GLOB '[1-9][0-9][0-9][0-9]-[01][0-9]' AND substr(month, 6) BETWEEN '01' AND '12'";

export function doctorStore(database: DatabaseSync): DoctorStore {
  return {
    async examine() {
      const made = await freshSchema();
      return reading(database, () => ({
        damage: damageOf(database),
        impossibleDates: impossibleDatesOf(database),
        schema: compareSchemas(made, schemaOf(database)),
        looseRows: LOOSE_ROW_CHECKS.flatMap((check) => looseRows(database, check)),
        stamps: stampFlaws(database),
        crowded: database.prepare(crowdedAccountsQuery('')).all().map(crowdedAccountOf),
        stampStatement: STAMP_STATEMENT,
      }));
    },
  };
}

/** Also finds rows that break a constraint. */
function damageOf(database: DatabaseSync): string[] {
  return database
    .prepare(`PRAGMA integrity_check(${MAX_TOLD_DAMAGE})`)
    .all()
    .map(({ integrity_check }) => String(integrity_check))
    .filter((message) => message !== 'ok');
}

/** Programs with SQLite below 3.42 could write impossible dates before the constraints compared dates by day number. */
function impossibleDatesOf(database: DatabaseSync): ImpossibleDate[] {
  const queries = DATE_COLUMNS.map(
    (column) => `
      SELECT slug, account_id, shifts.id, '${column}' AS column, ${column} AS value
      FROM shifts JOIN accounts ON accounts.id = account_id
      WHERE strftime('%Y-%m-%d', julianday(${column})) IS NOT ${column}`,
  );
  const rows = database.prepare(`${queries.join(' UNION ALL ')} LIMIT ${MAX_TOLD_DAMAGE}`).all();
  return rows.map(({ slug, account_id, id, column, value }) => ({
    slug: String(slug),
    shiftId: Number(id),
    column: String(column) as ImpossibleDate['column'],
    value: String(value),
    repair: `UPDATE shifts SET ${column} = '…' WHERE account_id = ${account_id} AND id = ${id};`,
  }));
}

const DATE_COLUMNS: readonly ImpossibleDate['column'][] = ['date', 'end_date', 'publish_date'];

/** Part → the statement that made it. */
type Schema = ReadonlyMap<string, string>;

/** Runs the migrations on an empty database, to see what they create. */
async function freshSchema(): Promise<Schema> {
  const fresh = new DatabaseSync(IN_MEMORY);
  try {
    await migrate(fresh, IN_MEMORY);
    return schemaOf(fresh);
  } finally {
    fresh.close();
  }
}

function schemaOf(database: DatabaseSync): Schema {
  const rows = database.prepare('SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL').all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)]));
}

/** Parts that others have added are ignored. Line breaks may differ, because a statement may have been copied. */
function compareSchemas(expected: Schema, found: Schema): SchemaFlaw[] {
  return [...expected].flatMap(([part, sql]): SchemaFlaw[] => {
    const present = found.get(part);
    const statement = onOneLine(sql);
    if (present === undefined) return [{ part, flaw: 'missing', repair: `${statement};` }];
    if (onOneLine(present) === statement) return [];
    // A table cannot be created again without losing its rows.
    const repair = part.startsWith('table ') ? undefined : `DROP ${part}; ${statement};`;
    return [{ part, flaw: 'changed', repair }];
  });
}

function onOneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ');
}

function looseRows(database: DatabaseSync, check: (typeof LOOSE_ROW_CHECKS)[number]): LooseRows[] {
  const [table, lacking] = check;
  return database
    .prepare(looseRowsQuery(check, ''))
    .all()
    .map(({ slug, count, first_id }) => ({
      table,
      lacking,
      slug: slug === null ? undefined : String(slug),
      count: Number(count),
      firstId: first_id === null ? undefined : Number(first_id),
    }));
}

function stampFlaws(database: DatabaseSync): StampFlaw[] {
  const rows = database.prepare(stampFlawsQuery('', 'substr(date, 1, 7)', IS_MONTH)).all();
  return rows.map(({ slug, month, flaw }) => ({
    slug: String(slug),
    month: String(month),
    flaw: flaw as StampFlaw['flaw'],
  }));
}
