import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { DATABASES, type DatabaseKind, newDatabaseUrl, postgresProgram } from '../support/database.ts';
import { startService } from '../support/service.ts';

const MANUAL = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');

describe('The statements that the manual shows', () => {
  const beginnings: Readonly<Record<DatabaseKind, string>> = {
    sqlite: blockAfter('On SQLite:\n'),
    postgres: blockAfter('On PostgreSQL:\n'),
  };
  const first = { id: 501, date: '2027-03-06', end_date: '2027-03-06', person: null, remarks: '' };
  const changed = { ...first, person: { name: 'Noor' }, remarks: 'Bring a coat' };
  const night = { id: 502, date: '2027-03-06', end_date: '2027-03-07', person: null, remarks: '' };
  const moved = { ...changed, date: '2027-04-02', end_date: '2027-04-02' };
  /** In the order of the manual, because each builds on the one before. */
  const steps: [heading: string, listed: (typeof first | typeof changed)[]][] = [
    ['A first account with a group and a shift', [first]],
    ['Add or change', [changed, night]],
    ['Move to another month', [night, moved]],
    ['Remove', [moved]],
  ];

  test('are all run here', () => {
    const [, section = ''] = /^## Statements to copy\n(.*?)^## /ms.exec(MANUAL) ?? [];
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(
      headings,
      steps.map(([heading]) => heading),
    );
    assert.equal(section.split('```sql').length - 1, steps.length + Object.keys(beginnings).length);
  });

  for (const kind of DATABASES) {
    test(`have the effect that it says on ${kind}, at once`, async (context) => {
      const service = await startService(context, { now: '2026-11-15T12:00:00Z', database: kind });
      const run = await program(context, kind, service.databaseUrl);
      let token = '';
      for (const [heading, listed] of steps) {
        await run(`${beginnings[kind]} ${blockAfter(`### ${heading}\n`)} COMMIT`);
        token ||= await service.token('marina');
        const { shifts } = await service.list('marina', '', token);
        const shown = shifts.map(({ id, date, end_date, person, remarks }) => ({
          id,
          date,
          end_date,
          person,
          remarks,
        }));
        assert.deepEqual(shown, listed, heading);
      }
    });
  }
});

describe('The columns that the manual lists are those', () => {
  interface Column {
    readonly name: string;
    readonly sqlite: string;
    readonly postgres: string;
    readonly standard: string;
    readonly isNullable: boolean;
  }
  const rows = [...MANUAL.matchAll(/^\| `(\w+\.\w+)` \| `(\w+)` \| `(\w+)` \| (.*?) ?\| (yes|no) \|/gm)];
  const columns = rows.map(
    ([, name = '', sqlite = '', postgres = '', standard = '', nullable]): Column => ({
      name,
      sqlite,
      postgres,
      standard: standard.replaceAll('`', ''),
      isNullable: nullable === 'yes',
    }),
  );
  const inOrder = (described: string[]) => described.toSorted();

  test('of SQLite', async (context) => {
    const url = await newDatabaseUrl(context);
    await (await openStore(url, { missing: 'create' })).close();
    const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
    context.after(() => database.close());
    const found = database
      .prepare(
        `SELECT tables.name || '.' || columns.name AS name, columns.type, dflt_value, "notnull" OR pk AS required,
          pk AND columns.name = 'id' AND tables.sql LIKE '%AUTOINCREMENT%' AS numbered
        FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name NOT IN ('shift_in_the_way', ${OWN_TABLES})`,
      )
      .all();
    const flags: Readonly<Record<string, string>> = { false: '0', true: '1' };
    assert.deepEqual(
      inOrder(
        found.map(({ name, type, dflt_value, required, numbered }) =>
          [name, type, numbered === 1 ? 'the next number' : (dflt_value ?? ''), required === 0].join(' '),
        ),
      ),
      inOrder(
        columns.map(({ name, sqlite, standard, isNullable }) =>
          [name, sqlite, flags[standard] ?? standard, isNullable].join(' '),
        ),
      ),
    );
  });

  test('of PostgreSQL', async (context) => {
    const url = await newDatabaseUrl(context, 'postgres');
    await (await openStore(url, { missing: 'create' })).close();
    const client = await postgresProgram(context, url);
    const { rows: found } = await client.query(`
      SELECT table_name || '.' || column_name AS name, data_type, is_nullable = 'YES' AS nullable,
        CASE WHEN is_identity = 'YES' THEN 'the next number' ELSE coalesce(replace(column_default, '::text', ''), '') END AS standard
      FROM information_schema.columns WHERE table_schema = 'shiftfeed' AND table_name NOT IN (${OWN_TABLES})`);
    assert.deepEqual(
      inOrder(
        found.map(({ name, data_type, standard, nullable }) =>
          [name, data_type, standard, nullable].join(' '),
        ),
      ),
      inOrder(
        columns.map(({ name, postgres, standard, isNullable }) =>
          [name, postgres, standard, isNullable].join(' '),
        ),
      ),
    );
  });
});

/** Tables that nobody else needs to know. */
const OWN_TABLES = "'schema_version', 'import_history', 'replaced_records', 'desk_layouts'";

/** The first block of SQL after a text that the manual has once. */
function blockAfter(text: string): string {
  const [, after, ...more] = MANUAL.split(text);
  assert.ok(after !== undefined && more.length === 0, text);
  return /```sql\n(.*?)```/s.exec(after)?.[1] ?? '';
}

/** Another program, with a connection of its own, on PostgreSQL with the search path that the manual advises. */
async function program(
  context: TestContext,
  kind: DatabaseKind,
  url: string,
): Promise<(sql: string) => Promise<void>> {
  if (kind === 'postgres') {
    const client = await postgresProgram(context, url);
    return async (sql) => void (await client.query(sql));
  }
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  context.after(() => database.close());
  return async (sql) => database.exec(sql);
}
