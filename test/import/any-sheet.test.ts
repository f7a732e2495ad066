/**
 * Random plans are written in every shape that a sheet can have, and imported. The database then has exactly these shifts,
 * and the counts of the report are those of the database.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { SheetOptions } from '../../sheets/src/sheet-options.ts';
import { undoImport } from '../../src/import/undo.ts';
import type { Tally } from '../../src/store/records.ts';
import { DATABASES, type DatabaseKind } from '../support/database.ts';
import { often } from '../support/strength.ts';
import { importer } from './importer.ts';
import { NAMES } from './oracle.ts';
import { type MadeCell, xlsx } from './sheet/make-workbook.ts';

const LAST_DAY = 24;

/** What one row of a list says: one or two shifts, or the same for some people. Times are whole hours. */
const ROW = fc.record({
  day: fc.nat(LAST_DAY),
  /** Each three hours long, and after the one before. */
  starts: fc.uniqueArray(fc.constantFrom(1, 8, 15, 22), { minLength: 1, maxLength: 2 }),
  group: fc.constantFrom('Bar', 'Kitchen'),
  people: fc.subarray(['Ada Lovelace', 'Bo', 'Zoë May'], { minLength: 1, maxLength: 2 }),
});
type Row = typeof ROW extends fc.Arbitrary<infer R> ? R : never;

const SHAPES = ['people', 'pairs', 'roster', 'sheets'] as const;
const SHEET = fc.record({
  rows: fc.array(ROW, { minLength: 1, maxLength: 5 }),
  /** As most plans are, which is also the order of the table. */
  isByDate: fc.constantFrom(true, true, true, false),
  shape: fc.constantFrom(...SHAPES),
});
type Sheet = typeof SHEET extends fc.Arbitrary<infer S> ? S : never;

const STEPS = fc.record({
  /** What the account has before. */
  before: fc.constantFrom('no account', 'no shifts', 'no shifts', 'shifts'),
  first: SHEET,
  second: SHEET,
});

const two = (number: number) => String(number).padStart(2, '0');
const dateAt = (day: number) => `2027-03-${two(day + 1)}`;
const clock = (hour: number) => `${two(hour % 24)}:00`;
const ONE_GROUP = 'Bar';

for (const database of often<readonly DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres']))
  test(`whatever sheets are imported, ${database} has their shifts, and as many as the report says`, async () => {
    const opened = await importer({ after }, database);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(STEPS, async ({ before, first, second }) => {
        const slug = `any-${++runs}`;
        const account = { slug, name: slug, time_zone: 'UTC' };
        if (before !== 'no account')
          await opened.run({ account, ...EARLIER, shifts: before === 'shifts' ? EARLIER.shifts : [] });
        const earlier = before === 'shifts' ? EARLIER_SHOWN : [];
        const check = async (sheet: Sheet, removal: object, meant: readonly string[]) => {
          const countBefore = await counts(opened, slug);
          const { file, options } = written(sheet);
          const { tables } = await opened.importSheet(file, {
            account,
            publishedFrom: '2027-01-01',
            ...options,
            ...removal,
          });
          assert.deepEqual(await shown(opened, slug), meant.toSorted());
          const { added, changed, unchanged } = tables.shifts;
          assert.equal(added + changed + unchanged, meaning(sheet).length);
          const told = NAMES.map(
            (table, i) => (countBefore[i] ?? 0) + tables[table].added - tables[table].removed,
          );
          assert.deepEqual(await counts(opened, slug), told);
        };
        await check(first, {}, [...earlier, ...meaning(first)]);
        await check(second, { replaceShifts: {} }, meaning(second));
      }),
      { numRuns: often(40, 300) },
    );
  });

type Importer = Awaited<ReturnType<typeof importer>>;

/** Shifts of a roster, of which a correction is another one. Few, so that many are alike. */
const ROSTER = fc.uniqueArray(
  fc.record({
    day: fc.nat(1),
    start: fc.constantFrom(1, 8, 15),
    group: fc.constantFrom('Bar', 'Kitchen'),
    person: fc.constantFrom('Ada Lovelace', 'Bo', 'Zoë May'),
  }),
  { minLength: 1, maxLength: 7, selector: (one) => JSON.stringify(one) },
);
type Planned = typeof ROSTER extends fc.Arbitrary<(infer P)[]> ? P : never;

for (const database of DATABASES)
  test(`a corrected roster leaves no more and no less than it says, and ids stay with their shifts, on ${database}`, async () => {
    const opened = await importer({ after }, database);
    let runs = 0;
    const imported = async (slug: string, roster: readonly Planned[]) => {
      const options = { account: { slug, name: slug, time_zone: 'UTC' }, publishedFrom: '2027-01-01' };
      const { tables, left } = await opened.importSheet(csv(rosterOf(roster)), {
        ...options,
        replaceDays: true,
      });
      assert.equal(left?.count ?? 0, tables.shifts.removed);
      return { tally: tables.shifts, shifts: await byId(opened, slug) };
    };
    await fc.assert(
      fc.asyncProperty(ROSTER, ROSTER, ROSTER, async (...rosters) => {
        const slug = `roster-${++runs}`;
        const states: Map<number, Kept>[] = [];
        for (const roster of rosters) {
          const { tally, shifts } = await imported(slug, roster);
          const texts = [...shifts.values()].map(({ text }) => text);
          assert.deepEqual(texts.toSorted(), roster.map(textOf).toSorted());
          const before = states.at(-1);
          if (before !== undefined) checkIds(before, shifts, tally);
          // An id that was kept when its shift moved is of nobody else's, also after the next import.
          for (const [id, { slot, person }] of before ?? []) {
            const [earlier, later] = [states.at(-2)?.get(id), shifts.get(id)];
            if (earlier === undefined || later === undefined || earlier.slot === slot) continue;
            assert.ok(
              later.slot === slot || later.person === person,
              `${id} was ${slot}, and is ${later.slot}`,
            );
          }
          states.push(shifts);
        }
        if (isDeepStrictEqual(states[1], states[2])) return;
        await undoImport(opened.store, slug, 'Noor');
        assert.deepEqual(await byId(opened, slug), states[1]);
      }),
      { numRuns: often(10, 80) },
    );
  });

interface Kept {
  readonly text: string;
  /** Of which an id is derived. */
  readonly slot: string;
  /** And the day. */
  readonly person: string;
}

/** What stays keeps its id, and so does what has moved. What is counted is what was done. */
function checkIds(before: ReadonlyMap<number, Kept>, now: ReadonlyMap<number, Kept>, tally: Tally): void {
  const ids = (of: ReadonlyMap<number, Kept>) => new Map([...of].map(([id, { text }]) => [text, id]));
  const [idsBefore, idsNow] = [ids(before), ids(now)];
  for (const [text, id] of idsBefore) assert.equal(idsNow.get(text) ?? id, id, text);
  const lone = (of: ReadonlyMap<number, Kept>, others: ReadonlyMap<string, number>, person: string) => {
    const theirs = [...of].filter(([, one]) => one.person === person && !others.has(one.text));
    return theirs.length === 1 ? theirs[0]?.[0] : undefined;
  };
  for (const { person } of before.values()) {
    const [gone, came] = [lone(before, idsNow, person), lone(now, idsBefore, person)];
    if (gone !== undefined && came !== undefined)
      assert.equal(came, gone, `the shift of ${person} has moved`);
  }
  const known = [...now].filter(([id]) => before.has(id));
  const changed = known.filter(([id, { text }]) => before.get(id)?.text !== text).length;
  assert.deepEqual(tally, {
    added: now.size - known.length,
    changed,
    removed: before.size - known.length,
    unchanged: known.length - changed,
  });
}

async function byId({ records }: Importer, slug: string): Promise<Map<number, Kept>> {
  const groups = new Map((await records('groups', slug)).map(({ id, name }) => [id, name]));
  const people = new Map((await records('people', slug)).map(({ id, name }) => [id, name]));
  return new Map(
    (await records('shifts', slug)).map(({ id, date, start_time, end_time, group_id, person_id }) => {
      const slot = `${date} ${start_time} ${groups.get(group_id)}`;
      const person = `${date} ${people.get(person_id ?? 0)}`;
      return [id, { text: `${slot} ${end_time} ${person}`, slot, person }];
    }),
  );
}

function textOf({ day, start, group, person }: Planned): string {
  return `${dateAt(day)} ${clock(start)} ${group} ${clock(start + 3)} ${dateAt(day)} ${person}`;
}

/** Every person and group has a row, also without shifts. */
function rosterOf(planned: readonly Planned[]): MadeCell[][] {
  const days = [0, 1];
  const people = ['Ada Lovelace', 'Bo', 'Zoë May'];
  return [
    ['Name', 'Team', ...days.map(dateAt)],
    ...['Bar', 'Kitchen'].flatMap((group) =>
      people.map((person) => [
        person,
        group,
        ...days.map((day) =>
          planned
            .filter((one) => one.day === day && one.group === group && one.person === person)
            .map(({ start }) => `${clock(start)}-${clock(start + 3)}`)
            .join(' / '),
        ),
      ]),
    ),
  ];
}

/** What an account has before, in another month. */
const EARLIER = {
  groups: [{ id: 7, name: 'Bar' }],
  people: [{ id: 5, name: 'Bo' }],
  shifts: [1, 2, 3].map((id) => ({
    id,
    date: `2027-01-0${id}`,
    start_time: '09:00',
    end_time: '17:00',
    group_id: 7,
    person_id: 5,
    publish_date: '2027-01-01',
  })),
};
const EARLIER_SHOWN = EARLIER.shifts.map(({ date }) => `${date} 09:00 17:00 Bar Bo`);

/** How many records the database has in each table. */
async function counts({ store, records }: Importer, slug: string): Promise<readonly number[]> {
  if ((await store.findAccount(slug)) === undefined) return NAMES.map(() => 0);
  return Promise.all(NAMES.map(async (table) => (await records(table, slug)).length));
}

/** The shifts that the database has. */
async function shown(
  { store, records }: Awaited<ReturnType<typeof importer>>,
  slug: string,
): Promise<string[]> {
  if ((await store.findAccount(slug)) === undefined) return [];
  const groups = new Map((await records('groups', slug)).map(({ id, name }) => [id, name]));
  const people = new Map((await records('people', slug)).map(({ id, name }) => [id, name]));
  return (await records('shifts', slug))
    .map(({ date, start_time, end_time, group_id, person_id }) =>
      [date, start_time, end_time, groups.get(group_id), people.get(person_id ?? 0)].join(' '),
    )
    .toSorted();
}

/** The shifts that are meant. */
function meaning(sheet: Sheet): string[] {
  return rowsOf(sheet).flatMap(({ day, starts, group, people }) =>
    starts.flatMap((start) =>
      people.map((person) => [dateAt(day), clock(start), clock(start + 3), group, person].join(' ')),
    ),
  );
}

/** The rows as a shape can say them. */
function rowsOf({ shape, isByDate, rows: drawn }: Sheet): readonly Row[] {
  const rows = isByDate ? drawn.toSorted((a, b) => a.day - b.day) : drawn;
  if (shape === 'people') return rows.map((row) => ({ ...row, starts: row.starts.slice(0, 1) }));
  if (shape === 'pairs') return rows.map((row) => ({ ...row, people: row.people.slice(0, 1) }));
  const isFirst = ({ day }: Row, i: number) => rows.findIndex((other) => other.day === day) === i;
  return rows.filter(isFirst).map((row) => ({ ...row, group: ONE_GROUP }));
}

function written(sheet: Sheet): { readonly file: string | Buffer; readonly options: Partial<SheetOptions> } {
  const said = rowsOf(sheet);
  switch (sheet.shape) {
    case 'people':
      return { file: csv(listOfPeople(said)), options: { peopleSeparators: [','] } };
    case 'pairs':
      return { file: csv(listOfPairs(said)), options: {} };
    case 'roster':
      return { file: csv(roster(said)), options: { group: ONE_GROUP } };
    case 'sheets': {
      const middle = Math.ceil(said.length / 2);
      const parts = [said.slice(0, middle), said.slice(middle)].filter(({ length }) => length > 0);
      const sheets = parts.map((part, i) => ({ name: `Part ${i + 1}`, rows: roster(part) }));
      return { file: xlsx(sheets), options: { group: ONE_GROUP, sheet: 'all' } };
    }
  }
}

function csv(rows: readonly (readonly MadeCell[])[]): string {
  return `${rows.map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n')}\n`;
}

function listOfPeople(rows: readonly Row[]): MadeCell[][] {
  return [
    ['Date', 'Start', 'End', 'Team', 'Employees'],
    ...rows.map(({ day, starts: [start = 0], group, people }) => [
      dateAt(day),
      clock(start),
      clock(start + 3),
      group,
      people.join(', '),
    ]),
  ];
}

function listOfPairs(rows: readonly Row[]): MadeCell[][] {
  return [
    ['Date', 'Start 1', 'End 1', 'Start 2', 'End 2', 'Team', 'Employee'],
    ...rows.map(({ day, starts: [one = 0, other], group, people: [person = ''] }) => [
      dateAt(day),
      clock(one),
      clock(one + 3),
      other === undefined ? '' : clock(other),
      other === undefined ? '' : clock(other + 3),
      group,
      person,
    ]),
  ];
}

/** People down, days across: all from the first to the last, and more than one. */
function roster(rows: readonly Row[]): MadeCell[][] {
  const first = Math.min(...rows.map(({ day }) => day));
  const last = Math.max(...rows.map(({ day }) => day), first + 1);
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const cellOf = (person: string, day: number) =>
    rows
      .filter((row) => row.day === day && row.people.includes(person))
      .flatMap(({ starts }) => starts.map((start) => `${clock(start)}-${clock(start + 3)}`))
      .join(' / ');
  return [
    ['Name', ...days.map(dateAt)],
    ...[...new Set(rows.flatMap(({ people }) => people))].map((person) => [
      person,
      ...days.map((day) => cellOf(person, day)),
    ]),
  ];
}
