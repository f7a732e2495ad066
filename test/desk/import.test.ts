import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DATABASES, runSql } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';
import { openDesk } from './desk.ts';

const PLAN =
  'date,start_time,end_time,group,person\n2026-12-01,09:00,17:00,Kitchen,Ada\n2026-12-02,09:00,17:00,Bar,Bo\n';
/** The file has nothing of it. */
const YARD = { id: 2, name: 'Yard', active: true, private: false };
const ANSWERS = [['published-from', 'today']] as const;

/** What both databases do alike is tried on PostgreSQL in the long tests. */
for (const kind of DATABASES.slice(0, often(1, 2)))
  describe(`An import at the desk on ${kind}`, () => {
    async function setUp(context: Parameters<typeof openDesk>[0]) {
      const desk = await openDesk(context, { kind, hasProcesses: isLong });
      const noon = shift('2026-12-01', { id: 1, start_time: '12:00', group_id: YARD.id });
      await desk.import(acme([noon], { groups: [KITCHEN, YARD] }));
      const planner = await desk.visitor(await desk.key('acme', 'Noor'));
      return { desk, planner };
    }

    test('asks, previews, imports what the next request of the API lists, and is taken back', async (context) => {
      const { desk, planner } = await setUp(context);
      const now = '2026-11-18T12:00:00Z';
      const service = await startService(context, { now, databaseUrl: desk.databaseUrl });
      const token = await service.token('acme');
      const before = await service.list('acme', '?years=2026', token);

      const id = await planner.upload('Plan <b>.csv', PLAN);
      const asked = await planner.resultOf(id);
      assert.equal(asked.kind, 'questions');
      await planner.post(`imports/${id}/read`, { answers: ANSWERS });
      const preview = await planner.resultOf(id);
      assert.equal(preview.kind, 'preview');
      assert.deepEqual(preview.counts, {
        groups: { added: 1, changed: 0, removed: 0, unchanged: 0 },
        locations: { added: 0, changed: 0, removed: 0, unchanged: 0 },
        people: { added: 2, changed: 0, removed: 0, unchanged: 0 },
        shifts: { added: 2, changed: 0, removed: 0, unchanged: 0 },
      });
      const { changes } = await planner.get(`imports/${id}/changes?offset=3&limit=1`);
      assert.deepEqual(
        changes.map(({ kind, day }: { kind: string; day: string }) => [kind, day]),
        [['added', '2026-12-01']],
      );
      const { shifts } = await planner.get(`imports/${id}/shifts?from=2026-11-01&to=2026-12-01`);
      assert.deepEqual(
        shifts.map((found: { date: string; start_time: string }) => `${found.date} ${found.start_time}`),
        ['2026-12-01 09:00', '2026-12-01 12:00'],
      );
      assert.deepEqual(await service.list('acme', '?years=2026', token), before, 'nothing is written yet');

      await planner.post(`imports/${id}/import`, { digest: preview.digest });
      const done = await planner.resultOf(id);
      assert.equal(done.kind, 'imported');
      assert.equal((await service.list('acme', '?years=2026', token)).meta.total, 3);

      const { entries, undo } = await planner.get('history');
      assert.deepEqual(
        [entries[0].who, entries[0].file, entries[0].action, undo.entry, done.entry],
        ['Noor', 'Plan <b>.csv', 'import', entries[0].id, entries[0].id],
      );
      const taken = await planner.post('undo', { entry: undo.entry });
      const { sentences } = await planner.resultOf(taken.id);
      assert.match(
        (sentences as string[])[0] ?? '',
        /^The import of Plan <b>\.csv at 2\d{3}-\d\d-\d\d \d\d:\d\d is taken back\.$/,
      );
      assert.deepEqual((await service.list('acme', '?years=2026', token)).shifts, before.shifts);
      const again = await planner.send('POST', 'undo', { entry: undo.entry });
      assert.equal(again.status, 409);
    });

    test('answers are kept, so the next file of that layout needs none', async (context) => {
      const { desk, planner } = await setUp(context);
      const importWithAnswers = async (id: string) => {
        await planner.post(`imports/${id}/read`, { answers: ANSWERS });
        const { digest } = await planner.resultOf(id);
        await planner.post(`imports/${id}/import`, { digest });
        assert.equal((await planner.resultOf(id)).kind, 'imported');
      };
      const first = await planner.upload('plan.csv', PLAN);
      await planner.resultOf(first);
      await importWithAnswers(first);
      const second = await planner.upload('plan.csv', PLAN.replace('Ada', 'Cy'));
      const preview = await planner.resultOf(second);
      assert.equal(preview.kind, 'preview');
      assert.deepEqual(
        (preview.answers as { option: string; value: string }[]).map(({ option, value }) => [option, value]),
        ANSWERS,
      );
      assert.equal(preview.keptAt, '2026-11-18T12:00:00.000Z');
      const third = await planner.upload('plan.csv', PLAN.replace('start_time', 'from'));
      assert.equal((await planner.resultOf(third)).kind, 'questions', 'another layout starts afresh');
      if (kind !== 'sqlite' || !isLong) return;
      runSql(desk.databaseUrl, 'CREATE UNIQUE INDEX one_layout ON desk_layouts (used_at)');
      await importWithAnswers(third);
      const told = desk.log.filter((line) => line.includes('could not be kept'));
      assert.equal(told.length, 1, 'a failure to keep them is logged');
      assert.doesNotMatch(told[0] ?? '', /published-from|plan\.csv/);
    });

    test('what was previewed is imported, or nothing: a change in between shows a new preview', async (context) => {
      const { desk, planner } = await setUp(context);
      const id = await planner.upload('plan.csv', PLAN);
      await planner.resultOf(id);
      await planner.post(`imports/${id}/read`, { answers: ANSWERS });
      const preview = await planner.resultOf(id);
      await desk.import({ account: { slug: 'acme' }, people: [{ id: 7, name: 'Ada' }] });
      await planner.post(`imports/${id}/import`, { digest: preview.digest });
      const again = await planner.resultOf(id);
      assert.equal(again.kind, 'preview');
      assert.equal(again.isChangedSince, true);
      assert.notEqual(again.digest, preview.digest);
      assert.equal((await planner.get('history')).entries[0].who, 'Shiftfeed', 'nothing was imported');
      const old = await planner.send('POST', `imports/${id}/import`, { digest: preview.digest });
      assert.equal(old.status, 409);
      await planner.post(`imports/${id}/import`, { digest: again.digest });
      assert.equal((await planner.resultOf(id)).kind, 'imported');
    });

    test('what a preview shows can be asked for until its file is imported', async (context) => {
      const { desk, planner } = await setUp(context);
      const id = await planner.upload('plan.csv', PLAN);
      await planner.resultOf(id);
      const asked = [`imports/${id}/changes?offset=0`, `imports/${id}/shifts?from=2026-12-01&to=2026-12-31`];
      const shown = () => Promise.all(asked.map((path) => planner.get(path)));
      const refusal = async () => (await planner.send('GET', asked[0] ?? '')).status;
      assert.equal(await refusal(), 409, 'there are questions first');
      await planner.post(`imports/${id}/read`, { answers: ANSWERS });
      const { digest } = await planner.resultOf(id);
      const before = await shown();
      assert.equal(before[1].shifts.length, 3);
      // Another change is being written, so this one waits.
      await desk.store.write(async (transaction) => {
        await transaction.lockAccount('acme');
        await planner.post(`imports/${id}/import`, { digest });
        assert.deepEqual(await shown(), before);
        assert.equal((await planner.get(`imports/${id}`)).state, 'importing');
        return false;
      });
      assert.equal((await planner.resultOf(id)).kind, 'imported');
      assert.equal(await refusal(), 409);
    });

    test('the calendar of a preview has the names of after it, also of shifts that stay', async (context) => {
      const { desk } = await setUp(context);
      const owner = await desk.visitor(await desk.key('acme', 'Olga', 'owner'));
      const stays = shift('2027-01-05', { id: 10, location_id: 1, person_id: 1 });
      const document = (group: object, address: string, name: string) =>
        acme([stays], {
          groups: [{ id: 1, ...group }],
          locations: [{ id: 1, name: 'Shop', address }],
          people: [{ id: 1, name }],
        });
      await desk.import(document({ name: 'Kitchen', active: true }, 'Here', 'Ada'));
      const after = document({ name: 'Bakery', active: false }, 'There', 'Grace');
      const id = await owner.upload('plan.json', JSON.stringify(after));
      assert.equal((await owner.resultOf(id)).kind, 'preview');
      const { shifts } = await owner.get(`imports/${id}/shifts?from=2027-01-05&to=2027-01-05`);
      const { group_id, location_id, person_id, ...shown } = stays;
      const bakery = { group: { id: 1, name: 'Bakery' }, active: false };
      const shop = { id: 1, name: 'Shop', address: 'There' };
      assert.deepEqual(shifts, [{ ...shown, ...bakery, location: shop, person: { id: 1, name: 'Grace' } }]);
    });

    test('the calendar of a preview has every shift, however many are removed', async (context) => {
      const { desk, planner } = await setUp(context);
      const day = (i: number) => `2027-01-${String(1 + (i % 31)).padStart(2, '0')}`;
      const many = Array.from({ length: 3_000 }, (_, i) => shift(day(i), { id: i + 10 }));
      await desk.import(acme(many));
      const kept = many.slice(2_001);
      const id = await planner.upload('plan.json', JSON.stringify(acme(kept)));
      await planner.resultOf(id);
      await planner.post(`imports/${id}/read`, {
        answers: [
          ['replace-days', 'true'],
          ['allow-removals', 'true'],
        ],
      });
      assert.equal((await planner.resultOf(id)).kind, 'preview');
      /** As the page does: of days with more than one answer holds, each half is asked for. */
      const read = async (from: number, to: number): Promise<number[]> => {
        const days = `from=${day(from)}&to=${day(to)}`;
        const { shifts, more } = await planner.get(`imports/${id}/shifts?${days}`);
        if (!more) return shifts.map((found: { id: number }) => found.id);
        const middle = Math.floor((from + to) / 2);
        return [...(await read(from, middle)), ...(await read(middle + 1, to))];
      };
      assert.deepEqual(new Set(await read(0, 30)), new Set(kept.map((one) => one.id)));
    });

    test('a file that is discarded is gone, and another account never sees one', async (context) => {
      const { desk, planner } = await setUp(context);
      await desk.import({ account: { slug: 'other', time_zone: 'UTC' } });
      const stranger = await desk.visitor(await desk.key('other', 'Eve', 'owner'));
      const id = await planner.upload('plan.csv', PLAN);
      for (const path of ['', '/changes', '/shifts?from=2026-01-01&to=2026-01-02'])
        assert.equal((await stranger.send('GET', `imports/${id}${path}`)).status, 404);
      assert.equal((await stranger.send('POST', `imports/${id}/read`, { answers: [] })).status, 404);
      assert.equal((await stranger.send('DELETE', `imports/${id}`)).status, 404);
      assert.equal((await planner.send('DELETE', `imports/${id}`)).status, 204);
      assert.equal((await planner.send('GET', `imports/${id}`)).status, 404);
    });

    test('a document of another account is refused, and so is what only an owner may change', async (context) => {
      const { desk, planner } = await setUp(context);
      const read = async (document: object) =>
        planner.resultOf(await planner.upload('plan.json', JSON.stringify(document)));
      const foreign = await read({ account: { slug: 'other' } });
      assert.equal(
        foreign.message,
        'Nothing was imported: the document is for the account "other", not "acme".',
      );
      const moved = await read({ account: { slug: 'acme', time_zone: 'Europe/Paris' } });
      assert.equal(moved.kind, 'mistakes');
      assert.equal((moved.problems as object[]).length, 1);
      const owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));
      const id = await owner.upload(
        'plan.json',
        JSON.stringify({ account: { slug: 'acme', premium: false } }),
      );
      assert.equal((await owner.resultOf(id)).kind, 'mistakes', 'not even an owner decides that');
    });
  });
