/** An account has shifts in at most 2,400 months, and so many groups, locations and people, whatever it is imported from. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { DATABASES } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { importer } from './importer.ts';

const TOO_MANY = {
  place: '',
  message:
    'the account would have shifts in 2,401 different months, those that once had shifts included: 2,400 are the most',
};
const FIRST_YEAR = 1900;
const monthsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const month = String(1 + (i % 12)).padStart(2, '0');
    return shift(`${FIRST_YEAR + Math.floor(i / 12)}-${month}-15`, { id: 1 + i });
  });
const NEXT = shift('2100-01-01', { id: MAX_MONTHS + 1 });

for (const database of DATABASES.slice(0, often(1, 2)))
  describe(`the months of an account on ${database}`, () => {
    test('may be 2,400, and not one more', async (t) => {
      const { run, problems, sheetProblems, plan, contents } = await importer(t, database);
      await run(acme(monthsOf(MAX_MONTHS)));
      assert.equal((await contents()).months.length, MAX_MONTHS);
      const before = await plan();
      for (const dryRun of [false, true])
        assert.deepEqual(await problems(acme([NEXT]), { dryRun }), [TOO_MANY]);
      const sheet = 'date,start_time,end_time,group,publish_date\n2100-01-01,9:00,17:00,Kitchen,2026-01-01\n';
      assert.deepEqual(await sheetProblems(sheet), [TOO_MANY.message]);
      assert.deepEqual(await plan(), before);
      await run(acme([{ id: 1, remarks: 'as before, in its month' }, shift('1900-02-01', { id: 9_999 })]));
    });

    test('are counted of a new account, too, and those that lost their shifts stay counted', async (t) => {
      const { run, problems, store, contents } = await importer(t, database);
      assert.deepEqual(await problems(acme([...monthsOf(MAX_MONTHS), NEXT])), [TOO_MANY]);
      assert.equal(await store.findAccount('acme'), undefined);
      await run(acme(monthsOf(MAX_MONTHS)));
      await run(acme(monthsOf(1)), { replace: true });
      assert.equal((await contents()).months.length, 1);
      assert.deepEqual(await problems(acme([NEXT])), [TOO_MANY]);
    });
  });

for (const [table, most] of Object.entries({ groups: 5_000, locations: 5_000, people: 50_000 }))
  test(`there may be ${most} ${table}, and not one more`, async (t) => {
    const { run, problems, sheetProblems, contents } = await importer(t);
    const some = (count: number, first = 1) =>
      Array.from({ length: count }, (_, i) => ({ id: first + i, name: `N${first + i}` }));
    const document = (records: readonly object[]) => ({ account: { slug: 'acme' }, [table]: records });
    await run(document(some(most)));
    const full = most.toLocaleString('en');
    const more = (most + 2).toLocaleString('en');
    const message = `the account would have ${more} ${table}: ${full} are the most`;
    assert.deepEqual(await problems(document(some(2, most + 1))), [{ place: '', message }]);
    assert.deepEqual(await problems(document(some(2, most + 1)), { dryRun: true }), [{ place: '', message }]);
    assert.equal((await contents())[table as 'people'], most);
    // Those that are there can be changed, and others can take their place.
    await run(document([{ id: 1, name: 'Changed' }]));
    await run(document(some(most, 3)), { replace: true });
    if (table !== 'people') return;
    const sheet = 'date,start_time,end_time,group,publish_date,person\n2100-01-01,9:00,17:00,Bar,2026-01-01,';
    const one = (most + 1).toLocaleString('en');
    assert.deepEqual(await sheetProblems(`${sheet}Ada`), [message.replace(more, one)]);
  });
