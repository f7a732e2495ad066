/**
 * Accounts as a planning office would fill them: 20 groups, 40 locations and 300 people, fewer shifts at weekends, some
 * open, some with remarks, one in twenty of those ahead not yet published. The same size on the same day gives the same
 * account.
 */

import type { ImportDocument } from '../../src/import/whole-document.ts';
import {
  type Day,
  daysIn,
  firstDayOf,
  formatDate,
  type Month,
  monthOfDay,
  weekdayOf,
} from '../../src/listing/calendar.ts';
import { GROUPS, LOCATIONS, PEOPLE, REMARKS } from './names.ts';

export interface AccountPlan {
  readonly slug: string;
  readonly shiftsPerYear: number;
  /** Tells the ids of accounts apart, as they are in databases that number rows for all accounts together. */
  readonly number: number;
}

export const MONTHS_BACK = 12;
export const MONTHS_AHEAD = 24;

const IDS_PER_ACCOUNT = { shifts: 10_000_000, others: 1_000 };
const DAYS_PER_YEAR = 365.25;
/** From Sunday to Saturday; 7 together. */
const WEEKDAY_WEIGHTS = [0.6, 1.1, 1.1, 1.1, 1.15, 1.2, 0.75];

/** One document a month, so that no more than a month of a large account is in memory. */
export function* monthlyDocuments(plan: AccountPlan, today: Day): Generator<ImportDocument> {
  const thisMonth = monthOfDay(today);
  const firstId = plan.number * IDS_PER_ACCOUNT.shifts;
  let shiftsSoFar = 0;
  for (let month = thisMonth - MONTHS_BACK; month < thisMonth + MONTHS_AHEAD; month++) {
    const shifts: ImportDocument['shifts'] = [];
    const firstDay = firstDayOf(month as Month);
    for (let day = firstDay; day < firstDay + daysIn(month as Month); day++) {
      const before = Math.floor(shiftsSoFar);
      shiftsSoFar += (plan.shiftsPerYear / DAYS_PER_YEAR) * (WEEKDAY_WEIGHTS[weekdayOf(day) - 1] as number);
      for (let i = before; i < Math.floor(shiftsSoFar); i++) {
        shifts.push(makeShift(firstId + i + 1, day, today, plan.number));
      }
    }
    yield { account: { slug: plan.slug, premium: true }, ...namesOf(plan.number), shifts };
  }
}

/** The id of the n-th group of an account, counted from 1; locations and people count alike. */
export function idOf(accountNumber: number, n: number): number {
  return accountNumber * IDS_PER_ACCOUNT.others + n;
}

function namesOf(accountNumber: number): Pick<ImportDocument, 'groups' | 'locations' | 'people'> {
  return {
    groups: GROUPS.map((name, i) => ({ id: idOf(accountNumber, i + 1), name })),
    locations: LOCATIONS.map((location, i) => ({ id: idOf(accountNumber, i + 1), ...location })),
    people: PEOPLE.map((name, i) => ({ id: idOf(accountNumber, i + 1), name })),
  };
}

function makeShift(
  id: number,
  day: Day,
  today: Day,
  accountNumber: number,
): ImportDocument['shifts'][number] {
  const random = randomFrom(id);
  const startQuarter = 20 + Math.floor(random() * 68); // From 05:00 to 21:45.
  const quarters = 16 + Math.floor(random() * 20);
  const isAhead = day >= today;
  const isPublished = !isAhead || random() >= 0.05;
  const publishDay = isPublished
    ? Math.min(day, today) - Math.floor(random() * 60)
    : today + 1 + Math.floor(random() * 60);
  const one = <T>(items: readonly T[]) => 1 + Math.floor(random() * items.length);
  return {
    id,
    date: formatDate(day),
    start_time: timeOf(startQuarter),
    end_time: timeOf(startQuarter + quarters),
    group_id: idOf(accountNumber, one(GROUPS)),
    location_id: random() < 0.1 ? null : idOf(accountNumber, one(LOCATIONS)),
    person_id: random() < 0.08 ? null : idOf(accountNumber, one(PEOPLE)),
    publish_date: formatDate(publishDay as Day),
    remarks: random() < 0.2 ? (REMARKS[one(REMARKS) - 1] as string) : '',
    starred: random() < 0.03,
    cancelled: random() < 0.02,
    noshow: !isAhead && random() < 0.01,
  };
}

const QUARTERS_PER_DAY = 96;

function timeOf(quarter: number): string {
  const ofDay = quarter % QUARTERS_PER_DAY;
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${pad(Math.floor(ofDay / 4))}:${pad((ofDay % 4) * 15)}`;
}

/** Numbers from 0 up to 1 that depend on the seed alone (the generator called mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
