import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addDays,
  addMonths,
  type Day,
  dateOf,
  dayOf,
  firstOfMonth,
  firstOfWeek,
  weekdayOf,
} from '@shiftfeed/common/days';
import { isoWeekOf } from '@shiftfeed/common/iso-week';
import { wallMsOf } from '@shiftfeed/common/span';
import { instantOf, todayIn } from '@shiftfeed/common/zone';
import fc from 'fast-check';
import { daysOf, placeShifts } from '../../../kit/calendar/src/placement.ts';
import { rangeOfGrid } from '../../../kit/calendar/src/range.ts';
import { isSameTime } from '../../../kit/calendar/src/visitor-zone.ts';
import { shift } from './site.ts';

const aDate = fc
  .integer({ min: -300_000, max: 2_900_000 })
  .map((days) => Temporal.PlainDate.from('1970-01-01').add({ days }))
  .filter(({ year }) => year >= 1000 && year <= 9998);

test('days, months and weeks are those of Temporal', () => {
  fc.assert(
    fc.property(
      aDate,
      fc.integer({ min: -30, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (date, n, first) => {
        const day = dayOf(date.toString());
        assert.ok(day !== undefined);
        assert.equal(dateOf(day), date.toString());
        assert.equal(weekdayOf(day), date.dayOfWeek);
        assert.deepEqual(isoWeekOf(day), { year: date.yearOfWeek, week: date.weekOfYear });
        assert.equal(dateOf(addDays(day, n)), date.add({ days: n }).toString());
        assert.equal(dateOf(addMonths(day, n)), date.add({ months: n }).toString());
        assert.equal(dateOf(firstOfMonth(day)), date.with({ day: 1 }).toString());
        const start = firstOfWeek(day, first);
        assert.ok(weekdayOf(start) === first && start <= day && day - start < 7);
      },
    ),
  );
});

test('what is not a date is not a day', () => {
  for (const text of ['', '2026-02-30', '2026-2-3', '26-02-03', '2026-02-03T00:00', 'today']) {
    assert.equal(dayOf(text), undefined, text);
  }
});

test('instants are those of Temporal, also in the nights when clocks change', () => {
  const zones = ['Europe/Amsterdam', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
  const nights = ['2027-03-28', '2027-10-31', '2027-03-14', '2027-11-07', '2027-04-04', '2027-10-03'];
  for (const timeZone of zones) {
    for (const date of nights) {
      for (let minute = 0; minute < 24 * 60; minute += 15) {
        const time = Temporal.PlainTime.from('00:00').add({ minutes: minute });
        const expected = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time });
        const text = time.toString().slice(0, 5);
        assert.equal(
          instantOf(timeZone, wallMsOf(date, text)).ms,
          expected.epochMilliseconds,
          `${date} ${text}`,
        );
        assert.equal(
          dateOf(todayIn(timeZone, expected.epochMilliseconds)),
          expected.toPlainDate().toString(),
        );
      }
    }
  }
});

test('zones are the same when their clocks are, all year', () => {
  const nowMs = Temporal.Instant.from('2026-11-15T12:00:00Z').epochMilliseconds;
  assert.equal(isSameTime('Europe/Amsterdam', 'Europe/Berlin', nowMs), true);
  // In winter they show the same time, in summer they do not.
  assert.equal(isSameTime('Europe/Amsterdam', 'Africa/Lagos', nowMs), false);
});

test('a night is on both of its days, and a shift that ends at midnight is on one', () => {
  const night = shift('2026-11-15', { start_time: '22:00', end_time: '06:00', end_date: '2026-11-16' });
  const evening = shift('2026-11-15', { start_time: '18:00', end_time: '00:00', end_date: '2026-11-16' });
  const early = shift('2026-11-16', { start_time: '05:00', end_time: '09:00' });
  const days = (of: typeof night) => Object.values(daysOf(of)).map((day) => dateOf(day));
  assert.deepEqual(days(night), ['2026-11-15', '2026-11-16']);
  assert.deepEqual(days(evening), ['2026-11-15', '2026-11-15']);
  const monday = dayOf('2026-11-16') as Day;
  const placed = placeShifts([night, evening, early], { from: monday, to: monday });
  assert.deepEqual(
    [...placed].map(([day, shifts]) => [dateOf(day), shifts.map(({ shift: { id } }) => id)]),
    [['2026-11-16', [night.id, early.id]]],
  );
  assert.deepEqual(placed.get(monday)?.[0], { shift: night, day: monday, continues: true, goesOn: false });
});

test('the grid of a month has whole weeks, and just those that the month touches', () => {
  const range = (date: string, first: number) => {
    const { from, to } = rangeOfGrid('month', dayOf(date) as Day, first);
    return `${dateOf(from)} ${dateOf(to)}`;
  };
  assert.equal(range('2026-11-15', 1), '2026-10-26 2026-12-06');
  assert.equal(range('2026-11-15', 7), '2026-11-01 2026-12-05');
  assert.equal(range('2027-02-28', 1), '2027-02-01 2027-02-28');
});
