/** Accounts with shifts in so many months that nobody holds the list of them. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { formatMonth, type Month, parseMonth } from '../../src/listing/calendar.ts';
import { MAX_HELD_MONTHS } from '../../src/store/feed-store.ts';
import type { DatabaseKind } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const FIRST = parseMonth('1900-01');

/** One shift on the 15th of each of so many months, from January 1900 on. */
function shiftsOf(months: number) {
  return Array.from({ length: months }, (_, i) =>
    shift(`${formatMonth((FIRST + i) as Month)}-15`, { id: i + 1, group_id: 1 + (i % 2) }),
  );
}

const GROUPS = [
  { id: 1, name: 'Kitchen' },
  { id: 2, name: 'Bar' },
];

async function serviceWith(context: TestContext, database: DatabaseKind, months: number, more: object = {}) {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z', database, ...more });
  await service.import(acme(shiftsOf(months), { groups: GROUPS }));
  return { service, token: await service.token('acme') };
}

for (const database of often<DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres'])) {
  describe(`An account with more months than are held, on ${database}`, () => {
    test('is listed like any other', async (context) => {
      const months = MAX_HELD_MONTHS + 100;
      const { service, token } = await serviceWith(context, database, months);
      const all = shiftsOf(months);
      const questions: [string, (date: string, id: number) => boolean][] = [
        ['?date_from=1900-01-01', () => true],
        ['?months=2,3', (date) => /-0[23]-/.test(date)],
        ['?months=2&group_ids=1', (date, id) => /-02-/.test(date) && id % 2 === 1],
        ['', (date) => date >= '2026-11-15' && date <= '2027-11-15'],
        ['?years=1950,2099', (date) => /^(1950|2099)/.test(date)],
        ['?day=1900-01-15', (date) => date === '1900-01-15'],
        ['?day=1900-01-16', () => false],
      ];
      for (const [query, matches] of questions) {
        const expected = all.filter(({ date }, i) => matches(date, i + 1)).map(({ date }) => date);
        for (const page of [1, 2, 9]) {
          const separator = query === '' ? '?' : '&';
          const { shifts, meta } = await service.list(
            'acme',
            `${query}${separator}per_page=40&page=${page}`,
            token,
          );
          assert.deepEqual(
            shifts.map(({ date }) => date),
            expected.slice((page - 1) * 40, page * 40),
            `${query} page ${page}`,
          );
          assert.equal(meta.total, expected.length, query);
        }
      }
    });

    test('is listed even when the cache has no room for what its query means', async (context) => {
      const months = MAX_HELD_MONTHS + 1;
      const { service, token } = await serviceWith(context, database, months, { cacheBudgetBytes: 100_000 });
      const ids = Array.from({ length: 2_000 }, (_, i) => i + 1).join(',');
      const { meta, shifts } = await service.list('acme', `?date_from=1900-01-01&group_ids=${ids}`, token);
      assert.deepEqual([meta.total, shifts[0]?.date], [months, '1900-01-15']);
    });

    test('has entity tags that change with the account and with the query', async (context) => {
      const { service, token } = await serviceWith(context, database, MAX_HELD_MONTHS + 1);
      const tagOf = async (query: string) => (await service.get('acme', query, token)).headers.get('etag');
      const tag = await tagOf('?months=2');
      assert.equal(await tagOf('?months=2'), tag);
      const others = ['?months=3', '?months=2,3', '?years=1902', '?months=2&page=2', '?months=2&group_ids=1'];
      const tags = await Promise.all(others.map(tagOf));
      assert.equal(new Set([tag, ...tags]).size, 1 + others.length);
      const headers = { 'if-none-match': tag ?? '' };
      assert.equal((await service.get('acme', '?months=2', token, { headers })).status, 304);
      await service.import({ account: { slug: 'acme' }, shifts: [{ id: 2, remarks: 'changed' }] });
      const changed = await service.get('acme', '?months=2&per_page=1', token, { headers });
      assert.equal(changed.status, 200);
      assert.match(await changed.text(), /"remarks":"changed"/);
    });

    test('may have become one while the service runs', async (context) => {
      const { service, token } = await serviceWith(context, database, MAX_HELD_MONTHS);
      const total = async () => (await service.list('acme', '?date_from=1900-01-01', token)).meta.total;
      assert.equal(await total(), MAX_HELD_MONTHS);
      const add = (id: number) =>
        service.import({ account: { slug: 'acme' }, shifts: [shift('9000-01-01', { id })] });
      await add(1_000_000);
      assert.equal(await total(), MAX_HELD_MONTHS + 1);
      await add(1_000_001);
      assert.equal(await total(), MAX_HELD_MONTHS + 2);
    });
  });
}
