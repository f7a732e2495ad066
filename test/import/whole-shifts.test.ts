/** Shifts that are compared and written all at once become the same as if each was completed by itself. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { completeRecord, isSameRecord } from '../../src/import/complete.ts';
import type { RecordOf, StagedRecord } from '../../src/store/records.ts';
import { DATABASES } from '../support/database.ts';
import { ACME } from '../support/document.ts';
import { importer } from './importer.ts';

const NAMES = {
  account: ACME,
  groups: [1, 2].map((id) => ({ id, name: `Group ${id}` })),
  locations: [1, 2].map((id) => ({ id, name: `Location ${id}` })),
  people: [1, 2].map((id) => ({ id, name: `Person ${id}` })),
};

/** Of few values each, so that many stay the same. */
const optional = {
  end_date: fc.constantFrom(null, '2026-12-03', '2026-12-04'),
  location_id: fc.constantFrom(null, 1, 2),
  person_id: fc.constantFrom(null, 1),
  remarks: fc.constantFrom('', 'Keys\t\\N\n"x"', 'é'),
  starred: fc.boolean(),
  cancelled: fc.constant(false),
  noshow: fc.boolean(),
};
const needed = {
  date: fc.constantFrom('2026-12-01', '2026-12-02'),
  start_time: fc.constantFrom('09:00', '22:00'),
  end_time: fc.constantFrom('06:00', '17:00'),
  group_id: fc.constantFrom(1, 2),
  publish_date: fc.constantFrom('2026-10-01', '2026-11-01'),
};
const shift = fc.record(
  { ...needed, ...optional },
  { requiredKeys: Object.keys(needed) as (keyof typeof needed)[] },
);
const SHIFTS = 300;

for (const database of DATABASES)
  describe(`whole shifts, on ${database}`, () => {
    test('keep what they leave out, and are counted right', async (t) => {
      const { run, records } = await importer(t, database);
      const [before = [], given = []] = fc
        .sample(fc.array(shift, { minLength: SHIFTS, maxLength: SHIFTS }), { numRuns: 2, seed: 7 })
        .map((shifts) => shifts.map((one, i) => ({ id: i + 1, ...one })));
      // The last ones are new.
      await run({ ...NAMES, shifts: before.slice(0, -50) });
      const existing = new Map((await records('shifts')).map((record) => [record.id, record]));
      assert.equal(existing.size, SHIFTS - 50);

      // A third says the same again, or leaves out whatever it can.
      const document = given.map((one, i) =>
        i % 3 === 0 && before[i] ? { ...before[i], end_date: existing.get(i + 1)?.end_date ?? null } : one,
      );
      const expected: RecordOf<'shifts'>[] = document.map((one) => {
        const known = existing.get(one.id);
        return onlyColumns(
          completeRecord('shifts', one as StagedRecord<'shifts'>, known, known === undefined).record,
        );
      });
      const summary = await run({ account: ACME, shifts: document });
      assert.deepEqual(await records('shifts'), expected);
      const isKnown = ({ id }: { id: number }) => existing.has(id);
      const unchanged = expected.filter((record) => {
        const known = existing.get(record.id);
        return known !== undefined && isSameRecord('shifts', known, record);
      }).length;
      assert.deepEqual(summary.tables.shifts, {
        added: expected.filter((record) => !isKnown(record)).length,
        changed: expected.filter(isKnown).length - unchanged,
        removed: 0,
        unchanged,
      });
      assert.ok(unchanged > 20);
    });
  });

function onlyColumns(record: RecordOf<'shifts'>): RecordOf<'shifts'> {
  const { id, date, start_time, end_time, end_date, group_id, location_id, person_id } = record;
  const { publish_date, remarks, starred, cancelled, noshow } = record;
  const when = { id, date, start_time, end_time, end_date, group_id, location_id, person_id };
  return { ...when, publish_date, remarks, starred, cancelled, noshow };
}
