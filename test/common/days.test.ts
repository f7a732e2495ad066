import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addDays,
  addMonths,
  civilOf,
  type Day,
  dateAfter,
  dayOf,
  daysIn,
  FIRST_DAY,
  firstDayOf,
  firstOfMonth,
  firstOfWeek,
  formatDate,
  formatMonth,
  isoWeekdayOf,
  isoWeekOf,
  isTime,
  LAST_DAY,
  mondayOf,
  monthOfDay,
  parseDate,
  parseMonth,
  weekdayOf,
} from '@shiftfeed/common/days';
import fc from 'fast-check';

const EPOCH = Temporal.PlainDate.from('1970-01-01');
const temporal = (day: Day) => EPOCH.add({ days: day });
const anyDay = fc.integer({ min: FIRST_DAY, max: LAST_DAY }).map((day) => day as Day);

// Days before 1970 have negative numbers.
test('every day from 1960 to 2060 has the ISO week, weekday and date that Temporal gives it', () => {
  for (let day = dayOf(1960, 1, 1); day <= dayOf(2060, 12, 31); day = (day + 1) as Day) {
    const date = temporal(day);
    const ours = { ...isoWeekOf(day), weekday: weekdayOf(day), date: formatDate(day) };
    const theirs = {
      year: date.yearOfWeek,
      week: date.weekOfYear,
      weekday: (date.dayOfWeek % 7) + 1,
      date: date.toString(),
    };
    assert.deepEqual(ours, theirs);
  }
});

test('any day from 1000 to 9999 agrees with Temporal, and goes to text and back', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const date = temporal(day);
      assert.deepEqual(civilOf(day), { year: date.year, month: date.month, dayOfMonth: date.day });
      assert.equal(formatDate(day), date.toString());
      assert.equal(parseDate(date.toString()), day);
      assert.deepEqual(isoWeekOf(day), { year: date.yearOfWeek, week: date.weekOfYear });
      assert.equal(weekdayOf(day), (date.dayOfWeek % 7) + 1);
      assert.equal(isoWeekdayOf(day), date.dayOfWeek);
      const month = monthOfDay(day);
      assert.equal(formatMonth(month), date.toString().slice(0, 7));
      assert.equal(parseMonth(formatMonth(month)), month);
      assert.equal(daysIn(month), date.daysInMonth);
      assert.equal(firstDayOf(month), day - date.day + 1);
    }),
    { numRuns: 5000 },
  );
});

test('adding months stays on the day of the month, or on the last one there is', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: -40, max: 40 }), (day, months) => {
      const expected = temporal(day).add({ months });
      assert.equal(formatDate(addMonths(day, months)).slice(-10), expected.toString().slice(-10));
      assert.equal(firstOfMonth(day, months), EPOCH.until(expected.with({ day: 1 })).days);
    }),
    { numRuns: 2000 },
  );
});

test('the day after the last one has a date that sorts into no month of the API, and a database understands', () => {
  assert.equal(formatDate(addDays(LAST_DAY, 1)), '10000-01-01');
  assert.equal(dateAfter('9999-12-30', 7), '9999-12-31');
  assert.equal(dateAfter('1000-01-03', -7), '1000-01-01');
});

test('a week begins on the weekday that it should, and an ISO week on its Monday', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 1, max: 7 }), (day, first) => {
      const start = firstOfWeek(day, first);
      assert.ok(isoWeekdayOf(start) === first && start <= day && day - start < 7);
      const week = isoWeekOf(day);
      if (week.year >= 1000 && week.year <= 9999) assert.equal(mondayOf(week), firstOfWeek(day, 1));
    }),
  );
});

test('only times from 00:00 to 23:59 are times', () => {
  for (const text of ['00:00', '09:30', '23:59']) assert.ok(isTime(text), text);
  for (const value of ['24:00', '9:30', '09:60', '09:30:00', '', 930, null]) assert.ok(!isTime(value));
});

test('only real dates from 1000-01-01 to 9999-12-31, written as YYYY-MM-DD, are dates', () => {
  assert.equal(parseDate('1970-01-01'), 0);
  assert.equal(parseDate('2024-02-29'), dayOf(2024, 2, 29));
  const wrong = [
    '',
    '2026-02-30',
    '2023-02-29',
    '1900-02-29',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-1-1',
  ];
  wrong.push(
    '0999-12-31',
    '10000-01-01',
    '2026-01-01 ',
    ' 2026-01-01',
    '2026/01/01',
    '20260101',
    '2026-01-01T00:00',
    '26-01-01',
    '2026-01-32',
    'today',
  );
  for (const text of wrong) assert.equal(parseDate(text), undefined, text);
});
