import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { MAX_LAYOUTS, type ShiftPlace } from '../../src/store/admin/desk.ts';
import { openStore } from '../../src/store/open.ts';
import { DATABASES, newStoreUrl, runSql } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';

for (const kind of DATABASES)
  describe(`What the desk stores on ${kind}`, () => {
    async function setUp(context: Parameters<typeof newStoreUrl>[0]) {
      const url = await newStoreUrl(context, kind);
      const store = await openStore(url, { missing: 'create' });
      context.after(() => store.close());
      await importDocument(store, acme([shift('2026-11-18', { id: 1 }), shift('2026-11-19', { id: 2 })]), {
        replace: false,
        dryRun: false,
      });
      const account = await store.findAccount('acme');
      assert.ok(account);
      return { store, account, url };
    }

    test('what was answered is kept by layout, and the layout that was not used for longest makes room', async (context) => {
      const { store, account } = await setUp(context);
      const [first, second] = ['first', 'second'].map((layout, i) => ({
        layout,
        answers: `[${i}]`,
        usedAtMs: i,
      }));
      assert.ok(first && second);
      assert.equal(await store.deskLayout(account.id, 'first'), undefined);
      for (const { layout, ...kept } of [second, first]) await store.saveDeskLayout(account.id, layout, kept);
      assert.deepEqual(await store.deskLayout(account.id, 'first'), { answers: '[0]', usedAtMs: 0 });
      await store.saveDeskLayout(account.id, 'first', { answers: '[]', usedAtMs: 2 });
      for (let i = 1; i < MAX_LAYOUTS; i++)
        await store.saveDeskLayout(account.id, `layout ${i}`, { answers: '[]', usedAtMs: 2 + i });
      assert.equal(await store.deskLayout(account.id, 'second'), undefined);
      assert.deepEqual(await store.deskLayout(account.id, 'first'), { answers: '[]', usedAtMs: 2 });
    });

    test('a person who goes, or gets another name, goes from what was answered, too', async (context) => {
      const { store, account } = await setUp(context);
      const people = ['Carol King', 'Bo', 'Al', 'Noor'].map((name, i) => ({ id: i + 1, name }));
      const others = [
        ['group', 'Bobs'],
        ['people', 'Bobby?=Alma'],
      ];
      const headings = [
        ['ignore-columns', 'carol king'],
        ['codes', 'Al='],
      ];
      const named = ['Carol krank=Carol King', 'carol  KING?=', 'Ada/Bo=Ada; Bo', 'Al (late)=Ada', 'N=Noor'];
      const usedAtMs = 1;
      const answers = JSON.stringify([...others, ...headings, ...named.map((pair) => ['people', pair])]);
      const options = { replace: false, dryRun: false };
      await importDocument(store, acme([], { people }), options);
      await store.saveDeskLayout(account.id, 'list', { answers, usedAtMs });
      const kept = async () => {
        const { answers: left = '[]' } = (await store.deskLayout(account.id, 'list')) ?? {};
        return JSON.parse(left).slice(others.length);
      };
      await store.remove('people', account.id, 1);
      assert.equal((await kept()).length, 4);
      await store.merge('people', account.id, 2, 3);
      assert.equal((await kept()).length, 3);
      await store.change('people', account.id, 3, { name: 'Alan' });
      assert.deepEqual(await kept(), [['people', 'N=Noor']]);
      await store.forgetReplaced(account.id, 'noor');
      assert.deepEqual(await store.deskLayout(account.id, 'list'), {
        answers: JSON.stringify(others),
        usedAtMs,
      });
    });

    test('others have their turn while answers that name somebody are looked for', async (context) => {
      const { store, account } = await setUp(context);
      await importDocument(store, acme([], { people: [{ id: 1, name: 'Noor' }] }), {
        replace: false,
        dryRun: false,
      });
      for (let i = 0; i < MAX_LAYOUTS; i++)
        await store.saveDeskLayout(account.id, `${i}`, { answers: '[["people","N=Noor"]]', usedAtMs: i });
      let turns = 0;
      let counting = setImmediate(function count() {
        turns++;
        counting = setImmediate(count);
      });
      await store.change('people', account.id, 1, { name: 'Nora' });
      clearImmediate(counting);
      assert.ok(turns >= MAX_LAYOUTS, `${turns} turns`);
    });

    test('shifts come with the names that they refer to, some days at a time', async (context) => {
      const { store, account } = await setUp(context);
      const days = [account.id, '2026-11-18', '2026-11-19'] as const;
      const { shifts: all } = await store.shiftsBetween(...days, 10);
      assert.deepEqual(
        all.map(({ id, date, active, cancelled }) => ({ id, date, active, cancelled })),
        [
          { id: 1, date: '2026-11-18', active: true, cancelled: false },
          { id: 2, date: '2026-11-19', active: true, cancelled: false },
        ],
      );
      assert.deepEqual(all[0]?.group, { id: 1, name: 'Kitchen' });
      assert.equal(all[0]?.location, null);
      const first = await store.shiftsBetween(...days, 1);
      assert.deepEqual(first, { shifts: all.slice(0, 1), next: { date: '2026-11-18', id: 1 } });
      const rest = await store.shiftsBetween(...days, 1, first.next);
      assert.deepEqual(rest, { shifts: all.slice(1), next: undefined });
      const none = await store.shiftsBetween(account.id, '2026-11-20', '2026-11-30', 10);
      assert.deepEqual(none, { shifts: [], next: undefined });
    });

    test('slices of shifts hold whole days by their start, and those of a long day all of it', async (context) => {
      const { store, account } = await setUp(context);
      const given = [
        shift('2027-01-01', { id: 11, start_time: '12:00' }),
        shift('2027-01-01', { id: 12, start_time: '08:00' }),
        shift('2027-01-02', { id: 10, start_time: '12:00' }),
        shift('2027-01-02', { id: 13, start_time: '08:00' }),
        shift('2027-01-02', { id: 14, start_time: '09:00' }),
        shift('2027-01-02', { id: 15, start_time: '07:00' }),
      ];
      await importDocument(store, acme(given), { replace: false, dryRun: false });
      const slices: number[][] = [];
      let after: ShiftPlace | undefined;
      do {
        const slice = await store.shiftsBetween(account.id, '2027-01-01', '2027-01-03', 3, after);
        slices.push(slice.shifts.map(({ id }) => id));
        after = slice.next;
      } while (after !== undefined);
      assert.deepEqual(slices, [[12, 11], [13, 14, 10], [15]]);
    });

    test('long remarks make slices shorter', async (context) => {
      const { store, account } = await setUp(context);
      const given = Array.from({ length: 60 }, (_, i) =>
        shift('2027-01-01', { id: 10 + i, remarks: 'x'.repeat(10_000) }),
      );
      await importDocument(store, acme(given), { replace: false, dryRun: false });
      const days = [account.id, '2027-01-01', '2027-01-01'] as const;
      const first = await store.shiftsBetween(...days, 2_000);
      assert.deepEqual([first.shifts.length, first.next], [50, { date: '2027-01-01', id: 59 }]);
      const rest = await store.shiftsBetween(...days, 2_000, first.next);
      assert.deepEqual([rest.shifts.length, rest.next], [10, undefined]);
    });

    test('people of a large account come in slices, and whoever has many shifts is removed in parts', async (context) => {
      const { store, account, url } = await setUp(context);
      const people = Array.from({ length: 1_001 }, (_, i) => ({ id: i + 1, name: `Person ${i + 1}` }));
      const shifts = Array.from({ length: 1_001 }, (_, i) =>
        shift('2027-01-01', { id: 10 + i, person_id: 1 }),
      );
      await importDocument(store, acme(shifts, { people }), { replace: false, dryRun: false });
      const first = await store.slice('people', account.id, 0);
      assert.deepEqual([first.records.length, first.records[0]?.shifts, first.next], [1_000, 1_000, 1_000]);
      const rest = await store.slice('people', account.id, 1_000);
      assert.deepEqual(rest, { records: [{ id: 1_001, name: 'Person 1001', shifts: 0 }], next: undefined });
      assert.equal((await Array.fromAsync(store.names('people', account.id))).flat().length, 1_001);
      assert.equal((await store.list('people', account.id))[0]?.shifts, 1_001);

      if (kind === 'sqlite') {
        runSql(
          url,
          `CREATE TRIGGER no BEFORE UPDATE ON shifts WHEN OLD.id = 900 BEGIN SELECT RAISE(ABORT, 'no'); END`,
        );
        await assert.rejects(store.remove('people', account.id, 1), /no/);
        const [interrupted] = await store.list('people', account.id);
        assert.deepEqual(
          [interrupted?.name, interrupted?.shifts],
          ['Person 1', 201],
          'it can be removed again',
        );
        runSql(url, 'DROP TRIGGER no');
      }
      const before = (await store.list('people', account.id))[0]?.shifts;
      const ended: string[] = [];
      const removal = store.remove('people', account.id, 1).finally(() => ended.push('the removal'));
      await store.findAccount('acme').finally(() => ended.push('who asks meanwhile'));
      assert.deepEqual(await removal, { isRemoved: true, shifts: before });
      assert.deepEqual(ended, ['who asks meanwhile', 'the removal']);
      const after = await store.list('people', account.id);
      assert.deepEqual([after.length, after[0]?.id], [1_000, 2]);
    });
  });
