/** An account of a given size for the default window: the same number of shifts on every day of the next year. */

import type { ImportDocument } from '../src/import/document.ts';
import { type Day, formatDate } from '../src/listing/calendar.ts';

const DAYS = 366;
const GROUPS = 20;
const LOCATIONS = 10;
const PEOPLE = 300;

export function accountOfSize(slug: string, shiftsPerYear: number, today: Day): ImportDocument {
  const perDay = shiftsPerYear / DAYS;
  const shifts = Array.from({ length: shiftsPerYear }, (_, i) => {
    const day = (today + Math.floor(i / perDay)) as Day;
    return {
      id: i + 1,
      date: formatDate(day),
      start_time: `${String(6 + (i % 12)).padStart(2, '0')}:${i % 2 === 0 ? '00' : '30'}`,
      end_time: `${String(15 + (i % 8)).padStart(2, '0')}:00`,
      end_date: formatDate((day + 1) as Day),
      group_id: 1 + (i % GROUPS),
      location_id: i % 10 === 0 ? null : 1 + (i % LOCATIONS),
      person_id: i % 12 === 0 ? null : 1 + (i % PEOPLE),
      publish_date: formatDate((today - 30) as Day),
      remarks: i % 5 === 0 ? 'Bring the spare keys' : '',
      starred: i % 40 === 0,
      cancelled: i % 50 === 0,
      noshow: false,
    };
  });
  return {
    account: { slug, premium: true },
    groups: Array.from({ length: GROUPS }, (_, i) => ({ id: i + 1, name: `Group ${i + 1}` })),
    locations: Array.from({ length: LOCATIONS }, (_, i) => ({
      id: i + 1,
      name: `Location ${i + 1}`,
      address: `Quay ${i + 1}, Harbour Town`,
    })),
    people: Array.from({ length: PEOPLE }, (_, i) => ({ id: i + 1, name: `Person Number ${i + 1}` })),
    shifts,
  };
}
