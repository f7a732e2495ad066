/** A PostgreSQL database is brought up to date while others use it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { watchBackends } from '../support/backends.ts';
import { postgresProgram } from '../support/database.ts';
import { firstSchema } from '../support/first-schema.ts';

const insertShift = (id: number, from = '') =>
  `INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
  SELECT 1, ${id}, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2026-01-01' ${from}`;

describe('While PostgreSQL is brought up to date', () => {
  test('an import that has begun to write shifts comes to its end, and so does the migration', async (context) => {
    const url = await firstSchema(context, 'postgres');
    const gate = await postgresProgram(context, url);
    const writer = await postgresProgram(context, url);
    const backends = await watchBackends(context, url);
    await gate.query('SELECT pg_advisory_lock(1)');
    // It has locked shifts, and will lock accounts when its trigger stamps them.
    const writing = writer.query(insertShift(1, 'FROM (SELECT pg_advisory_xact_lock(1)) AS gate'));
    await backends.whenWaiting(1);
    const opening = openStore(url, { missing: 'fail' });
    await backends.whenWaiting(2);
    await gate.query('SELECT pg_advisory_unlock(1)');
    await Promise.all([writing, opening.then((store) => store.close())]);
    const { rows } = await writer.query('SELECT id FROM shifts');
    assert.deepEqual(rows, [{ id: '1' }]);
  });
});
