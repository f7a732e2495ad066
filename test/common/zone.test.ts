import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, formatDate } from '@shiftfeed/common/days';
import type * as Zone from '@shiftfeed/common/zone';

for (const way of ['Temporal', 'Intl']) {
  const { dayIn, instantOf, isSameTime, isTimeZone, todayIn, wallMsOf } = await moduleWith(way);

  describe(`with ${way}`, () => {
    test('instants are those of Temporal, also in the nights when clocks change', () => {
      const zones = ['Europe/Amsterdam', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
      const nights = ['2027-03-28', '2027-10-31', '2027-03-14', '2027-11-07', '2027-04-04', '2027-10-03'];
      for (const timeZone of zones) {
        for (const date of nights) {
          for (let minute = 0; minute < 24 * 60; minute += 15) {
            const time = Temporal.PlainTime.from('00:00').add({ minutes: minute });
            const expected = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time });
            const { epochMilliseconds: ms } = expected;
            const text = time.toString().slice(0, 5);
            assert.equal(instantOf(timeZone, wallMsOf(date, text)).ms, ms, `${date} ${text}`);
            assert.equal(formatDate(dayIn(timeZone, ms)), expected.toPlainDate().toString());
          }
        }
      }
    });

    test('today is that of Temporal in every zone, around midnight and when a clock is set back', () => {
      const midnightMs = Temporal.Instant.from('2027-03-28T00:00:00Z').epochMilliseconds;
      for (const timeZone of Intl.supportedValuesOf('timeZone')) {
        const startMs = instantOf(timeZone, midnightMs).ms;
        for (const minutes of [-60, -1, 0, 1, 59, 60, 12 * 60, 0, -12 * 60]) {
          for (const nowMs of [startMs + minutes * 60_000, startMs + minutes * 60_000 + 59_999]) {
            const expected = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone);
            assert.equal(formatDate(todayIn(timeZone, nowMs)), expected.toPlainDate().toString(), timeZone);
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

    test('a zone that does not exist has no day', () => {
      assert.ok(isTimeZone('Europe/Amsterdam') && !isTimeZone('Europe/Atlantis') && !isTimeZone(''));
      assert.throws(() => todayIn('Europe/Atlantis', DAY_MS), RangeError);
    });
  });
}

/** The module, in a runtime that has Temporal or not. */
async function moduleWith(way: string): Promise<typeof Zone> {
  const kept = Object.getOwnPropertyDescriptor(globalThis, 'Temporal') as PropertyDescriptor;
  if (way === 'Intl') Object.defineProperty(globalThis, 'Temporal', { value: undefined, configurable: true });
  try {
    return await import(`${import.meta.resolve('@shiftfeed/common/zone')}?${way}`);
  } finally {
    Object.defineProperty(globalThis, 'Temporal', kept);
  }
}
