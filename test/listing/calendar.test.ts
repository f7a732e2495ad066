import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addMonths,
  civilOf,
  type Day,
  dayOf,
  daysIn,
  FIRST_DAY,
  firstDayOf,
  formatDate,
  formatMonth,
  isoWeekOf,
  LAST_DAY,
  monthOfDay,
  parseDate,
  parseMonth,
  weekdayOf,
} from '../../src/listing/calendar.ts';

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
    fc.property(anyDay, fc.integer({ min: 0, max: 40 }), (day, months) => {
      assert.equal(
        formatDate(addMonths(day, months)).slice(-10),
        temporal(day).add({ months }).toString().slice(-10),
      );
    }),
    { numRuns: 2000 },
  );
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
    '2026-01-32',
    'today',
  );
  for (const text of wrong) assert.equal(parseDate(text), undefined, text);
});
