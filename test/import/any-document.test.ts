/** Random documents do to random accounts, on both databases, what an oracle says. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { describeProblem } from '../../src/import/problems.ts';
import { DATABASES } from '../support/database.ts';
import { often } from '../support/strength.ts';
import { importer } from './importer.ts';
import { type AccountContents, BAD, importInto, NAMES, type Outcome, sorted } from './oracle.ts';

const rarelyBad = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary }, { weight: 1, arbitrary: fc.constant(BAD) });

/** Of few values each, so that many stay the same. Wild ones repeat ids, refer to nothing and have bad values. */
function documents(isWild: boolean) {
  const mayBeBad: typeof rarelyBad = isWild ? rarelyBad : (arbitrary) => arbitrary;
  const flag = fc.boolean();
  const id = mayBeBad(fc.integer({ min: 1, max: 6 }));
  const reference = mayBeBad(fc.integer({ min: 1, max: isWild ? 4 : 3 }));
  const name = mayBeBad(fc.constantFrom('One', 'Two', 'Zoë\t\\N'));
  const list = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, needed: (keyof T)[]) => {
    const some = fc.record(fields, { requiredKeys: isWild ? [] : ['id' as keyof T] });
    const nearlyAll = fc.record(fields, { requiredKeys: ['id' as keyof T, ...needed] });
    const record = fc.oneof(some, { weight: 3, arbitrary: nearlyAll });
    return isWild
      ? fc.array(record, { maxLength: 6 })
      : fc.uniqueArray(record, { maxLength: 6, selector: (one) => (one as { id?: unknown }).id });
  };
  return fc.record(
    {
      shifts: list(
        {
          id,
          date: fc.constantFrom('2026-12-01', '2026-12-31', ...(isWild ? ['9999-12-31'] : [])),
          start_time: fc.constantFrom('09:00', '22:00'),
          end_time: mayBeBad(fc.constantFrom('06:00', '17:00', '22:30')),
          group_id: reference,
          publish_date: fc.constantFrom('2026-10-01', '2026-11-01'),
          end_date: fc.constantFrom(
            null,
            '2027-01-01',
            '2027-01-02',
            ...(isWild ? ['2026-12-01', '9999-12-31'] : []),
          ),
          location_id: fc.option(reference),
          person_id: fc.option(reference),
          remarks: fc.constantFrom(null, '', 'Keys\t\\N\n"x"', 'é'),
          starred: flag,
          cancelled: flag,
          noshow: flag,
        },
        ['date', 'start_time', 'end_time', 'group_id', 'publish_date'],
      ),
      groups: list({ id, name, active: flag, private: flag }, ['name']),
      locations: list({ id, name, address: fc.constantFrom(null, '', 'Quay 1') }, ['name']),
      people: list({ id, name }, ['name']),
    },
    { requiredKeys: [] },
  );
}

const NONE: AccountContents = {
  groups: new Map(),
  locations: new Map(),
  people: new Map(),
  shifts: new Map(),
};
const named = [1, 2, 3].map((id) => ({ id, name: `Number ${id}` }));
const START = { groups: named, locations: named, people: named };
const DAYS = { from: '2026-12-02', to: '2026-12-31' };
const step = fc.record({
  document: fc.oneof({ weight: 3, arbitrary: documents(false) }, documents(true)),
  removal: fc.constantFrom('none', 'none', 'all', 'days'),
});

test('whatever is imported after whatever else, both databases do what the oracle says', async () => {
  const stores = await Promise.all(DATABASES.map((database) => importer({ after }, database)));
  let runs = 0;
  let [good, bad] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const account = { slug: `any-${++runs}` };
      let contents = NONE;
      for (const { document, removal } of [{ document: START, removal: 'none' }, ...steps]) {
        const expected = importInto(
          contents,
          document,
          (table, { date }) =>
            removal === 'all' ||
            (removal === 'days' &&
              table === 'shifts' &&
              String(date) >= DAYS.from &&
              String(date) <= DAYS.to),
          removal === 'all',
        );
        const options = { replace: removal === 'all', ...(removal === 'days' && { replaceShifts: DAYS }) };
        for (const store of stores) {
          assert.deepEqual(await outcome(store, { account, ...document }, options), plain(expected));
        }
        contents = expected.contents;
        if (expected.problems.length > 0) bad++;
        else good++;
      }
    }),
    { numRuns: often(15, 250) },
  );
  assert.ok(good > runs && bad > runs / 2, `${good} good ones and ${bad} bad ones`);
});

/** What comes of an import, in the form of `plain`. */
async function outcome(
  { run, problems, records }: Awaited<ReturnType<typeof importer>>,
  document: { account: { slug: string } },
  options: object,
) {
  const told: string[] = [];
  let tables: unknown;
  await problems(document, {
    ...options,
    dryRun: true,
    onProblems: async (some) => void told.push(...some.map(describeProblem)),
  });
  if (told.length === 0) ({ tables } = await run(document, options));
  const contents = Object.fromEntries(
    await Promise.all(
      NAMES.map(async (table) => [
        table,
        (await records(table, document.account.slug)).map((one) => sorted({ ...one })),
      ]),
    ),
  );
  return { problems: told, tables, contents };
}

function plain({ problems, tables, contents }: Outcome) {
  const lists = NAMES.map((table) => [
    table,
    [...contents[table].values()].map(sorted).sort((a, b) => Number(a.id) - Number(b.id)),
  ]);
  return { problems, tables: problems.length > 0 ? undefined : tables, contents: Object.fromEntries(lists) };
}
