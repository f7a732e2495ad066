/** What a document does to records that are there already, or are not. Much of it is also tried in any-document.test.ts. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { BARE_SHIFT, importer } from './importer.ts';

describe('a field that is left out', () => {
  test('takes its default on a new record', async (t) => {
    const { run, account, record } = await importer(t);
    await run({
      account: { slug: 'acme' },
      groups: [{ id: 1, name: 'Kitchen' }],
      locations: [{ id: 7, name: 'Harbour' }],
      people: [{ id: 3, name: 'Ada' }],
      shifts: [BARE_SHIFT],
    });
    const { id: _, ...settings } = await account();
    assert.deepEqual(settings, { slug: 'acme', name: 'acme', premium: false, timeZone: 'UTC', sort: 'time' });
    assert.deepEqual(await record('groups', 1), { id: 1, name: 'Kitchen', active: true, private: false });
    assert.deepEqual(await record('locations', 7), { id: 7, name: 'Harbour', address: '' });
    assert.deepEqual(await record('shifts', 1), {
      ...BARE_SHIFT,
      end_date: '2026-12-01',
      location_id: null,
      person_id: null,
      remarks: '',
      starred: false,
      cancelled: false,
      noshow: false,
    });
  });

  test('keeps its value on a known record', async (t) => {
    const { run, account, record } = await importer(t);
    const known = {
      account: { slug: 'acme', name: 'Acme', premium: true, time_zone: 'Asia/Tokyo', sort: 'group' },
      groups: [{ id: 1, name: 'Kitchen', active: false, private: true }],
      locations: [{ id: 7, name: 'Harbour', address: 'Quay 1' }],
      people: [{ id: 3, name: 'Ada' }],
      shifts: [
        shift('2026-12-01', {
          id: 1,
          end_date: '2026-12-03',
          location_id: 7,
          person_id: 3,
          remarks: 'Keys',
          starred: true,
          cancelled: true,
          noshow: true,
        }),
      ],
    };
    await run(known);
    const settings = await account();
    // Each has something else that changes, so that all of it is written.
    await run({
      account: { slug: 'acme', name: 'Other' },
      groups: [{ id: 1, name: 'Other' }],
      locations: [{ id: 7, name: 'Other' }],
      people: [{ id: 3 }],
      shifts: [{ id: 1, publish_date: '2001-01-01' }],
    });
    assert.deepEqual(await account(), { ...settings, name: 'Other' });
    assert.deepEqual(await record('groups', 1), { ...known.groups[0], name: 'Other' });
    assert.deepEqual(await record('locations', 7), { ...known.locations[0], name: 'Other' });
    assert.deepEqual(await record('people', 3), known.people[0]);
    assert.deepEqual(await record('shifts', 1), { ...known.shifts[0], publish_date: '2001-01-01' });
  });

  test('is not the same as null, which takes a value away', async (t) => {
    const { run, record } = await importer(t);
    const rest = { locations: [{ id: 7, name: 'Harbour' }], people: [{ id: 3, name: 'Ada' }] };
    await run(acme([shift('2026-12-01', { id: 1, location_id: 7, person_id: 3, remarks: 'Keys' })], rest));
    await run({
      account: { slug: 'acme' },
      shifts: [{ id: 1, location_id: null, person_id: null, remarks: null }],
    });
    const { location_id, person_id, remarks } = await record('shifts', 1);
    assert.deepEqual(
      { location_id, person_id, remarks },
      { location_id: null, person_id: null, remarks: '' },
    );
  });
});

test('what a shift refers to is looked for in its own account', async (t) => {
  const { run, problems } = await importer(t);
  await run({ account: { slug: 'other' }, groups: [{ id: 5, name: 'Bar' }] });
  assert.deepEqual(await problems(acme([shift('2026-12-01', { id: 4, group_id: 5 })])), [
    { place: 'shifts[0].group_id', id: 4, message: 'there is no group 5 in the document or the account' },
  ]);
});

test('ids count per account and kind, up to the largest', async (t) => {
  const { run, record } = await importer(t);
  const id = Number.MAX_SAFE_INTEGER;
  const document = {
    groups: [{ id, name: 'Kitchen' }],
    locations: [{ id, name: 'Harbour' }],
    people: [{ id, name: 'Ada' }],
    shifts: [{ ...BARE_SHIFT, id, group_id: id, location_id: id, person_id: id }],
  };
  await run({ account: { slug: 'other' }, ...document });
  await run({ account: { slug: 'acme' }, ...document });
  assert.partialDeepStrictEqual(await record('shifts', id), {
    id,
    group_id: id,
    location_id: id,
    person_id: id,
  });
});
