/** Random documents do to random accounts, on both databases, what an oracle says. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { describeProblem } from '../../src/import/problems.ts';
import { DATABASES } from '../support/database.ts';
import { often } from '../support/strength.ts';
import { importer } from './importer.ts';
import { type AccountContents, importInto, NAMES, type Outcome, sorted } from './oracle.ts';
import { documents, START } from './random-document.ts';

const NONE: AccountContents = {
  groups: new Map(),
  locations: new Map(),
  people: new Map(),
  shifts: new Map(),
};
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
    { numRuns: often(12, 250) },
  );
  assert.ok(good > runs && bad > often(0, runs / 2), `${good} good ones and ${bad} bad ones`);
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
