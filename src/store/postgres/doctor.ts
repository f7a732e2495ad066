import {
  crowdedAccountOf,
  crowdedAccountsQuery,
  type DoctorStore,
  LOOSE_ROW_CHECKS,
  type LooseRows,
  looseRowsQuery,
  type SchemaFlaw,
  type StampFlaw,
  stampFlawsQuery,
} from '../doctor-store.ts';
import type { Ask, Connection } from './connection.ts';
import { allMigrations } from './migrate.ts';

export function doctorStore(connection: Connection): DoctorStore {
  return {
    examine: () =>
      connection.reading(async (ask) => {
        const looseRows: LooseRows[] = [];
        for (const check of LOOSE_ROW_CHECKS) looseRows.push(...(await looseRowsOf(ask, check)));
        return {
          // PostgreSQL detects damage when it reads a page, but has no check for it that every user may run.
          damage: undefined,
          schema: await schemaFlaws(ask),
          looseRows,
          // Its date type cannot hold any.
          impossibleDates: [],
          stamps: await ask<StampFlaw>({ text: STAMP_FLAWS }),
          crowded: (await ask<Record<string, unknown>>({ text: crowdedAccountsQuery('shiftfeed.') })).map(
            crowdedAccountOf,
          ),
          stampStatement: STAMP_STATEMENT,
        };
      }),
  };
}

const STAMP_FLAWS = stampFlawsQuery(
  'shiftfeed.',
  "to_char(date, 'YYYY-MM')",
  "month ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])$'",
);

const STAMP_STATEMENT =
  'SELECT shiftfeed.stamp_months(array_agg(account_id), array_agg(month)) FROM ' +
  "(SELECT account_id, to_char(date, 'YYYY-MM') AS month FROM shiftfeed.shifts UNION SELECT account_id, month FROM shiftfeed.months) AS used;";

async function looseRowsOf(ask: Ask, check: (typeof LOOSE_ROW_CHECKS)[number]): Promise<LooseRows[]> {
  const [table, lacking] = check;
  const rows = await ask<{ slug: string | null; count: string; first_id: string | null }>({
    text: looseRowsQuery(check, 'shiftfeed.'),
  });
  return rows.map(({ slug, count, first_id }) => ({
    table,
    lacking,
    slug: slug ?? undefined,
    count: Number(count),
    firstId: first_id === null ? undefined : Number(first_id),
  }));
}

/**
 * The existing parts of the schema, each with what is wrong with it and the statement that repairs it. Functions come
 * with their text.
 */
const PARTS = `
  SELECT 'table' AS type, relname AS name, NULL AS source, NULL AS flaw, NULL AS repair FROM pg_class
    WHERE relnamespace = 'shiftfeed'::regnamespace AND relkind = 'r'
  UNION ALL
  SELECT 'index', relname, NULL, CASE WHEN NOT indisvalid THEN 'switched off' END, format('REINDEX INDEX shiftfeed.%I;', relname)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = 'shiftfeed'::regnamespace
  UNION ALL
  SELECT 'function', proname, prosrc, NULL, NULL FROM pg_proc WHERE pronamespace = 'shiftfeed'::regnamespace
  UNION ALL
  SELECT 'trigger', tgname, NULL, CASE WHEN tgenabled IN ('D', 'R') THEN 'switched off' END,
      format('ALTER TABLE shiftfeed.%I ENABLE TRIGGER %I;', relname, tgname)
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = 'shiftfeed'::regnamespace AND NOT tgisinternal
  UNION ALL
  SELECT 'constraint', conname, NULL,
      CASE WHEN disabled_on IS NOT NULL THEN 'switched off' WHEN NOT convalidated THEN 'not checked' END,
      CASE WHEN disabled_on IS NOT NULL THEN format('ALTER TABLE shiftfeed.%I ENABLE TRIGGER ALL;', disabled_on)
        ELSE format('ALTER TABLE shiftfeed.%I VALIDATE CONSTRAINT %I;', relname, conname) END
    FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
    LEFT JOIN LATERAL (
      SELECT of_trigger.relname AS disabled_on FROM pg_trigger JOIN pg_class AS of_trigger ON of_trigger.oid = tgrelid
      WHERE tgconstraint = pg_constraint.oid AND tgenabled IN ('D', 'R') LIMIT 1
    ) AS disabled ON true
    WHERE connamespace = 'shiftfeed'::regnamespace AND contype IN ('c', 'f', 'p', 'u')`;

interface Part {
  readonly type: string;
  readonly name: string;
  readonly source: string | null;
  readonly flaw: SchemaFlaw['flaw'] | null;
  readonly repair: string | null;
}

async function schemaFlaws(ask: Ask): Promise<SchemaFlaw[]> {
  const found = new Map(
    (await ask<Part>({ text: PARTS })).map((part) => [`${part.type} ${part.name}`, part]),
  );
  return [...expectedParts()].flatMap(([part, { source, statement }]): SchemaFlaw[] => {
    const present = found.get(part);
    if (present === undefined) return [{ part, flaw: 'missing', repair: statement }];
    if (present.flaw !== null) return [{ part, flaw: present.flaw, repair: present.repair ?? undefined }];
    return source === undefined || present.source === source
      ? []
      : [{ part, flaw: 'changed', repair: statement }];
  });
}

interface ExpectedPart {
  /** The text of a function. */
  readonly source?: string | undefined;
  /** Creates it again, whatever the search path is. */
  readonly statement?: string | undefined;
}

/**
 * The parts that the migrations name, and the constraints, which PostgreSQL names itself. Functions come first, because
 * triggers need them.
 */
function expectedParts(): Map<string, ExpectedPart> {
  const parts = new Map<string, ExpectedPart>();
  for (const text of allMigrations()) {
    for (const [statement, name = '', source] of text.matchAll(FUNCTIONS))
      parts.set(`function ${name}`, { source, statement: functionAnew(statement, name) });
    for (const [, name] of text.matchAll(/^CREATE TABLE (\w+)/gm)) parts.set(`table ${name}`, {});
    for (const [statement, type = '', name] of text.matchAll(
      /^CREATE (INDEX|TRIGGER) (?:IF NOT EXISTS )?(\w+).*?;$/gms,
    ))
      parts.set(`${type.toLowerCase()} ${name}`, { statement: inSchema(statement) });
    for (const [, name] of text.matchAll(/^ *DROP INDEX IF EXISTS (\w+);$/gm)) parts.delete(`index ${name}`);
  }
  for (const name of CONSTRAINTS) parts.set(`constraint ${name}`, {});
  return parts;
}

const FUNCTIONS = /^CREATE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$;$/gms;

/**
 * Keeps the line breaks of the text, because some lines are comments. As in the migrations, nobody else may call the
 * function.
 */
function functionAnew(statement: string, name: string): string {
  const anew = statement.replace('CREATE FUNCTION ', 'CREATE OR REPLACE FUNCTION shiftfeed.');
  return `${anew} REVOKE EXECUTE ON FUNCTION shiftfeed.${name} FROM PUBLIC;`;
}

function inSchema(statement: string): string {
  return statement
    .replaceAll(/\s+/g, ' ')
    .replace(/ ON (\w+)/, ' ON shiftfeed.$1')
    .replace(/ EXECUTE FUNCTION (\w+)/, ' EXECUTE FUNCTION shiftfeed.$1');
}

/** A test compares this list with what the migrations create. */
export const CONSTRAINTS: readonly string[] = [
  'accounts_name_check',
  'accounts_pkey',
  'accounts_revision_check',
  'accounts_slug_check',
  'accounts_slug_key',
  'accounts_sort_check',
  'groups_account_id_fkey',
  'groups_id_check',
  'groups_name_check',
  'groups_pkey',
  'imports_account_id_fkey',
  'imports_pkey',
  'imports_succeeded_at_check',
  'locations_account_id_fkey',
  'locations_address_check',
  'locations_id_check',
  'locations_name_check',
  'locations_pkey',
  'months_account_id_fkey',
  'months_pkey',
  'people_account_id_fkey',
  'people_id_check',
  'people_name_check',
  'people_pkey',
  'shifts_check',
  'shifts_date_check',
  'shifts_end_date_check',
  'shifts_end_time_check',
  'shifts_id_check',
  'shifts_pkey',
  'shifts_publish_date_check',
  'shifts_remarks_check',
  'shifts_start_time_check',
  'tokens_account_id_fkey',
  'tokens_created_at_check',
  'tokens_expires_at_check',
  'tokens_hash_check',
  'tokens_hash_key',
  'tokens_hint_check',
  'tokens_label_check',
  'tokens_last_used_at_check',
  'tokens_pkey',
  'tokens_revoked_at_check',
];
