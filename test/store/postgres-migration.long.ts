/** An autovacuum of a large table may take hours. It gives way to those who wait for a second, and to no others. */

import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { COMMAND_CONNECTION, connect } from '../../src/store/postgres/connection.ts';
import { databaseOn } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { postgresProgram } from '../support/database.ts';
import { addMigrations } from '../support/other-schema.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';

/** As slow as possible, and soon. */
const SETTINGS = [
  'autovacuum_naptime = 1',
  "autovacuum_vacuum_cost_delay = '100ms'",
  'autovacuum_vacuum_cost_limit = 1',
];

test('a migration does not wait for the end of an autovacuum', async (context) => {
  // The settings are for a whole server.
  const server = await startPostgres();
  context.after(() => server.remove());
  await (await openStore(server.url, { missing: 'create' })).close();
  const program = await postgresProgram(context, server.url);
  await program.query(`
    INSERT INTO accounts (slug, name) VALUES ('acme', 'Acme');
    INSERT INTO groups (account_id, id, name) VALUES (1, 1, 'Kitchen');
    INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
      SELECT 1, id, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2026-01-01' FROM generate_series(1, 60000) AS id;
    UPDATE shifts SET remarks = 'Bring a hat'`);
  for (const setting of SETTINGS) await program.query(`ALTER SYSTEM SET ${setting}`);
  await program.query('SELECT pg_reload_conf()');
  await until('shifts are vacuumed', async () => {
    const { rowCount } = await program.query(
      "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE backend_type = 'autovacuum worker' AND relation = 'shifts'::regclass",
    );
    return rowCount !== 0;
  });
  addMigrations(context, 'postgres', [
    'LOCK TABLE shifts IN SHARE MODE; CREATE INDEX shifts_later ON shifts (account_id, remarks)',
  ]);
  const connection = connect(server.url, COMMAND_CONNECTION);
  context.after(() => connection.close());
  await migrate(databaseOn(connection), 'planning', {}, LIMIT_MS);
});

/** The autovacuum takes several times as long. */
const LIMIT_MS = 30_000;
