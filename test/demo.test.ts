import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Day, parseDate } from '@shiftfeed/common/days';
import { DEMO_SLUG, demoDocument } from '../src/demo/account.ts';
import type { Given } from '../src/import/fields.ts';
import { startService } from './support/service.ts';

type DemoShift = Given<'shifts'>;

/** Days at which calendars go wrong, and an ordinary one. */
const TODAYS = [
  '2026-11-15',
  '2028-02-29',
  '2026-12-31',
  '2027-01-01',
  '2027-01-03',
  '2025-03-31',
  '2099-08-31',
];

describe('the demo account', () => {
  for (const today of TODAYS) {
    const { account, groups, shifts } = demoDocument(parseDate(today) as Day);
    const activeIds = new Set(groups.filter(({ active }) => active).map(({ id }) => id));
    const listed = shifts.filter(({ group_id = 0 }) => activeIds.has(group_id));
    const inGroup = (wanted: object): DemoShift[] => {
      const ids = groups
        .filter((group) => Object.entries(wanted).every(([key, value]) => Reflect.get(group, key) === value))
        .map(({ id }) => id);
      return shifts.filter(({ group_id = 0 }) => ids.includes(group_id));
    };

    const features: [name: string, found: readonly DemoShift[]][] = [
      ['open shifts to come', listed.filter((shift) => shift.person_id === null && isFuture(shift))],
      ['cancelled shifts', listed.filter(({ cancelled }) => cancelled)],
      ['starred shifts', listed.filter(({ starred }) => starred)],
      ['shifts where nobody showed up', listed.filter(({ noshow }) => noshow)],
      ['shifts with remarks', listed.filter(({ remarks }) => remarks)],
      ['shifts without a location', listed.filter(({ location_id }) => location_id === null)],
      ['overnight shifts', listed.filter(({ start_time = '', end_time = '' }) => end_time < start_time)],
      [
        'shifts of several days',
        listed.filter(({ date = '', end_date }) => end_date && daysFrom(date, end_date) > 1),
      ],
      ['published shifts to come', listed.filter((shift) => isPublished(shift) && isFuture(shift))],
      ['unpublished shifts', listed.filter((shift) => !isPublished(shift))],
      ['past shifts', listed.filter((shift) => !isFuture(shift))],
      ['shifts of a private group', inGroup({ private: true, active: true })],
      ['shifts of an inactive group', inGroup({ active: false })],
    ];
    for (const [name, found] of features) {
      test(`on ${today} has ${name}`, () => assert.notEqual(found.length, 0));
    }

    test(`on ${today} makes sense`, () => {
      assert.equal(account.slug, DEMO_SLUG);
      assert.equal(account.premium, true);
      for (const shift of shifts.filter(({ noshow }) => noshow)) {
        assert.notEqual(shift.person_id, null, 'somebody was to come');
        assert.ok(!isFuture(shift), 'nobody can know yet');
      }
    });

    test(`on ${today} can be imported, and lists a turn of the year in week 53`, async (t) => {
      const service = await startService(t, { now: `${today}T12:00:00Z` });
      const { tables } = await service.import(demoDocument(parseDate(today) as Day));
      assert.equal(tables.shifts.added, shifts.length);
      const token = await service.token(DEMO_SLUG);
      const { meta } = await service.list(DEMO_SLUG, '', token);
      assert.ok(meta.total > 50, `${meta.total} in the default listing`);
      const weekFiftyThree = await service.list(DEMO_SLUG, '?weeks=53', token);
      const dates = weekFiftyThree.shifts.map(({ date }) => date.slice(5));
      for (const date of ['12-31', '01-01', '01-02']) assert.ok(dates.includes(date), `${dates}`);
    });

    function isFuture({ date = '' }: DemoShift): boolean {
      return date >= today;
    }

    function isPublished({ publish_date = '' }: DemoShift): boolean {
      return publish_date <= today;
    }
  }

  test('is the same for the same day, and another for another', () => {
    const day = parseDate('2026-11-15') as Day;
    assert.deepEqual(demoDocument(day), demoDocument(day));
    assert.notDeepEqual(demoDocument(day), demoDocument((day + 1) as Day));
  });
});

function daysFrom(start: string, end: string): number {
  return Temporal.PlainDate.from(start).until(end).days;
}
