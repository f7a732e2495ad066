import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  filterReachingInto,
  isoWeekOf,
  reachesInto,
  ShiftfeedClient,
  type ShiftTimes,
  weekFilter,
} from '@shiftfeed/client';
import fc from 'fast-check';
import { acme, shift } from '../../support/document.ts';
import { startService } from '../../support/service.ts';

const anyDay = fc
  .integer({ min: Date.UTC(1000, 0, 7), max: Date.UTC(9999, 11, 24) })
  .map((ms) => new Date(ms).toISOString().slice(0, 10));

test('a day is in the ISO week that Temporal tells, and the filter of that week is its Monday to Sunday', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const date = Temporal.PlainDate.from(day);
      assert.deepEqual(isoWeekOf(day), { year: date.yearOfWeek, week: date.weekOfYear });
      const monday = date.subtract({ days: date.dayOfWeek - 1 });
      assert.deepEqual(weekFilter(isoWeekOf(day)), {
        date_from: monday.toString(),
        date_to: monday.add({ days: 6 }).toString(),
      });
    }),
    { numRuns: 500 },
  );
});

test('weeks around New Year are whole, and a week 53 is there in some years only', () => {
  assert.deepEqual(weekFilter({ year: 2026, week: 53 }), { date_from: '2026-12-28', date_to: '2027-01-03' });
  assert.deepEqual(weekFilter({ year: 2026, week: 1 }), { date_from: '2025-12-29', date_to: '2026-01-04' });
  for (let year = 1990; year <= 2060; year++) {
    const hasWeek53 = Temporal.PlainDate.from({ year, month: 12, day: 31 }).weekOfYear === 53;
    const ask = () => weekFilter({ year, week: 53 });
    if (hasWeek53) assert.equal(isoWeekOf(ask().date_to).week, 53);
    else assert.throws(ask, { name: 'RangeError', message: `There is no ISO week 53 in ${year}.` });
  }
  for (const week of [0, 54, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => weekFilter({ year: 2026, week }), RangeError);
  }
  assert.throws(() => weekFilter({ year: 26, week: 1 }), RangeError);
});

test('a shift reaches into each day that has a minute of it', () => {
  const anyMinutes = fc.integer({ min: 1, max: 4_000 });
  fc.assert(
    fc.property(
      anyDay,
      fc.integer({ min: 0, max: 1_439 }),
      anyMinutes,
      fc.integer({ min: -4, max: 4 }),
      (date, at, minutes, offset) => {
        const start = Temporal.PlainDate.from(date).toPlainDateTime().add({ minutes: at });
        const end = start.add({ minutes });
        const day = start.toPlainDate().add({ days: offset });
        const isExpected =
          Temporal.PlainDateTime.compare(start, day.add({ days: 1 }).toPlainDateTime()) < 0 &&
          Temporal.PlainDateTime.compare(end, day.toPlainDateTime()) > 0;
        assert.equal(reachesInto(timesOf(start, end), day.toString()), isExpected);
      },
    ),
  );
});

test('the filter of a day fetches nights that began the evening before', async () => {
  const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
  const night = { start_time: '22:00', end_time: '06:00' };
  await service.import(
    acme([
      shift('2026-11-19', { id: 1, ...night, end_date: '2026-11-20' }),
      shift('2026-11-20', { id: 2, ...night, end_date: '2026-11-21' }),
      shift('2026-11-20', { id: 3, start_time: '20:00', end_time: '00:00', end_date: '2026-11-21' }),
      shift('2026-11-21', { id: 4 }),
      shift('2026-11-18', { id: 5, end_date: '2026-11-23' }),
      shift('2026-12-28', { id: 6 }),
      shift('2027-01-03', { id: 7 }),
      shift('2027-01-04', { id: 8 }),
    ]),
  );
  const client = new ShiftfeedClient({ url: `${service.url}/acme`, token: await service.token('acme') });
  const day = '2026-11-21';
  const idsOf = async (daysBefore?: number) => {
    const { shifts } = await client.list(filterReachingInto(day, daysBefore));
    return shifts.filter((each) => reachesInto(each, day)).map(({ id }) => id);
  };
  assert.deepEqual(await idsOf(), [2, 4]);
  assert.deepEqual(await idsOf(0), [4]);
  assert.deepEqual(await idsOf(7), [5, 2, 4]);
  assert.throws(() => filterReachingInto(day, -1), RangeError);
  assert.throws(() => filterReachingInto('tomorrow'), RangeError);

  const week = await client.list(weekFilter({ year: 2026, week: 53 }));
  assert.deepEqual(week.shifts, (await client.list({ weeks: [53], years: [2026] })).shifts);
  assert.deepEqual(
    week.shifts.map(({ id }) => id),
    [6, 7],
  );
});

test('filters stay within the days that the API knows', () => {
  assert.deepEqual(filterReachingInto('1000-01-01'), { date_from: '1000-01-01', date_to: '1000-01-01' });
  assert.equal(weekFilter(isoWeekOf('9999-12-31')).date_to, '9999-12-31');
});

function timesOf(start: Temporal.PlainDateTime, end: Temporal.PlainDateTime): ShiftTimes {
  const time = (moment: Temporal.PlainDateTime) => moment.toPlainTime().toString().slice(0, 5);
  const date = (moment: Temporal.PlainDateTime) => moment.toPlainDate().toString();
  return { date: date(start), start_time: time(start), end_date: date(end), end_time: time(end) };
}
