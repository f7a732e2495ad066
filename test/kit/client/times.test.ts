/** Instants of shifts, checked against Temporal, which the client does not use. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onNow, type ShiftTimes, shiftEnd, shiftMinutes, shiftStart, todayIn } from '@shiftfeed/client';
import fc from 'fast-check';

/** Changes of an hour and of half an hour, at midnight, around Ramadan, to the south; a day left out; none at all. */
const ODD_ZONES = [
  'Europe/Lisbon',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'America/Santiago',
  'Africa/Cairo',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'UTC',
];
const anyZone = fc.oneof(
  fc.constantFrom(...ODD_ZONES),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone').filter((_, i) => i % 12 === 0)),
);
const anyMoment = fc
  .integer({ min: Date.UTC(1000, 0, 2), max: Date.UTC(9999, 11, 30) })
  .map((ms) => new Date(ms).toISOString().slice(0, 16));
const anyRecentMoment = fc
  .integer({ min: Date.UTC(1965, 0, 1), max: Date.UTC(2045, 0, 1) })
  .map((ms) => new Date(ms).toISOString().slice(0, 16));
/** Around a change of clocks, where all mistakes are. */
const anyMomentOfChange = fc
  .tuple(anyZone, anyRecentMoment, fc.integer({ min: -300, max: 300 }))
  .map(([timeZone, moment, minutes]): [string, string] => {
    const zoned = Temporal.PlainDateTime.from(moment).toZonedDateTime(timeZone);
    const change = zoned.getTimeZoneTransition('next') ?? zoned;
    return [timeZone, change.toPlainDateTime().add({ minutes }).toString().slice(0, 16)];
  });

test('a start is the instant that Temporal tells for "compatible", in any zone and year', () => {
  const anyCase = fc.oneof(anyMomentOfChange, fc.tuple(anyZone, fc.oneof(anyMoment, anyRecentMoment)));
  fc.assert(
    fc.property(anyCase, ([timeZone, moment]) => {
      assert.equal(shiftStart(from(moment, 600), timeZone).getTime(), epochMs(moment, timeZone));
    }),
    { numRuns: 400 },
  );
});

test('an end is after the start, and the minutes are those between', () => {
  fc.assert(
    fc.property(anyMomentOfChange, fc.integer({ min: 1, max: 2_000 }), ([timeZone, moment], minutes) => {
      const shift = from(moment, minutes);
      const start = epochMs(moment, timeZone);
      const endOfClock = epochMs(`${shift.end_date}T${shift.end_time}`, timeZone);
      const end = endOfClock > start ? endOfClock : start + minutes * 60_000;
      assert.equal(shiftEnd(shift, timeZone).getTime(), end);
      assert.equal(shiftMinutes(shift, timeZone), (end - start) / 60_000);
    }),
  );
});

test('nights when clocks change are an hour shorter or longer', () => {
  const night = (date: string, end_date: string) => ({
    date,
    start_time: '22:00',
    end_date,
    end_time: '06:00',
  });
  assert.equal(shiftMinutes(night('2026-03-28', '2026-03-29'), 'Europe/Lisbon'), 7 * 60);
  assert.equal(shiftMinutes(night('2026-10-24', '2026-10-25'), 'Europe/Lisbon'), 9 * 60);
  assert.equal(shiftMinutes(night('2026-10-24', '2026-10-25'), 'UTC'), 8 * 60);
  assert.equal(shiftMinutes(night('2026-10-03', '2026-10-04'), 'Australia/Lord_Howe'), 7.5 * 60);
});

test('times that clocks skip or show twice have one meaning each', () => {
  const at = (date: string, start_time: string, timeZone: string) =>
    shiftStart({ date, start_time, end_date: date, end_time: '23:00' }, timeZone).toISOString();
  assert.equal(at('2026-03-29', '02:30', 'Europe/Amsterdam'), '2026-03-29T01:30:00.000Z');
  assert.equal(at('2026-10-25', '02:30', 'Europe/Amsterdam'), '2026-10-25T00:30:00.000Z');
});

test('a shift that the change of clocks turns around lasts as long as it seems to', () => {
  const from2To3 = { date: '2026-03-29', start_time: '02:30', end_date: '2026-03-29', end_time: '03:15' };
  assert.equal(shiftMinutes(from2To3, 'Europe/Amsterdam'), 45);
  assert.equal(
    shiftMinutes({ ...from2To3, end_time: '02:00' }, 'Europe/Amsterdam'),
    0,
    'it ends before it starts',
  );
});

test('on now is what has started and not ended, unless it is cancelled', () => {
  const shift = { date: '2026-03-28', start_time: '22:00', end_date: '2026-03-29', end_time: '06:00' };
  const shifts = [
    { ...shift, cancelled: false },
    { ...shift, cancelled: true },
  ];
  const isOnAt = (now: string) => onNow(shifts, 'Europe/Lisbon', new Date(now)).length === 1;
  assert.equal(isOnAt('2026-03-28T21:59:59Z'), false);
  assert.equal(isOnAt('2026-03-28T22:00:00Z'), true);
  assert.equal(isOnAt('2026-03-29T04:59:59Z'), true);
  assert.equal(isOnAt('2026-03-29T05:00:00Z'), false);
  const always = {
    date: '1000-01-01',
    start_time: '00:00',
    end_date: '9999-12-31',
    end_time: '23:59',
    cancelled: false,
  };
  assert.deepEqual(onNow([always], 'UTC'), [always]);
});

test('today is the date in the zone', () => {
  fc.assert(
    fc.property(anyZone, anyRecentMoment, (timeZone, moment) => {
      const now = Temporal.Instant.from(`${moment}Z`);
      const expected = now.toZonedDateTimeISO(timeZone).toPlainDate().toString();
      assert.equal(todayIn(timeZone, new Date(now.epochMilliseconds)), expected);
    }),
  );
  assert.match(todayIn('UTC'), /^\d{4}-\d\d-\d\d$/);
});

test('what is no date, time or zone is refused', () => {
  const shift = from('2026-03-28T22:00', 60);
  assert.throws(() => shiftStart({ ...shift, date: '2026-02-30' }, 'UTC'), /"2026-02-30" is not a date/);
  assert.throws(() => shiftStart({ ...shift, start_time: '24:00' }, 'UTC'), /"24:00" is not a time/);
  assert.throws(() => shiftStart(shift, 'Europe/Nowhere'), RangeError);
});

function from(moment: string, minutes: number): ShiftTimes {
  const start = Temporal.PlainDateTime.from(moment);
  const end = start.add({ minutes });
  return {
    date: start.toPlainDate().toString(),
    start_time: start.toPlainTime().toString().slice(0, 5),
    end_date: end.toPlainDate().toString(),
    end_time: end.toPlainTime().toString().slice(0, 5),
  };
}

function epochMs(moment: string, timeZone: string): number {
  return Temporal.PlainDateTime.from(moment).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    .epochMilliseconds;
}
