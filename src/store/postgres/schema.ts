/** What the migrations make, and what is wrong with it. */

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

async function schemaFlaws({ all }: Queries): Promise<SchemaFlaw[]> {
  const found = new Map((await all<Part>(PARTS)).map((part) => [`${part.type} ${part.name}`, part]));
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

/** The parts that the migrations make. Functions come first, because triggers need them. */
export function expectedParts(): Map<string, ExpectedPart> {
  const parts = new Map<string, ExpectedPart>();
  for (const text of migrationsIn(FOLDER).after(0)) {
    for (const [statement, name = '', source] of text.matchAll(FUNCTIONS))
      parts.set(`function ${name}`, { source, statement: functionAnew(statement, name) });
    for (const [, name = '', columns = ''] of text.matchAll(/^CREATE TABLE (\w+) \((.*?)^\);/gms)) {
      parts.set(`table ${name}`, {});
      for (const constraint of constraintsOf(name, columns)) parts.set(`constraint ${constraint}`, {});
    }
    for (const [statement, type = '', name] of text.matchAll(
      /^CREATE (INDEX|TRIGGER) (?:IF NOT EXISTS )?(\w+).*?;$/gms,
    ))
      parts.set(`${type.toLowerCase()} ${name}`, { statement: inSchema(statement) });
    for (const [, name] of text.matchAll(/^ *DROP INDEX IF EXISTS (\w+);$/gm)) parts.delete(`index ${name}`);
  }
  return parts;
}

const FUNCTIONS = /^CREATE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$;$/gms;

/** The names that PostgreSQL gives to the constraints of a table. There is a line for each column. */
function constraintsOf(table: string, columns: string): string[] {
  return columns.split('\n').flatMap((line) => {
    const column = /^ +([a-z_]+) /.exec(line)?.[1];
    const of = column === undefined ? table : `${table}_${column}`;
    return [
      ...(line.includes('PRIMARY KEY') ? [`${table}_pkey`] : []),
      ...(line.includes('UNIQUE') ? [`${of}_key`] : []),
      ...(line.includes('CHECK') ? [`${of}_check`] : []),
      ...(line.includes('REFERENCES') ? [`${of}_fkey`] : []),
    ];
  });
}

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
