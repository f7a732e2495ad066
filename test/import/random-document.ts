/** Random documents of few values, so that much stays the same from one to the next. */

import fc from 'fast-check';
import { BAD } from './oracle.ts';

const rarelyBad = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary }, { weight: 1, arbitrary: fc.constant(BAD) });

/** Wild ones repeat ids, refer to nothing and have bad values. */
export function documents(isWild: boolean) {
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

const named = [1, 2, 3].map((id) => ({ id, name: `Number ${id}` }));
/** What the shifts of tame documents refer to. */
export const START = { groups: named, locations: named, people: named };
