import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, parseDate, parseMonth } from '@shiftfeed/common/days';
import fc from 'fast-check';
import { parseQuery } from '../../src/http/listing/query.ts';
import { buildMonth } from '../../src/listing/build-month.ts';
import { includesDays } from '../../src/listing/day-mask.ts';
import type { Query } from '../../src/listing/filter.ts';
import { cutPage, layOutPage } from '../../src/listing/page.ts';
import { planMonths } from '../../src/listing/plan.ts';
import type { Shift } from '../../src/listing/shift.ts';
import { viewKey, viewOf } from '../../src/listing/view.ts';
import { often } from '../support/strength.ts';
import { anyCase, anyQuery, type Case } from './arbitraries.ts';
import { expectedBody, toSearch } from './oracle.ts';

test('any query on any account gives the page that filtering and sorting by hand gives', () => {
  const anything = anyCase.chain((account) => fc.tuple(fc.constant(account), anyQuery(account.today)));
  fc.assert(
    fc.property(anything, ([account, query]) => {
      const expected = expectedBody(account.shifts, query, account.today, account.order);
      assert.equal(bodyOf(account, parseQuery(toSearch(query))), expected);
      assert.equal(bodyOf(account, parseQuery(toSearch(query)), true), expected);
    }),
    { numRuns: often(400, 8_000) },
  );
});

test('all pages of a query, put together, are its shifts without a gap or a repetition', () => {
  const anything = anyCase.chain((account) => fc.tuple(fc.constant(account), anyQuery(account.today)));
  fc.assert(
    fc.property(anything, ([account, query]) => {
      const read = (page: number, per_page: number) =>
        JSON.parse(bodyOf(account, parseQuery(toSearch({ ...query, page, per_page }))));
      const whole = read(1, 500);
      const parts = Array.from({ length: read(1, 7).meta.total_pages }, (_, i) => read(i + 1, 7).shifts);
      assert.deepEqual(parts.flat(), whole.shifts);
    }),
    { numRuns: often(60, 500) },
  );
});

test('views with equal keys are equal, and a key follows from the filter and not from how it was written', () => {
  const key = (search: string, today = 0) => viewKey(parseQuery(search).rows, today as Day);
  assert.equal(key('group_ids=2,1&group_ids=01'), key('group_ids[]=1&group_ids=2'));
  assert.notEqual(key('group_ids=1'), key('location_ids=1'));
  assert.notEqual(key('group_ids=12'), key('group_ids=1,2'));
  assert.notEqual(key('', 1), key('', 2));
  assert.equal(key('published=false', 1), key('published=0', 2));
});

/**
 * The pipeline as the feed runs it, without cache and database; from whole months, or from the days of the page only.
 */
function bodyOf({ shifts, today, order }: Case, { dates, rows, paging }: Query, fromDays = false): string {
  const day = parseDate(today) as Day;
  const byDate = shifts.toSorted((a, b) => a.date.localeCompare(b.date));
  const byMonth = Map.groupBy(byDate, (shift) => parseMonth(shift.date));
  const blocks = new Map(Array.from(byMonth, ([month, some]) => [month, buildMonth(month, some, order)]));
  const months = [...blocks.keys()].sort((a, b) => a - b);
  const counted = planMonths(dates, day, months).map(({ month, days }) => {
    const block = blocks.get(month);
    assert.ok(block);
    const view = viewOf(block, rows, day);
    return { month, days, block, view, dayStarts: view.dayStarts };
  });
  const { parts, total, page, perPage, totalPages } = layOutPage(counted, paging);
  const slices = cutPage(
    parts.map((part) => {
      const { month, block, view } = counted.find(({ month }) => month === part.month) ?? assert.fail();
      if (!fromDays) return { ...part, block, view };
      const isInPart = ({ date }: Shift) => includesDays(part.days, 1 << (Number(date.slice(8)) - 1));
      const piece = buildMonth(month, byMonth.get(month)?.filter(isInPart) ?? [], order, { days: part.days });
      return { ...part, block: piece, view: viewOf(piece, rows, day) };
    }),
  );
  const meta = { total, page, per_page: perPage, total_pages: totalPages };
  return `{"shifts":[${Buffer.concat(slices)}],"meta":${JSON.stringify(meta)}}`;
}
