/** Accounts with shifts in more months than are listed. Only a program that writes by itself can make one. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { type DatabaseKind, postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { type Service, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

for (const database of often<DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres'])) {
  test(`on ${database}, an account with shifts in too many months is refused with a sentence, and others are listed`, async (context) => {
    const service = await startService(context, { now: '2026-11-15T12:00:00Z', database });
    for (const slug of ['acme', 'other'])
      await service.import({ ...acme([shift('2026-12-01')]), account: { slug, premium: true } });
    const token = await service.token('acme');
    assert.equal((await service.list('acme', '', token)).meta.total, 1);
    await fillMonths(context, service, database);
    for (const query of ['', '?years=2026']) {
      const response = await service.get('acme', query, token);
      assert.equal(response.status, 500);
      assert.deepEqual(await response.json(), {
        error:
          'The account "acme" has shifts in more than 2400 months, and cannot be listed: "shiftfeed doctor" says more.',
      });
    }
    assert.equal((await service.list('other', '', await service.token('other'))).meta.total, 1);
  });
}

/** Adds a shift in each of so many months. */
async function fillMonths(context: TestContext, service: Service, database: DatabaseKind): Promise<void> {
  const account = await service.store.findAccount('acme');
  assert.ok(account);
  const columns = 'account_id, id, date, start_time, end_time, end_date, group_id, publish_date';
  const fill = (date: string, from: string) =>
    `INSERT INTO shifts (${columns})
     SELECT ${account.id}, 1000 + i, ${date}, '09:00', '17:00', ${date}, 1, ${date} FROM ${from}`;
  if (database === 'postgres') {
    const program = await postgresProgram(context, service.databaseUrl);
    const date = "(date '1900-01-01' + i * interval '1 month')::date";
    await program.query(fill(date, `generate_series(0, ${MAX_MONTHS}) AS numbers (i)`));
    return;
  }
  const program = new DatabaseSync(service.databaseUrl.slice('sqlite:'.length));
  context.after(() => program.close());
  program.exec(
    `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${MAX_MONTHS})
     ${fill("date('1900-01-01', i || ' months')", 'numbers')}`,
  );
}
