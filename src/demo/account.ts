/**
 * A believable account around any given day, to try Shiftfeed with: half a year of a restaurant that has everything a
 * listing can show. The same day always gives the same account.
 */

import {
  addMonths,
  civilOf,
  type Day,
  dayOf,
  firstDayOf,
  formatDate,
  isoWeekOf,
  type Month,
  monthOfDay,
  type Weekday,
  weekdayOf,
} from '@shiftfeed/common/days';
import { randomFrom } from '@shiftfeed/common/random';
import type { Given } from '../import/fields.ts';

export const DEMO_SLUG = 'demo';
export const DEMO_TIME_ZONE = 'Europe/Amsterdam';

type DemoShift = Given<'shifts'>;

const WEEKS_BACK = 14;
const WEEKS_AHEAD = 40;
/** A month is published on the first day of the month this long before. */
const PUBLISHED_MONTHS_AHEAD = 2;

const GROUPS = [
  { id: 1, name: 'Kitchen', active: true, private: false },
  { id: 2, name: 'Service', active: true, private: false },
  { id: 3, name: 'Bar', active: true, private: false },
  { id: 4, name: 'Events', active: true, private: false },
  { id: 5, name: 'Management', active: true, private: true },
  { id: 6, name: 'Summer terrace', active: false, private: false },
];

const LOCATIONS = [
  { id: 1, name: 'Harbour', address: 'Quay 1' },
  { id: 2, name: 'Old Mill', address: 'Mill Lane 12' },
  { id: 3, name: 'Market square', address: '' },
];

const PEOPLE = [
  'Ada',
  'Björn',
  'Chidi',
  'Dalia',
  'Emre',
  'Fleur',
  'Goran',
  'Hana',
  'Inès',
  'João',
  'Kira',
  'Łukasz',
].map((name, i) => ({ id: i + 1, name }));

interface Routine {
  readonly weekdays: readonly Weekday[];
  readonly start: string;
  readonly end: string;
  readonly group: number;
  readonly location: number | null;
}

/** The shifts of a week. 1 is Sunday. */
const ROUTINES: readonly Routine[] = [
  { weekdays: [3, 5, 6, 7], start: '15:00', end: '23:00', group: 1, location: 1 },
  { weekdays: [1], start: '10:00', end: '18:30', group: 1, location: 2 },
  { weekdays: [4, 6, 7], start: '16:30', end: '22:30', group: 2, location: 1 },
  { weekdays: [6, 7], start: '20:00', end: '03:00', group: 3, location: 1 },
  { weekdays: [2], start: '09:00', end: '12:00', group: 5, location: null },
  { weekdays: [1], start: '12:00', end: '20:00', group: 6, location: 1 },
];

const REMARKS = [
  'Bring the spare keys',
  'Training: new menu',
  'Crème brûlée tasting',
  'Party of 40 at 19:00 🎉',
];

export function demoDocument(today: Day) {
  const shifts = [...everyday(today), ...festivals(today), ...weekFiftyThree(today)];
  return {
    account: {
      slug: DEMO_SLUG,
      name: 'Harbour Bistro',
      premium: true,
      time_zone: DEMO_TIME_ZONE,
      sort: 'time',
    },
    groups: GROUPS,
    locations: LOCATIONS,
    people: PEOPLE,
    shifts: shifts.map((shift, i) => ({ id: 1001 + i, ...shift })),
  };
}

function everyday(today: Day): Omit<DemoShift, 'id'>[] {
  // The same every time.
  const next = randomFrom(53);
  const chance = (probability: number) => next() < probability;
  const shifts: Omit<DemoShift, 'id'>[] = [];
  for (let day = today - WEEKS_BACK * 7; day <= today + WEEKS_AHEAD * 7; day++) {
    for (const routine of ROUTINES) {
      if (!routine.weekdays.includes(weekdayOf(day as Day))) continue;
      const isOpen = chance(0.1);
      shifts.push({
        ...basics(day as Day, routine),
        person_id: isOpen ? null : 1 + Math.floor(next() * PEOPLE.length),
        remarks: chance(0.12) ? (REMARKS[Math.floor(next() * REMARKS.length)] as string) : '',
        starred: chance(0.07),
        cancelled: chance(0.05),
        noshow: chance(0.04) && !isOpen && day < today,
      });
    }
  }
  return shifts;
}

/** A shift of several days, once a quarter. */
function festivals(today: Day): Omit<DemoShift, 'id'>[] {
  return [-2, 1, 4, 7].map((months) => {
    const day = addMonths(today, months);
    const routine = { start: '18:00', end: '14:00', group: 4, location: 3 };
    return {
      ...basics(day, routine),
      end_date: formatDate((day + 2) as Day),
      person_id: null,
      remarks: 'Food festival: build-up, two evenings, clean-up',
      starred: true,
    };
  });
}

/**
 * The next year that has a week 53, however far away: the first days of January then belong to the weeks of the old
 * year.
 */
function weekFiftyThree(today: Day): Omit<DemoShift, 'id'>[] {
  let { year } = civilOf(today);
  while (isoWeekOf(dayOf(year, 12, 31)).week !== 53) year++;
  const newYearsEve = dayOf(year, 12, 31);
  return [0, 1, 2].map((days) => ({
    ...basics((newYearsEve + days) as Day, { start: '19:00', end: '02:00', group: 4, location: 2 }),
    publish_date: formatDate(today),
    person_id: 1 + days,
    remarks: `Turn of the year, in week 53 of ${year}`,
  }));
}

function basics(day: Day, { start, end, group, location }: Omit<Routine, 'weekdays'>): Omit<DemoShift, 'id'> {
  const publishMonth = (monthOfDay(day) - PUBLISHED_MONTHS_AHEAD) as Month;
  return {
    date: formatDate(day),
    start_time: start,
    end_time: end,
    group_id: group,
    location_id: location,
    publish_date: formatDate(firstDayOf(publishMonth)),
  };
}
