/** Draws accounts and queries, independently of each other, that like trouble: ends of months and years, equal names. */

import type { Shift } from '../../src/listing/shift.ts';
import type { OracleQuery } from '../../test/listing/oracle.ts';
import type { Draw } from '../draw.ts';
import { type AccountData, changed, monthOfShift, type TokenData, type World } from './world.ts';

export const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];
export const SLUGS = ['acme', 'globex'];

/** Shortly before midnights, of which some are special: a leap day, changes of the clock, ends of years and weeks. */
export const STARTS = [
  '2026-11-15T22:59:58Z',
  '2024-02-28T23:59:59Z',
  '2026-12-31T12:00:00Z',
  '2027-01-03T22:30:00Z',
  '2026-03-28T22:59:59Z',
  '2026-10-24T21:59:59Z',
  '2025-06-30T03:59:59Z',
];

const GROUP_NAMES = ['Team 10', 'Team 9', 'team 9', 'Zoë "Z" \\', 'Kitchen\u0301'];
const TIMES = ['00:00', '08:00', '08:30', '23:58'];

/** Days around today, around today in a year, at the turn of the year, and anywhere. */
function drawDate(draw: Draw, today: string): string {
  const year = Number(today.slice(0, 4));
  switch (draw.weighted({ near: 5, month: 3, yearLater: 1, turn: 1, far: 1 })) {
    case 'near':
      return daysAfter(today, draw.integer(-2, 3));
    case 'month':
      return daysAfter(today, draw.integer(-45, 60));
    case 'yearLater':
      return daysAfter(`${year + 1}${today.slice(4)}`, draw.integer(-2, 2));
    case 'turn':
      return daysAfter(`${year + draw.integer(0, 1)}-01-01`, draw.integer(-5, 5));
    case 'far':
      return draw.pick(['1000-01-01', '9999-12-31', '1970-01-01', '2000-02-29']);
  }
}

function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 24 * 3_600_000).toISOString().slice(0, 10);
}

/** What day it is in a zone. By another way than that of the feed. */
export function dateIn(timeZone: string, nowMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

export function drawGroupName(draw: Draw): string {
  return draw.pick(GROUP_NAMES);
}

export function drawShift(draw: Draw, today: string, id: number, names: GroupNames): Shift {
  const date = drawDate(draw, today);
  const groupId = draw.integer(1, GROUP_NAMES.length);
  const locationId = draw.integer(0, 2);
  return {
    id,
    date,
    startTime: draw.pick(TIMES),
    endTime: '23:59',
    endDate: date,
    groupId,
    groupName: names.get(groupId) ?? (GROUP_NAMES[groupId - 1] as string),
    location: locationId === 0 ? null : { id: locationId, name: `Location ${locationId}`, address: '' },
    personName: draw.pick([null, 'Ada', '漢字 🎉']),
    publishDate: draw.chance(0.5) ? '2000-01-01' : daysAfter(today, draw.integer(-1, 3)),
    remarks: draw.pick(['', 'tab\tand\nline', '</script>', 'x'.repeat(300)]),
    starred: draw.chance(0.5),
    cancelled: draw.chance(0.2),
    noshow: draw.chance(0.2),
  };
}

/** Those that were given to groups since. */
type GroupNames = ReadonlyMap<number, string>;

export function namesOf({ shifts }: AccountData): GroupNames {
  return new Map(shifts.map(({ groupId, groupName }) => [groupId, groupName]));
}

export function drawAccount(draw: Draw, id: number, slug: string, today: string, nowUs: number): AccountData {
  const count = draw.weighted({ none: 1, few: 4, many: 3 });
  const length = { none: 0, few: draw.integer(1, 6), many: draw.integer(7, 30) }[count];
  // Ids are the same in all accounts.
  const shifts = Array.from({ length }, (_, i) => drawShift(draw, today, i + 1, new Map()));
  const timeZone = draw.pick(ZONES);
  const sort = draw.pick(['time', 'group'] as const);
  const empty: AccountData = {
    account: { id, slug, name: slug, premium: true, timeZone, sort },
    revision: 0,
    stamps: new Map(),
    shifts: [],
    inactiveGroups: new Set(),
  };
  return changed(empty, { shifts }, new Set(shifts.map(monthOfShift)), nowUs);
}

export function drawWorld(draw: Draw, tokens: readonly TokenData[], today: string, nowUs: number): World {
  const accounts = SLUGS.map((slug, i) => drawAccount(draw, i + 1, slug, today, nowUs));
  return { history: 'file 1', accounts, tokens };
}

/** Every further filter empties more listings, so most are left out. */
export function drawQuery(draw: Draw, today: string): OracleQuery {
  const year = Number(today.slice(0, 4));
  const sometimes = <T>(make: () => T, share = 0.12) => (draw.chance(share) ? make() : undefined);
  const numbers = (min: number, max: number) =>
    sometimes(() =>
      draw.some(
        Array.from({ length: max - min + 1 }, (_, i) => min + i),
        4,
      ),
    );
  return {
    months: numbers(1, 12),
    years: numbers(year - 1, year + 2),
    weeks: sometimes(() => draw.some([1, 2, 9, 26, 27, 46, 47, 52, 53], 4)),
    days: numbers(1, 7),
    day: sometimes(() => drawDate(draw, today), 0.05),
    date_from: sometimes(() => drawDate(draw, today)),
    date_to: sometimes(() => drawDate(draw, today)),
    group_ids: numbers(1, GROUP_NAMES.length + 1),
    location_ids: numbers(1, 3),
    published: draw.chance(0.6),
    page: draw.chance(0.8) ? 1 : draw.integer(1, 4),
    per_page: draw.pick([1, 3, 20, 500]),
  };
}
