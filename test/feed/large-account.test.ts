import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { type DatabaseKind, postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { type Service, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

/** Twelve months with ten shifts on each of their first three days. */
const SHIFTS = Array.from({ length: 360 }, (_, i) => {
  const month = String(1 + Math.floor(i / 30)).padStart(2, '0');
  return shift(`2027-${month}-0${1 + (Math.floor(i / 10) % 3)}`, { id: i + 1, group_id: 1 + (i % 2) });
});
const DOCUMENT = acme(SHIFTS, {
  groups: [
    { id: 1, name: 'Kitchen' },
    { id: 2, name: 'Bar' },
  ],
});

for (const database of often<DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres'])) {
  /** A service to which every account is large. */
  const largeService = async (context: TestContext, cacheBudgetBytes = 64 * 1024 * 1024) => {
    const now = '2026-11-15T12:00:00Z';
    const service = await startService(context, {
      hasThread: true,
      database,
      now,
      eagerRows: 0,
      cacheBudgetBytes,
    });
    await service.import(DOCUMENT);
    return { service, token: await service.token('acme') };
  };

  describe(`A large account, on ${database}`, () => {
    test('is listed from the days of the page and a count of the rest, and then read behind the scenes', async (context) => {
      const { service, token } = await largeService(context);
      const first = await service.list('acme', '?years=2027&per_page=15', token);
      assert.deepEqual(
        first.shifts.map(({ id }) => id),
        SHIFTS.slice(0, 15).map(({ id }) => id),
      );
      assert.equal(first.meta.total, 360);
      // The days of the page, and then each month as a whole.
      await loads(service, 1 + 12);
      const found = service.counts().monthsFound;
      for (const query of ['?years=2027&page=2', '?years=2027&group_ids=2', '?years=2027&published=false'])
        await service.list('acme', query, token);
      assert.equal(service.counts().monthsLoaded, 13);
      assert.equal(service.counts().monthsFound, found + 3 * 12);
    });

    test('that changes is listed from the days of the page again, while the rest stays', async (context) => {
      const { service, token } = await largeService(context);
      await service.list('acme', '?years=2027', token);
      await loads(service, 12 + 12);
      await service.import({ account: { slug: 'acme' }, shifts: [{ id: 200, remarks: 'changed' }] });
      const { shifts } = await service.list('acme', '?years=2027', token);
      assert.equal(shifts[199]?.remarks, 'changed');
      await loads(service, 24 + 2);
    });

    test('answers many different questions that wait together', async (context) => {
      const { service, token } = await largeService(context);
      const ids = Array.from({ length: 40 }, (_, i) => i + 2);
      const listings = await Promise.all(
        ids.map((id) => service.list('acme', `?years=2027&group_ids=2,${id}&per_page=${id}`, token)),
      );
      listings.forEach(({ shifts, meta }, i) => {
        assert.equal(meta.total, 180);
        assert.equal(shifts.length, ids[i]);
      });
    });

    test('that does not fit into memory is not read behind the scenes over and over', async (context) => {
      const { service, token } = await largeService(context, 40_000);
      for (let page = 1; page <= 24; page++) {
        const { shifts } = await service.list('acme', `?years=2027&per_page=15&page=${page}`, token);
        assert.deepEqual(
          shifts.map(({ id }) => id),
          SHIFTS.slice(15 * (page - 1), 15 * page).map(({ id }) => id),
        );
      }
      // At most a piece and the month around it for every page.
      assert.ok(service.counts().monthsLoaded <= 2 * 24, String(service.counts().monthsLoaded));
      assert.ok(service.counts().cachedBytes <= 40_000);
    });
  });
}

/** Resolves when so many months were loaded in all. */
async function loads(service: Service, count: number): Promise<void> {
  await until(`${count} months are loaded`, () => service.counts().monthsLoaded >= count);
  assert.equal(service.counts().monthsLoaded, count);
}

// Accounts with shifts in more months than are listed. Only a program that writes by itself can make one.

for (const database of often<DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres'])) {
  test(`on ${database}, an account with shifts in too many months is refused with a sentence, and others are listed`, async (context) => {
    const service = await startService(context, { hasThread: true, now: '2026-11-15T12:00:00Z', database });
    for (const slug of ['acme', 'other'])
      await service.import({ ...acme([shift('2026-12-01', { id: 1 })]), account: { slug, premium: true } });
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
