/**
 * Accounts as a planning office would fill them: 20 groups, 40 locations and 300 people, fewer shifts at weekends, some
 * open, some with remarks, one in twenty of those ahead not yet published. The same size on the same day gives the same
 * account. They are written to files, which `shiftfeed import` reads.
 */

import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DAY_MS } from '@shiftfeed/common/days';
import { randomFrom } from '@shiftfeed/common/random';

/** Days since 1970. */
export type Day = number;

export type FileFormat = 'json' | 'csv';

export const MONTHS_BACK = 12;
export const MONTHS_AHEAD = 24;

const DAYS_PER_YEAR = 365.25;
/** From Sunday to Saturday; 7 together. */
const WEEKDAY_WEIGHTS = [0.6, 1.1, 1.1, 1.1, 1.15, 1.2, 0.75];

const listOf = (text: string) => text.split(/,\s+/);

const GROUPS =
  listOf(`Kitchen, Service, Bar, Reception, Housekeeping, Terrace, Night desk, Conference, Garden, Pool,
  Maintenance, Deliveries, Laundry, Café, Ticket office, Cloakroom, First aid, Stage, Security, Boats`);
const PLACES = listOf('Harbour, Old Mill, Lighthouse, Market Hall, North Pier, Station, Orangery, Quarry');
const PARTS = listOf('ground floor, upper floor, east wing, courtyard, annexe');
const FIRST_NAMES = listOf(`Noor, Inès, Jonas, Mirela, Tomás, Aoife, Kwame, Yuki, Lars, Priya,
  Zoë, Mateo, Hanna, Omar, Elif, Piotr, Chiara, Bram, Sanne, Dmitri`);
const LAST_NAMES = listOf(`Vermeer, Okafor, Lindqvist, Moreau, Castellanos, Brennan, Yamamoto, Novak,
  de Wit, Haddad, Petersen, Kowalska, Rossi, Iyer, Smith`);
const REMARKS = [
  'Starts at the side entrance, ring twice',
  'Training: please be there ten minutes early',
  'Group of 40 arrives at noon; two of them need a table without steps',
  'Swap agreed with the planner',
];

const NAMES = {
  groups: GROUPS.map((name, i) => ({ id: i + 1, name })),
  locations: PLACES.flatMap((place) => PARTS.map((part) => ({ place, part }))).map(({ place, part }, i) => ({
    id: i + 1,
    name: `${place}, ${part}`,
    address: `${place} Road ${i + 1}, 1000 Seaborough`,
  })),
  people: FIRST_NAMES.flatMap((first) => LAST_NAMES.map((last) => `${first} ${last}`)).map((name, i) => ({
    id: i + 1,
    name,
  })),
};

type Shift = ReturnType<typeof makeShift>;

export function today(): Day {
  return Math.floor(Date.now() / DAY_MS);
}

export function dateOf(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Those that the accounts cover. */
export function monthsAround(day: Day): { year: number; month: number }[] {
  const now = new Date(day * DAY_MS);
  return Array.from({ length: MONTHS_BACK + MONTHS_AHEAD }, (_, i) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_BACK + i));
    return { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1 };
  });
}

/** Month by month, so that no more than a month of a large account is in memory. */
export function* shiftsByMonth(shiftsPerYear: number, day: Day): Generator<readonly Shift[]> {
  let shiftsSoFar = 0;
  for (const { year, month } of monthsAround(day)) {
    const shifts: Shift[] = [];
    for (let ms = Date.UTC(year, month - 1); ms < Date.UTC(year, month); ms += DAY_MS) {
      const before = Math.floor(shiftsSoFar);
      const weight = WEEKDAY_WEIGHTS[new Date(ms).getUTCDay()] ?? Number.NaN;
      shiftsSoFar += (shiftsPerYear / DAYS_PER_YEAR) * weight;
      for (let i = before; i < Math.floor(shiftsSoFar); i++) shifts.push(makeShift(i + 1, ms / DAY_MS, day));
    }
    yield shifts;
  }
}

function makeShift(id: number, day: Day, now: Day) {
  const random = randomFrom(id);
  const startQuarter = 20 + Math.floor(random() * 68); // From 05:00 to 21:45.
  const quarters = 16 + Math.floor(random() * 20);
  const isAhead = day >= now;
  const isPublished = !isAhead || random() >= 0.05;
  const publishDay = isPublished
    ? Math.min(day, now) - Math.floor(random() * 60)
    : now + 1 + Math.floor(random() * 60);
  const one = (items: readonly unknown[]) => 1 + Math.floor(random() * items.length);
  return {
    id,
    date: dateOf(day),
    start_time: timeOf(startQuarter),
    end_time: timeOf(startQuarter + quarters),
    group_id: one(NAMES.groups),
    location_id: random() < 0.1 ? null : one(NAMES.locations),
    person_id: random() < 0.08 ? null : one(NAMES.people),
    publish_date: dateOf(publishDay),
    remarks: random() < 0.2 ? (REMARKS[one(REMARKS) - 1] as string) : '',
    starred: random() < 0.03,
    cancelled: random() < 0.02,
    noshow: !isAhead && random() < 0.01,
  };
}

function timeOf(quarter: number): string {
  return new Date(quarter * 15 * 60_000).toISOString().slice(11, 16);
}

/** The same shifts as a JSON document or as a sheet. Returns how many there are. */
export async function writeImportFile(
  path: string,
  format: FileFormat,
  { slug, shiftsPerYear }: { readonly slug: string; readonly shiftsPerYear: number },
): Promise<number> {
  let count = 0;
  const months = shiftsByMonth(shiftsPerYear, today()).map((shifts) => {
    count += shifts.length;
    return shifts;
  });
  const text = format === 'json' ? jsonOf(slug, months) : csvOf(months);
  await pipeline(Readable.from(text), createWriteStream(path));
  return count;
}

export function* jsonOf(slug: string, months: Iterable<readonly Shift[]>): Generator<string> {
  yield `${JSON.stringify({ account: { slug, premium: true }, ...NAMES }).slice(0, -1)},"shifts":[`;
  let isFirst = true;
  for (const shifts of months) {
    if (shifts.length === 0) continue;
    yield `${isFirst ? '' : ','}${shifts.map((shift) => `\n${JSON.stringify(shift)}`).join()}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

function* csvOf(months: Iterable<readonly Shift[]>): Generator<string> {
  yield 'id,date,start_time,end_time,group,location,person,publish_date,remarks,starred,cancelled,noshow\n';
  const nameIn = (records: readonly { readonly name: string }[], id: number | null) =>
    id === null ? '' : quoted(records[id - 1]?.name ?? '');
  for (const shifts of months) {
    const rows = shifts.map((shift) => [
      ...[shift.id, shift.date, shift.start_time, shift.end_time],
      nameIn(NAMES.groups, shift.group_id),
      nameIn(NAMES.locations, shift.location_id),
      nameIn(NAMES.people, shift.person_id),
      ...[shift.publish_date, quoted(shift.remarks)],
      ...[shift.starred, shift.cancelled, shift.noshow].map((flag) => (flag ? 'x' : '')),
    ]);
    yield rows.map((row) => `${row.join()}\n`).join('');
  }
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Makes small accounts of the one in a SQLite database, because thousands of imports would take long. Returns how to ask
 * for the copies.
 */
export function copyAccount(path: string, slug: string, copies: number) {
  const database = new DatabaseSync(path);
  const tokenOf = (copy: number) => `shiftfeed_${String(copy).padStart(43, '0')}`;
  database.function('token_hash', (copy) => hash('sha256', tokenOf(Number(copy))));
  database.exec(`
    BEGIN;
    UPDATE shifts SET group_id = 1, location_id = 1, person_id = 1;
    DELETE FROM groups WHERE id > 1; DELETE FROM locations WHERE id > 1; DELETE FROM people WHERE id > 1;
    CREATE TEMP TABLE copies AS
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
      SELECT n, (SELECT id FROM accounts) + n AS id FROM numbers;
    INSERT INTO accounts (id, slug, name, premium) SELECT id, '${slug}-' || n, 'Small', 1 FROM copies;
    INSERT INTO tokens (account_id, hash, created_at) SELECT id, token_hash(n), 0 FROM copies;`);
  for (const table of ['groups', 'locations', 'people', 'shifts']) {
    const others = database.prepare("SELECT name FROM pragma_table_info(?) WHERE name <> 'account_id'");
    const columns = others.all(table).map(({ name }) => `"${name}"`);
    database.exec(`CREATE TEMP TABLE own_${table} AS SELECT ${columns} FROM ${table};
      INSERT INTO ${table} (account_id, ${columns}) SELECT copies.id, own.* FROM copies, own_${table} AS own`);
  }
  database.exec('COMMIT');
  database.close();
  return Array.from({ length: copies }, (_, i) => ({
    path: `/${slug}-${i + 1}/api/v1/shifts`,
    headers: { authorization: `Bearer ${tokenOf(i + 1)}` },
  }));
}
