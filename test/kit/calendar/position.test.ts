import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, formatDate, parseDate } from '@shiftfeed/common/days';
import { daysOf, placeShifts, rangeOfGrid } from '../../../common/src/calendar/range.ts';
import { shift } from './site.ts';

test('a night is on both of its days, and a shift that ends at midnight is on one', () => {
  const night = shift('2026-11-15', { start_time: '22:00', end_time: '06:00', end_date: '2026-11-16' });
  const evening = shift('2026-11-15', { start_time: '18:00', end_time: '00:00', end_date: '2026-11-16' });
  const early = shift('2026-11-16', { start_time: '05:00', end_time: '09:00' });
  const days = (of: typeof night) => Object.values(daysOf(of)).map((day) => formatDate(day));
  assert.deepEqual(days(night), ['2026-11-15', '2026-11-16']);
  assert.deepEqual(days(evening), ['2026-11-15', '2026-11-15']);
  const monday = parseDate('2026-11-16') as Day;
  const placed = placeShifts([night, evening, early], { from: monday, to: monday });
  assert.deepEqual(
    [...placed].map(([day, shifts]) => [formatDate(day), shifts.map(({ shift: { id } }) => id)]),
    [['2026-11-16', [night.id, early.id]]],
  );
  assert.deepEqual(placed.get(monday)?.[0], { shift: night, day: monday, continues: true, goesOn: false });
});

test('the grid of a month has whole weeks, and just those that the month touches', () => {
  const range = (date: string, first: number) => {
    const { from, to } = rangeOfGrid('month', parseDate(date) as Day, first);
    return `${formatDate(from)} ${formatDate(to)}`;
  };
  assert.equal(range('2026-11-15', 1), '2026-10-26 2026-12-06');
  assert.equal(range('2026-11-15', 7), '2026-11-01 2026-12-05');
  assert.equal(range('2027-02-28', 1), '2027-02-01 2027-02-28');
});
