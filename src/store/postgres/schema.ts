/** What the migrations make, and what is wrong with it. */

import { ownFile } from '../../install/files.ts';
import type { OwnChecks, SchemaFlaw } from '../admin/doctor.ts';
import type { Queries } from '../database.ts';
import { migrationsIn } from '../schema-version.ts';
import { FOLDER } from './migrate.ts';

/** The version of the schema that this Shiftfeed needs. */
export const latestSchema = () => migrationsIn(FOLDER).latest;

/** What `doctor` checks on PostgreSQL in its own way. */
export const POSTGRES_CHECKS: OwnChecks = {
  isMonth: "month ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])$'",
  stampStatement:
    'SELECT shiftfeed.stamp_months(array_agg(account_id), array_agg(month)) FROM ' +
    "(SELECT account_id, to_char(date, 'YYYY-MM') AS month FROM shiftfeed.shifts UNION SELECT account_id, month FROM shiftfeed.months) AS used;",
  // PostgreSQL detects damage when it reads a page, but has no check for it that every user may run.
  damage: async () => undefined,
  schema: schemaFlaws,
};

/**
 * The existing parts of the schema, each with the statement that makes it, the one that removes it if it can be made anew
 * in its place, and what is wrong with it and the statement that repairs that. Functions come first, because triggers need
 * them. As in the migrations, nobody else may call them.
 */
const PARTS = `
  SELECT 'function ' || proname AS part, 1 AS rank,
      format('%s; REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC;', trim(E'\\n' FROM pg_get_functiondef(oid)), oid::regprocedure) AS statement,
      '' AS removal, NULL AS flaw, NULL AS repair
    FROM pg_proc WHERE pronamespace = 'shiftfeed'::regnamespace
  UNION ALL
  SELECT 'table ' || relname, 2, NULL, NULL, NULL, NULL FROM pg_class
    WHERE relnamespace = 'shiftfeed'::regnamespace AND relkind = 'r'
  UNION ALL
  SELECT 'constraint ' || conname, 3,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s;', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid)), NULL,
      CASE WHEN disabled_on IS NOT NULL THEN 'switched off' WHEN NOT convalidated THEN 'not checked' END,
      CASE WHEN disabled_on IS NOT NULL THEN format('ALTER TABLE %s ENABLE TRIGGER ALL;', disabled_on)
        ELSE format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', conrelid::regclass, conname) END
    FROM pg_constraint LEFT JOIN LATERAL (
      SELECT tgrelid::regclass AS disabled_on FROM pg_trigger
      WHERE tgconstraint = pg_constraint.oid AND tgenabled IN ('D', 'R') LIMIT 1
    ) AS disabled ON true
    WHERE connamespace = 'shiftfeed'::regnamespace AND contype IN ('c', 'f', 'p', 'u')
  UNION ALL
  -- Unique ones belong to constraints.
  SELECT 'index ' || relname, 4, pg_get_indexdef(indexrelid) || ';', format('DROP INDEX %s;', indexrelid::regclass),
      CASE WHEN NOT indisvalid THEN 'switched off' END, format('REINDEX INDEX %s;', indexrelid::regclass)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = 'shiftfeed'::regnamespace AND NOT indisunique
  UNION ALL
  SELECT 'trigger ' || tgname, 5, pg_get_triggerdef(pg_trigger.oid) || ';',
      format('DROP TRIGGER %I ON %s;', tgname, tgrelid::regclass),
      CASE WHEN tgenabled IN ('D', 'R') THEN 'switched off' END,
      format('ALTER TABLE %s ENABLE TRIGGER %I;', tgrelid::regclass, tgname)
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = 'shiftfeed'::regnamespace AND NOT tgisinternal
  ORDER BY rank, part`;

interface Part {
  readonly part: string;
  readonly statement: string | null;
  readonly removal: string | null;
  readonly flaw: SchemaFlaw['flaw'] | null;
  readonly repair: string | null;
}

/** In a transaction: it changes the search path. */
export async function partsOf({ all }: Queries): Promise<readonly Part[]> {
  // Names in statements have their schema only if it is not in the path.
  await all("SELECT set_config('search_path', 'pg_catalog', true)");
  return all<Part>(PARTS);
}

/** What the migrations make: each part, and the statement for it. `npm run postgres-schema` writes it. */
export const EXPECTED = new URL('./schema.json', import.meta.url);

/** Constraints are only looked for, because PostgreSQL may come to word them otherwise. */
async function schemaFlaws(queries: Queries): Promise<SchemaFlaw[]> {
  const found = new Map((await partsOf(queries)).map((part) => [part.part, part]));
  const expected: Readonly<Record<string, string | null>> = JSON.parse(ownFile(EXPECTED).toString());
  return Object.entries(expected).flatMap(([part, statement]): SchemaFlaw[] => {
    const present = found.get(part);
    if (present === undefined) return [{ part, flaw: 'missing', repair: statement ?? undefined }];
    const { flaw, removal, repair } = present;
    if (flaw !== null) return [{ part, flaw, repair: repair ?? undefined }];
    if (removal === null || present.statement === statement) return [];
    return [{ part, flaw: 'changed', repair: `${removal} ${statement}`.trim() }];
  });
}
