/** Random accounts and queries that like trouble: ends of months and years, equal names, times and dates. */

import fc from 'fast-check';
import type { Shift, SortOrder } from '../../src/listing/shift.ts';
import type { OracleQuery } from './oracle.ts';

export const TODAYS = [
  '2026-11-15',
  '2024-02-29',
  '2026-12-31',
  '2027-01-03',
  '2020-12-28',
  '2025-06-30',
] as const;

export interface Case {
  readonly today: string;
  readonly order: SortOrder;
  readonly shifts: readonly Shift[];
}

/** The ids of the groups are their places here, and there are ten: as a text, 10 would come before 9. */
const GROUP_NAMES = [
  'Team 10',
  'Team 9',
  'Team 09',
  'team 9',
  'Äpfel',
  'apfel',
  'Zoë "Z" \\',
  'Kitchen',
  'Kitchen\u0301',
  'Bar',
];
const TIMES = ['00:00', '08:00', '08:30', '09:00', '23:58'];

export const anyCase: fc.Arbitrary<Case> = fc.constantFrom(...TODAYS).chain((today) =>
  fc.record({
    today: fc.constant(today),
    order: fc.constantFrom<SortOrder>('time', 'group'),
    shifts: fc
      .array(anyShift(today), { maxLength: 60 })
      .map((shifts) => shifts.map((shift, i) => ({ ...shift, id: ((i * 37) % shifts.length) + 1 }))),
  }),
);

/** Near today, near a turn of the year, or anywhere within some years. */
function anyDate(today: string): fc.Arbitrary<string> {
  const base = Temporal.PlainDate.from(today);
  const near = fc.integer({ min: -4, max: 4 }).map((days) => base.add({ days }).toString());
  const yearLater = fc
    .integer({ min: -3, max: 3 })
    .map((days) => base.add({ months: 12 }).add({ days }).toString());
  const turn = fc
    .record({
      year: fc.integer({ min: base.year - 1, max: base.year + 2 }),
      days: fc.integer({ min: -7, max: 7 }),
    })
    .map(({ year, days }) => Temporal.PlainDate.from({ year, month: 1, day: 1 }).add({ days }).toString());
  const some = fc.integer({ min: -800, max: 800 }).map((days) => base.add({ days }).toString());
  const far = fc.constantFrom('1000-01-01', '9999-12-31', '1969-12-31', '1970-01-01', '2000-02-29');
  return fc.oneof({ weight: 4, arbitrary: near }, yearLater, { weight: 2, arbitrary: turn }, some, far);
}

function anyShift(today: string): fc.Arbitrary<Shift> {
  return fc
    .record({
      date: anyDate(today),
      startTime: fc.constantFrom(...TIMES),
      groupId: fc.integer({ min: 1, max: GROUP_NAMES.length }),
      locationId: fc.option(fc.integer({ min: 1, max: 3 })),
      personName: fc.option(fc.constantFrom('Ada', 'Łukasz', 'a"b', '漢字 🎉')),
      publishDate: fc.oneof(fc.constant('2000-01-01'), anyDate(today)),
      remarks: fc.constantFrom('', 'tab\tand\nline', 'é𝄞', '</script>'),
      starred: fc.boolean(),
      cancelled: fc.boolean(),
      noshow: fc.boolean(),
    })
    .map(({ locationId, ...shift }) => ({
      ...shift,
      id: 0,
      endTime: '23:59',
      endDate: shift.date,
      groupName: GROUP_NAMES[shift.groupId - 1] as string,
      location: locationId === null ? null : { id: locationId, name: `Location ${locationId}`, address: '' },
    }));
}

export function anyQuery(today: string): fc.Arbitrary<OracleQuery> {
  const year = Number(today.slice(0, 4));
  // Every further filter empties more listings, so most are left out.
  const sometimes = <T>(arbitrary: fc.Arbitrary<T>, oneIn = 4) =>
    fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  const some = (min: number, max: number) =>
    sometimes(fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }));
  // Week 27 of 2025 begins on one of the days that are today, which is the last of its month.
  const weeks = fc.uniqueArray(fc.constantFrom(1, 2, 9, 26, 27, 46, 47, 52, 53), {
    minLength: 1,
    maxLength: 4,
  });
  return fc.record({
    months: some(1, 12),
    years: some(year - 1, year + 2),
    weeks: sometimes(weeks),
    days: some(1, 7),
    day: sometimes(anyDate(today), 12),
    date_from: sometimes(anyDate(today)),
    date_to: sometimes(anyDate(today)),
    group_ids: some(1, GROUP_NAMES.length + 1),
    location_ids: some(1, 4),
    published: fc.boolean(),
    page: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 5 })),
    per_page: fc.constantFrom(1, 2, 7, 500),
  });
}
