/** Which shift, group, location or person a row stands for, from one import to the next. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { importParts } from '../../../src/import/import.ts';
import { DATABASES } from '../../support/database.ts';
import { often } from '../../support/strength.ts';
import { importer } from '../importer.ts';
import { readSheetText } from '../reading.ts';

const HEADER = 'date,start_time,end_time,group,location,person,publish_date';
const row = (date: string, start: string, group: string, location: string, person = '') =>
  `${date},${start},23:00,${group},${location},${person},2026-11-01`;
const sheet = (...rows: string[]) => [HEADER, ...rows].join('\n');
const added = (count: number) => ({ added: count, changed: 0, removed: 0, unchanged: 0 });
const unchanged = (count: number) => ({ added: 0, changed: 0, removed: 0, unchanged: count });

for (const database of DATABASES.slice(0, often(1, 2))) {
  const shared = await importer({ after }, database);
  describe(`rows of a sheet, on ${database}`, () => {
    let accounts = 0;
    /** One database for all, and an account for each test. */
    function newAccount() {
      const { importSheet, sheetProblems, records, plan, run } = shared;
      const slug = `sheet-${++accounts}`;
      const account = { slug };
      return {
        importSheet: (text: string, options = {}) => importSheet(text, { account, ...options }),
        problems: (text: string) => sheetProblems(text, { account }),
        run: (document: object) => run({ account, ...document }),
        plan: () => plan(slug),
        groups: () => records('groups', slug),
        locations: () => records('locations', slug),
        people: () => records('people', slug),
        shifts: () => records('shifts', slug),
      };
    }

    test('find names that differ only in case, spaces or Unicode form, so that a letter shows no hidden group', async () => {
      const { importSheet, run, groups, locations, people, shifts } = newAccount();
      await run({
        groups: [
          { id: 4, name: 'Management', active: false },
          { id: 7, name: 'K\u00fcche' },
        ],
        locations: [{ id: 2, name: 'Long Pier' }],
        people: [{ id: 3, name: 'Noor' }],
      });
      const before = { groups: await groups(), locations: await locations(), people: await people() };
      const { tables } = await importSheet(
        sheet(
          row('2026-12-01', '09:00', 'management', 'LONG  pier', 'noor'),
          row('2026-12-02', '09:00', 'Ku\u0308che', 'Long Pier', 'NOOR'),
        ),
      );
      assert.deepEqual(tables.shifts, added(2));
      assert.deepEqual(
        { groups: await groups(), locations: await locations(), people: await people() },
        before,
      );
      assert.deepEqual(
        (await shifts()).map(({ group_id, location_id, person_id }) => [group_id, location_id, person_id]),
        [
          [4, 2, 3],
          [7, 2, 3],
        ],
      );
    });

    test('keep names apart that the account has in two spellings, and make one of two spellings that are new', async () => {
      const { importSheet, run, groups, shifts } = newAccount();
      await run({
        groups: [
          { id: 1, name: 'Kitchen' },
          { id: 2, name: 'kitchen' },
        ],
      });
      await importSheet(
        sheet(
          row('2026-12-01', '09:00', 'kitchen', ''),
          row('2026-12-02', '09:00', 'Kitchen', ''),
          row('2026-12-03', '09:00', 'KITCHEN', ''),
          row('2026-12-04', '09:00', 'Bar', ''),
          row('2026-12-05', '09:00', 'bar', ''),
        ),
      );
      assert.deepEqual(
        (await groups()).map(({ name }) => name),
        ['Kitchen', 'kitchen', 'Bar'],
      );
      const groupIds = (await shifts())
        .toSorted((a, b) => (a.date < b.date ? -1 : 1))
        .map((one) => one.group_id);
      assert.deepEqual(groupIds, [2, 1, 1, 3, 3]);
    });

    test('make an account with what they name, and change nothing the next time', async () => {
      const { importSheet, groups, locations, people, plan } = newAccount();
      const text = sheet(
        row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Ada'),
        row('2026-12-01', '10:00', 'Bar', '', 'Björn'),
        row('2026-12-02', '09:00', 'Kitchen', 'Pier', ''),
      );
      const first = await importSheet(text);
      assert.deepEqual(first.account, 'added');
      assert.deepEqual(first.tables, {
        groups: added(2),
        locations: added(1),
        people: added(2),
        shifts: added(3),
      });
      assert.deepEqual(await groups(), [
        { id: 1, name: 'Kitchen', active: true, private: false },
        { id: 2, name: 'Bar', active: true, private: false },
      ]);
      assert.deepEqual(await locations(), [{ id: 1, name: 'Pier', address: '' }]);
      assert.deepEqual(
        (await people()).map(({ name }) => name),
        ['Ada', 'Björn'],
      );
      const before = await plan();
      assert.deepEqual((await importSheet(text)).tables.shifts, unchanged(3));
      assert.deepEqual(await plan(), before);
    });

    test('without an id keep their identity when something else of them changes', async () => {
      const { importSheet, shifts } = newAccount();
      const of = (person: string) => sheet(row('2026-12-01', '09:00', 'Kitchen', 'Pier', person));
      await importSheet(of(''));
      const [first] = await shifts();
      for (const person of ['Ada', '', 'Björn']) {
        const { tables } = await importSheet(of(person));
        assert.deepEqual(tables.shifts, { added: 0, changed: 1, removed: 0, unchanged: 0 }, person);
        assert.equal((await shifts())[0]?.id, first?.id);
      }
    });

    test('of somebody else are other shifts, without the remarks and flags of those in their place', async () => {
      const { importSheet, run, shifts } = newAccount();
      const of = (...people: string[]) =>
        sheet(...people.map((person) => row('2026-12-01', '09:00', 'Kitchen', 'Pier', person)));
      await importSheet(of('Ada'));
      const [ada] = await shifts();
      await run({ shifts: [{ id: ada?.id, noshow: true, remarks: 'has called' }] });
      const kept = await importSheet(of('Björn'));
      assert.deepEqual(kept.tables.shifts, added(1));
      assert.equal(kept.left?.count, 1);
      const both = (await shifts()).toSorted((one, other) => Number(other.noshow) - Number(one.noshow));
      assert.partialDeepStrictEqual(both, [
        { id: ada?.id, person_id: ada?.person_id, noshow: true, remarks: 'has called' },
        { noshow: false, remarks: '' },
      ]);
      const removed = await importSheet(of('Chloé', 'Björn'), { replaceDays: true });
      assert.deepEqual(removed.tables.shifts, { ...added(1), removed: 1, unchanged: 1 });
      assert.ok((await shifts()).every(({ id, noshow }) => id !== ada?.id && !noshow));
    });

    for (const [name, other] of [
      ['date', row('2026-12-02', '09:00', 'Kitchen', 'Pier')],
      ['start', row('2026-12-01', '09:30', 'Kitchen', 'Pier')],
      ['group', row('2026-12-01', '09:00', 'Bar', 'Pier')],
      ['location', row('2026-12-01', '09:00', 'Kitchen', '')],
    ] as const)
      test(`with another ${name} are another shift`, async () => {
        const { importSheet } = newAccount();
        await importSheet(sheet(row('2026-12-01', '09:00', 'Kitchen', 'Pier')));
        const { tables } = await importSheet(sheet(other), { replace: false });
        assert.deepEqual(tables.shifts, added(1));
      });

    test('that are equal are told apart by their turn', async () => {
      const { importSheet, shifts } = newAccount();
      const people = Array.from({ length: 30 }, (_, i) => `Person ${i}`);
      const text = sheet(...people.map((person) => row('2026-12-01', '09:00', 'Kitchen', 'Pier', person)));
      assert.deepEqual((await importSheet(text)).tables.shifts, added(30));
      assert.deepEqual((await importSheet(text)).tables.shifts, unchanged(30));
      assert.equal(new Set((await shifts()).map(({ id }) => id)).size, 30);
      // Rows between them change nothing, and neither does their order among others.
      const mixed = people.flatMap((person, i) => [
        row('2026-12-02', `0${i % 10}:00`, 'Bar', '', person),
        row('2026-12-01', '09:00', 'Kitchen', 'Pier', person),
      ]);
      assert.deepEqual((await importSheet(sheet(...mixed))).tables.shifts, { ...added(30), unchanged: 30 });
      assert.deepEqual((await importSheet(sheet(...mixed))).tables.shifts, unchanged(60));
    });

    test('that are alike stay with their people, in any order and when some of them go', async () => {
      const { importSheet, run, shifts, people } = newAccount();
      const alike = (...names: string[]) =>
        sheet(...names.map((name) => row('2026-12-01', '09:00', 'Kitchen', 'Pier', name)));
      const idsOf = async (...names: string[]) => {
        const known = new Map((await people()).map(({ id, name }) => [name, id]));
        const wanted = names.map((name) => known.get(name) ?? null);
        const theirs = (await shifts()).filter(({ person_id }) => wanted.includes(person_id));
        return new Set(theirs.map(({ id }) => id));
      };
      const replaced = async (...names: string[]) =>
        (await importSheet(alike(...names), { replaceShifts: {} })).tables.shifts;
      await replaced('Ada', 'Björn', '', 'Chloé', 'Dora');
      const firstTwo = await idsOf('Ada', 'Björn');
      const nextTwo = await idsOf('', 'Chloé');
      const last = await idsOf('Dora');
      await run({ shifts: [...(await idsOf('Ada'))].map((id) => ({ id, noshow: true, starred: true })) });
      assert.deepEqual(await replaced('Dora', '', 'Chloé', 'Björn', 'Ada'), unchanged(5));
      assert.deepEqual(await replaced('Dora', '', 'Björn', 'Ada'), { ...unchanged(4), removed: 1 });
      assert.deepEqual(await replaced('Björn', 'Dora'), { ...unchanged(2), removed: 2 });
      assert.deepEqual(await replaced('Dora'), { ...unchanged(1), removed: 1 });
      assert.deepEqual(await replaced('Ada', 'Dora', 'Ada'), { ...added(2), unchanged: 1 });
      assert.deepEqual(await idsOf('Dora'), last);
      assert.deepEqual(await idsOf('Ada'), firstTwo, 'the first ids that are free');
      assert.ok((await shifts()).every(({ noshow }) => !noshow));
      assert.deepEqual(await replaced('Dora', 'Ada', 'Ada', 'Björn', 'Chloé'), { ...added(2), unchanged: 3 });
      assert.deepEqual(await idsOf('Björn', 'Chloé'), nextTwo);
    });

    test('that are alike go by their order when the person is the same one, or not told, or was not', async () => {
      const { importSheet, shifts } = newAccount();
      const alike = (...rows: readonly (readonly [person: string, end: string])[]) =>
        `date,start_time,end_time,group,person,publish_date\n${rows
          .map(([person, end]) => `2026-12-01,09:00,${end},Kitchen,${person},2026-11-01`)
          .join('\n')}`;
      const ends = async () => new Map((await shifts()).map(({ id, end_time }) => [end_time, id]));
      const replaceShifts = {};
      await importSheet(alike(['Zoë', '09:30'], ['Ada', '10:00'], ['Ada', '11:00'], ['Björn', '12:00']));
      const ids = await ends();
      // Without the first of them, the ids that are left do not begin with the first one.
      const fewer = alike(['Ada', '10:00'], ['Ada', '11:00'], ['Björn', '12:00']);
      const { tables } = await importSheet(fewer, { replaceShifts });
      assert.deepEqual(tables.shifts, { ...unchanged(3), removed: 1 });
      const withoutPeople = fewer.replace(',person', '').replaceAll(/,(Ada|Björn)/g, '');
      assert.deepEqual((await importSheet(withoutPeople, { replaceShifts })).tables.shifts, unchanged(3));
      for (const person of ['', 'Chloé']) {
        const another = alike([person, '12:00'], ['Ada', '10:00'], ['Ada', '11:00']);
        const changed = await importSheet(another, { replaceShifts });
        assert.deepEqual(changed.tables.shifts, { ...unchanged(2), changed: 1 });
      }
      ids.delete('09:30');
      assert.deepEqual(await ends(), ids);
    });

    test('move with their person, and leave their id to no other row', async () => {
      const { importSheet, run, shifts, people } = newAccount();
      const at = (start: string, person: string, group = 'Kitchen') =>
        row('2026-12-01', start, group, 'Pier', person);
      const idOf = async (name: string) => {
        const person = (await people()).find((one) => one.name === name)?.id;
        return (await shifts()).filter(({ person_id }) => person_id === person).map(({ id }) => id);
      };
      await importSheet(sheet(at('09:00', 'Ada')));
      const [ada] = await idOf('Ada');
      await run({ shifts: [{ id: ada, starred: true }] });
      const changed = (count: number) => ({ added: 0, changed: count, removed: 0, unchanged: 0 });
      assert.deepEqual((await importSheet(sheet(at('10:00', 'Ada')))).tables.shifts, changed(1));
      assert.partialDeepStrictEqual(await shifts(), [{ id: ada, start_time: '10:00', starred: true }]);
      // Bob has the slot, and so the derived id, that Ada had; Ada has hers nevertheless, in any order.
      const both = await importSheet(sheet(at('09:00', 'Bob'), at('10:00', 'Ada')));
      assert.deepEqual(both.tables.shifts, { ...added(1), unchanged: 1 });
      assert.deepEqual(await idOf('Ada'), [ada]);
      const [bob] = await idOf('Bob');
      assert.deepEqual(
        (await importSheet(sheet(at('10:00', 'Ada'), at('09:00', 'Bob')))).tables.shifts,
        unchanged(2),
      );
      // The two swap, and one of them goes to another group that the sheet names.
      assert.deepEqual(
        (await importSheet(sheet(at('09:00', 'Ada'), at('10:00', 'Bob', 'Bar')))).tables.shifts,
        { ...added(0), changed: 2 },
      );
      assert.deepEqual([await idOf('Ada'), await idOf('Bob')], [[ada], [bob]]);
      // Of two that have gone, nobody knows which one has moved.
      await importSheet(sheet(at('09:00', 'Ada'), at('12:00', 'Ada')));
      const two = await importSheet(sheet(at('07:00', 'Ada'), at('08:00', 'Ada')));
      assert.deepEqual(two.tables.shifts, added(2));
      assert.deepEqual(
        [two.left?.count, two.left?.areKept, two.left?.groups],
        [2, true, { names: ['Kitchen'], count: 1 }],
      );
      assert.equal(new Set((await shifts()).map(({ id }) => id)).size, 5);
    });

    test('move together, and others in their place get the ids after theirs, in order', async () => {
      const { importSheet, shifts } = newAccount();
      const at = (start: string, name: string) =>
        Array.from({ length: 5 }, (_, i) => row('2026-12-01', start, 'Kitchen', 'Pier', `${name} ${i}`));
      await importSheet(sheet(...at('09:00', 'Ada'), ...at('09:00', 'Bob')));
      const idsOf = async (start: string) =>
        (await shifts())
          .filter(({ start_time, person_id }) => start_time === start && person_id)
          .sort((a, b) => Number(a.person_id) - Number(b.person_id))
          .map(({ id }) => id);
      const ids = await idsOf('09:00');
      await importSheet(sheet(...at('10:00', 'Ada')), { replaceDays: true });
      const both = sheet(...at('10:00', 'Ada'), ...at('09:00', 'Chloé'));
      assert.deepEqual((await importSheet(both)).tables.shifts, { ...added(5), unchanged: 5 });
      assert.deepEqual([...(await idsOf('10:00')), ...(await idsOf('09:00'))], ids);
      assert.deepEqual((await importSheet(both)).tables.shifts, unchanged(10));
    });

    test('of which some have an id do not take the id of others', async () => {
      const { importSheet, shifts } = newAccount();
      await importSheet(sheet(row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Ada')));
      const [ada] = await shifts();
      const text = `id,${HEADER}\n,${row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Björn')}\n${ada?.id},${row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Ada')}`;
      assert.deepEqual((await importSheet(text)).tables.shifts, { ...added(1), unchanged: 1 });
      assert.deepEqual((await importSheet(text)).tables.shifts, unchanged(2));
    });

    test('find what a JSON document made, by name', async () => {
      const { run, importSheet, shifts, groups } = newAccount();
      await run({
        groups: [{ id: 40, name: 'Kitchen', private: true }],
        locations: [{ id: 50, name: 'Pier', address: 'Long Pier 4' }],
        people: [{ id: 60, name: 'Ada' }],
      });
      await importSheet(
        sheet(row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Ada'), row('2026-12-01', '09:00', 'Bar', '')),
      );
      assert.partialDeepStrictEqual(
        (await shifts()).find(({ group_id }) => group_id === 40),
        { location_id: 50, person_id: 60 },
      );
      assert.deepEqual(await groups(), [
        { id: 40, name: 'Kitchen', active: true, private: true },
        { id: 41, name: 'Bar', active: true, private: false },
      ]);
    });

    test('of a name that two have stay with the one they have, and else go to the first', async () => {
      const { run, importSheet, shifts } = newAccount();
      const bare = { date: '2026-12-01', start_time: '09:00', end_time: '17:00', publish_date: '2026-11-01' };
      await run({
        groups: [
          { id: 3, name: 'Team' },
          { id: 7, name: 'Team' },
        ],
        people: [
          { id: 1, name: 'Jan' },
          { id: 2, name: 'Jan' },
        ],
        shifts: [{ ...bare, id: 5, group_id: 7, person_id: 2 }],
      });
      const text = `id,${HEADER}\n5,2026-12-01,09:00,17:00,Team,,Jan,2026-11-01\n6,2026-12-01,09:00,17:00,Team,,Jan,2026-11-01`;
      assert.deepEqual((await importSheet(text)).tables.shifts, { ...added(1), unchanged: 1 });
      assert.deepEqual(
        (await shifts()).map(({ id, group_id, person_id }) => [id, group_id, person_id]),
        [
          [5, 7, 2],
          [6, 3, 1],
        ],
      );
    });

    for (const [what, [group, place, person]] of [
      ['case and spaces', ['bar', 'PIER', 'Ada  king']],
      ['the spelling of another', ['Bar', 'Pier', 'Ada King']],
    ] as const)
      test(`with ${what} in which names differ stay with the ones they have`, async () => {
        const { run, importSheet, shifts } = newAccount();
        const shift = { id: 1, date: '2026-12-01', start_time: '09:00', end_time: '17:00' };
        const twins = (...names: string[]) => names.map((name, i) => ({ id: i + 1, name }));
        await run({
          groups: twins('Bar', 'BAR', 'Kitchen'),
          locations: twins('Pier', 'pier').map((location) => ({ ...location, address: 'Long Pier 4' })),
          people: twins('Ada King', 'ADA KING', 'Noor'),
          shifts: [{ ...shift, group_id: 2, location_id: 2, person_id: 2, publish_date: '2026-11-01' }],
        });
        const rows = `id,group,location,person\n1,${group},${place},${person}`;
        assert.deepEqual((await importSheet(rows)).tables.shifts, unchanged(1));
        const withAddress = `id,location,address\n1,${place},long  pier 4`;
        assert.deepEqual((await importSheet(withAddress)).tables.shifts, unchanged(1));
        const others = 'id,group,location,person\n1,Kitchen,,Noor';
        assert.deepEqual((await importSheet(others)).tables.shifts, { ...unchanged(0), changed: 1 });
        assert.partialDeepStrictEqual(await shifts(), [{ group_id: 3, location_id: null, person_id: 3 }]);
      });

    test('that are new are refused when no higher id is left, and may be added as JSON', async () => {
      const { run, importSheet } = newAccount();
      await run({ people: [{ id: 9007199254740991, name: 'Noor' }] });
      const text = sheet(row('2026-12-01', '09:00', 'Kitchen', '', 'Ada'));
      await assert.rejects(importSheet(text), {
        message:
          'Nothing was imported: new people get the ids after the highest one of the account, which is 9007199254740991, and there is no higher one. Add them as JSON first, with ids of your choice.',
      });
      await run({ people: [{ id: 1, name: 'Ada' }] });
      assert.deepEqual((await importSheet(text)).tables.shifts, added(1));
    });

    test('with addresses tell locations of one name apart', async () => {
      const { importSheet, locations } = newAccount();
      const text = [
        'id,date,start_time,end_time,group,location,address,publish_date',
        '1,2026-12-01,09:00,17:00,Kitchen,Office,North 1,2026-11-01',
        '2,2026-12-01,09:00,17:00,Kitchen,Office,South 2,2026-11-01',
        '3,2026-12-01,09:00,17:00,Kitchen,Office,,2026-11-01',
      ].join('\n');
      assert.deepEqual((await importSheet(text)).tables.locations, added(3));
      assert.deepEqual(
        (await locations()).map(({ address }) => address),
        ['North 1', 'South 2', ''],
      );
      assert.deepEqual((await importSheet(text)).tables.shifts, unchanged(3));
    });

    test('that repeat an id are told by line', async () => {
      const { problems } = newAccount();
      const text = `id,${HEADER}\n7,${row('2026-12-01', '09:00', 'A', '')}\n\n7,${row('2026-12-02', '09:00', 'A', '')}`;
      assert.deepEqual(await problems(text), ['line 4, id: 7 is the id of line 2 too']);
    });

    test('that end before they begin, or are new and say too little, are told by line', async () => {
      const { problems } = newAccount();
      assert.deepEqual(
        await problems(
          'id,date,start_time,end_time,end_date,group\n\n7,2026-12-02,09:00,17:00,2026-12-01,A\n',
        ),
        [
          'line 3: is new and lacks publish_date',
          'line 3, end_date: the end, 2026-12-01 17:00, is not after the start, 2026-12-02 09:00',
        ],
      );
      assert.deepEqual(await problems('id,remarks\n7,x\n'), [
        'line 2: is new and lacks date, start_time, end_time, group, publish_date',
      ]);
      assert.deepEqual(await problems('id,date,remarks\n,2026-12-02,x\n'), [
        'line 2, id: is empty, and without an id the row would need start_time, end_time, group, publish_date as well',
      ]);
    });

    test('with an id and some columns change only those', async () => {
      const { importSheet, shifts } = newAccount();
      await importSheet(`id,${HEADER}\n7,${row('2026-12-01', '09:00', 'Kitchen', 'Pier', 'Ada')}`);
      const [before] = await shifts();
      await importSheet('id,starred\n7,yes');
      assert.deepEqual(await shifts(), [{ ...before, starred: true }]);
    });
  });
}

describe('names', () => {
  for (const [what, first, second, statement, refusal] of [
    [
      'that somebody else makes at the same moment are not made twice',
      row('2026-12-01', '09:00', 'Kitchen', ''),
      row('2026-12-01', '09:00', 'Bar', ''),
      "INSERT INTO groups (account_id, id, name) SELECT id, 2, 'Bar' FROM accounts",
      'The groups of the account were changed by somebody else at the same moment: nothing was imported, try again.',
    ],
    [
      'that somebody else gives to two at the same moment may be those of a shift',
      row('2026-12-01', '09:00', 'Kitchen', '', 'Ada'),
      row('2026-12-02', '09:00', 'Kitchen', '', 'Ada'),
      "INSERT INTO people (account_id, id, name) SELECT id, 2, 'ADA' FROM accounts",
      'The people of the account were changed by somebody else at the same moment: nothing was imported, try again.',
    ],
    [
      'that the sheet does not have may change at the same moment',
      row('2026-12-01', '09:00', 'Kitchen', '', 'Ada'),
      row('2026-12-01', '22:30', 'Kitchen', '', 'Grace'),
      "UPDATE people SET name = 'Björn'",
      undefined,
    ],
  ] as const)
    test(what, async (t) => {
      const { url, store, importSheet, records } = await importer(t);
      const program = new DatabaseSync(url.replace('sqlite:', ''));
      t.after(() => program.close());
      await importSheet(sheet(first));
      let hasInterrupted = false;
      const importing = importParts(store, await readSheetText(sheet(second)), {
        replace: false,
        dryRun: false,
        today: () => '2026-11-15',
        onProgress({ step }) {
          if (step !== 'compared' || hasInterrupted) return;
          hasInterrupted = true;
          program.exec(statement);
        },
      });
      if (refusal === undefined) await importing;
      else await assert.rejects(importing, { message: refusal });
      assert.ok(hasInterrupted);
      assert.equal((await records('shifts')).length, refusal === undefined ? 2 : 1);
    });
});
