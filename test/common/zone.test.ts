import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatDate } from '@shiftfeed/common/days';
import { dayIn, instantOf, isSameTime, isTimeZone, todayIn, wallMsOf } from '@shiftfeed/common/zone';

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
          formatDate(dayIn(timeZone, expected.epochMilliseconds)),
          expected.toPlainDate().toString(),
        );
      }
    }
  }
});

test('today is that of Temporal in every zone, minute after minute around midnight, and when a clock is set back', () => {
  const midnightMs = Temporal.Instant.from('2027-03-28T00:00:00Z').epochMilliseconds;
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    for (const minutes of [-60, -1, 0, 1, 59, 60, 12 * 60, 0, -12 * 60]) {
      const offset = instantOf(timeZone, midnightMs).ms;
      for (const nowMs of [offset + minutes * 60_000, offset + minutes * 60_000 + 59_999]) {
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
