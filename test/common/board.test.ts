import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BoardShift, type BoardWriter, boardAt, timeShifts, writeBoard } from '@shiftfeed/common/board';
import { formatDate } from '@shiftfeed/common/days';
import { dayIn } from '@shiftfeed/common/zone';
import fc from 'fast-check';
import { often } from '../support/strength.ts';

const ZONE = 'Europe/Amsterdam';
/** Clocks there go forward by half an hour, and ahead of UTC by more than half a day. */
const ODD_ZONES = ['Australia/Lord_Howe', 'Pacific/Apia', 'America/St_Johns', 'Asia/Kathmandu', 'UTC'];

/** By the minute, and by what `Temporal` knows of clocks. It shares no code with what it checks. */
function naiveBoard(shifts: readonly BoardShift[], zone: string, nowMs: number) {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const at = (date: string, time: string) =>
    Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone, { disambiguation: 'compatible' });
  const rows = shifts.map((shift, place) => {
    const start = at(shift.date, shift.start_time);
    let end = at(shift.end_date, shift.end_time);
    if (Temporal.ZonedDateTime.compare(end, start) <= 0) {
      const wall = Temporal.PlainDateTime.from(`${shift.date}T${shift.start_time}`);
      const lasts = wall.until(`${shift.end_date}T${shift.end_time}`, { largestUnit: 'minutes' });
      end = lasts.sign > 0 ? start.add({ minutes: lasts.minutes }) : start;
    }
    return {
      shift,
      place,
      start,
      end,
      isOpen: shift.open === undefined ? shift.person === null : shift.open,
    };
  });
  const live = rows.filter(({ shift }) => !shift.cancelled);
  const compare = Temporal.ZonedDateTime.compare;
  const isOn = (row: (typeof rows)[0]) => compare(row.start, now) <= 0 && compare(row.end, now) > 0;
  const isSoon = (row: (typeof rows)[0]) =>
    compare(row.start, now) > 0 && compare(row.start, now.add({ hours: 168 })) < 0;
  const sorted = (some: typeof rows) =>
    some.toSorted((a, b) => compare(a.start, b.start) || compare(a.end, b.end) || a.place - b.place);
  const coming = sorted(live.filter((row) => !row.isOpen && isSoon(row)));
  const day = coming[0]?.start.toPlainDate();
  return {
    on: live.filter((row) => !row.isOpen && isOn(row)),
    next: coming.filter((row) => day?.equals(row.start.toPlainDate())),
    open: sorted(live.filter((row) => row.isOpen && (isOn(row) || isSoon(row)))),
  };
}

const minute = fc.integer({ min: 0, max: 1439 }).map((of) => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(of / 60))}:${two(of % 60)}`;
});

/** Around the two nights of a year in which clocks change, in Europe and on Lord Howe, and any others. */
const night = fc.constantFrom(
  '2026-10-24',
  '2026-10-25',
  '2027-03-27',
  '2027-03-28',
  '2026-10-04',
  '2026-12-31',
);
const shift = fc
  .record({
    first: night,
    before: fc.integer({ min: -3, max: 8 }),
    days: fc.constantFrom(0, 0, 0, 1, 1, 3),
    start_time: minute,
    end_time: minute,
    cancelled: fc.constantFrom(true, false, false, undefined),
    open: fc.constantFrom(true, false, undefined),
    person: fc.constantFrom(null, { name: 'Noor' }, undefined),
  })
  .map(({ first, before, days, ...rest }): BoardShift => {
    const date = Temporal.PlainDate.from(first).add({ days: before });
    return withoutUndefined({ ...rest, date: String(date), end_date: String(date.add({ days })) });
  });

function withoutUndefined(shift: object): BoardShift {
  return Object.fromEntries(Object.entries(shift).filter(([, value]) => value !== undefined)) as never;
}

test('who is on, who comes next and what is open is what a naive reading by minutes says', () => {
  fc.assert(
    fc.property(
      fc.array(shift, { maxLength: 12 }),
      fc.constantFrom(ZONE, ZONE, ...ODD_ZONES),
      night,
      fc.integer({ min: -3 * 1440, max: 6 * 1440 }),
      (shifts, zone, base, minutes) => {
        const nowMs = Date.parse(`${base}T00:00Z`) + minutes * 60_000;
        const board = boardAt(timeShifts(shifts, zone), zone, nowMs);
        const naive = naiveBoard(shifts, zone, nowMs);
        for (const kind of ['on', 'next', 'open'] as const) {
          assert.deepEqual(
            board[kind].map((one) => one.shift),
            naive[kind].map((row) => row.shift),
            `${kind} at ${new Date(nowMs).toISOString()} in ${zone}`,
          );
        }
      },
    ),
    { numRuns: often(300, 20_000) },
  );
});

const PLAIN: BoardWriter = {
  say: (key, values = {}) => [key, ...Object.values(values)].join(' '),
  until: (time) => `until ${time}`,
  countShifts: (count) => `${count} shifts`,
  time: (time) => time,
  shortDate: (day) => formatDate(day).slice(5),
  longDate: (day) => formatDate(day),
};

function linesAt(shifts: readonly BoardShift[], now: string): Record<string, string[]> {
  const nowMs = Date.parse(now);
  const moment = { timeZone: ZONE, nowMs, lastDay: dayIn(ZONE, nowMs) };
  return Object.fromEntries(
    writeBoard(boardAt(timeShifts(shifts, ZONE), ZONE, nowMs), moment, PLAIN).map((section) => [
      section.heading,
      section.lines.map(({ name, details, when }) => [name, ...details, when].join(' | ')),
    ]),
  );
}

function at(date: string, start_time: string, end_time: string, more: Partial<BoardShift> = {}): BoardShift {
  const end_date = end_time > start_time ? date : String(Temporal.PlainDate.from(date).add({ days: 1 }));
  return { date, start_time, end_time, end_date, ...more };
}

const KITCHEN = { group: { id: 1, name: 'Kitchen' }, location: { name: 'Harbour' } };

test('people have a line each, and where they are not told, shifts that read the same are counted', () => {
  const shifts = [
    at('2026-11-16', '09:00', '17:00', { ...KITCHEN, person: { name: 'Noor' } }),
    at('2026-11-16', '09:00', '17:00', { ...KITCHEN, person: { name: 'Noor' } }),
    at('2026-11-16', '08:00', '17:00', KITCHEN),
    at('2026-11-16', '09:00', '17:00', KITCHEN),
    at('2026-11-16', '09:00', '18:00', KITCHEN),
    at('2026-11-16', '09:00', '17:00'),
    at('2026-11-16', '10:00', '17:00', { ...KITCHEN, open: true }),
    at('2026-11-17', '10:00', '17:00', { ...KITCHEN, person: null }),
    at('2026-11-17', '22:00', '06:00', { person: { name: 'Ali' } }),
  ];
  assert.deepEqual(linesAt(shifts, '2026-11-16T11:00:00Z'), {
    on_now: [
      'Noor | Kitchen | Harbour | until 17:00',
      'Noor | Kitchen | Harbour | until 17:00',
      'Kitchen | Harbour | 2 shifts | until 17:00',
      'Kitchen | Harbour | until 18:00',
      '1 shifts | until 17:00',
    ],
    'next · 2026-11-17': ['Ali | 22:00 – 06:00'],
    open_shifts: ['Kitchen | Harbour | until 17:00', 'Kitchen | Harbour | 11-17, 10:00 – 17:00'],
  });
});

test('a shift in the hour that comes twice is on in its first run, and one in the hour that is skipped is on later', () => {
  const twice = [at('2026-10-25', '02:15', '02:45', { person: { name: 'Noor' } })];
  assert.deepEqual(linesAt(twice, '2026-10-25T00:20:00Z').on_now, ['Noor | until 02:45']);
  assert.deepEqual(linesAt(twice, '2026-10-25T01:20:00Z').on_now, []);
  const skipped = [at('2027-03-28', '01:30', '02:30', { person: { name: 'Noor' } })];
  assert.deepEqual(linesAt(skipped, '2027-03-28T00:59:00Z').on_now, ['Noor | until 03:30']);
  assert.deepEqual(linesAt(skipped, '2027-03-28T01:29:00Z').on_now, ['Noor | until 03:30']);
  assert.deepEqual(linesAt(skipped, '2027-03-28T01:30:00Z').on_now, []);
});

test('an end that is a day away or more has its date', () => {
  const call = [{ date: '2026-11-13', start_time: '17:00', end_date: '2026-11-16', end_time: '09:00' }];
  assert.deepEqual(linesAt(call, '2026-11-14T12:00:00Z').on_now, ['1 shifts | until 11-16, 09:00']);
  assert.deepEqual(linesAt(call, '2026-11-15T12:00:00Z').on_now, ['1 shifts | until 09:00']);
});
