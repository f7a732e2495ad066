/** SQLite through Node's own driver, or PostgreSQL, behind one query builder. */

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect } from 'kysely';
import { Pool, types } from 'pg';

export interface Tables {
  accounts: { id: number; slug: string; premium: Flag };
  tokens: { hash: string; account_id: number; expires_at: number | null; revoked_at: number | null };
  groups: { id: number; account_id: number; name: string; active: Flag };
  locations: { id: number; account_id: number; name: string; address: string };
  people: { id: number; account_id: number; name: string };
  shifts: {
    id: number;
    account_id: number;
    date: string;
    start_time: string;
    end_time: string;
    end_date: string;
    group_id: number;
    location_id: number | null;
    person_id: number | null;
    publish_date: string;
    remarks: string;
    starred: Flag;
    cancelled: Flag;
    noshow: Flag;
  };
}

/** SQLite has no booleans. */
type Flag = boolean | 0 | 1;

export function openDatabase(url: string): Kysely<Tables> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  const dialect =
    path === undefined
      ? new PostgresDialect({ pool: new Pool({ connectionString: url, max: 10 }) })
      : new SqliteDialect({ database: openSqlite(path) });
  return new Kysely<Tables>({ dialect });
}

// Dates go out as they come; making a Date of each would be slow and would bring time zones in. Counts are not that
// large.
types.setTypeParser(types.builtins.DATE, (text) => text);
types.setTypeParser(types.builtins.INT8, Number);

/** What Kysely expects of a driver, made from `node:sqlite`. A statement is prepared once for each text. */
function openSqlite(path: string): SqliteDatabase {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824');
  const statements = new Map<string, StatementSync>();

  function prepared(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = prepared(sql);
      return {
        reader: true,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) =>
          statement.iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
      };
    },
  };
}
