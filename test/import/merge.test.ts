/** What a document does to records that are there already, or are not. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
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
    const before = { account: await account(), shift: await record('shifts', 1) };

    await run({
      account: { slug: 'acme' },
      groups: [{ id: 1 }],
      locations: [{ id: 7 }],
      people: [{ id: 3 }],
      shifts: [{ id: 1 }],
    });
    assert.deepEqual({ account: await account(), shift: await record('shifts', 1) }, before);
    assert.deepEqual(await record('groups', 1), known.groups[0]);
    assert.deepEqual(await record('locations', 7), known.locations[0]);
    assert.deepEqual(await record('people', 3), known.people[0]);
  });

  test('is a problem on a new record that cannot do without', async (t) => {
    const { problems } = await importer(t);
    const document = {
      account: ACME,
      groups: [{ id: 1 }],
      locations: [{ id: 1 }],
      people: [{ id: 1 }],
      shifts: [{ id: 1 }, { id: 2, date: '2026-12-01', start_time: '09:00', publish_date: '2026-11-01' }],
    };
    assert.deepEqual(await problems(document), [
      { place: 'groups[0]', id: 1, message: 'is new and lacks name' },
      { place: 'locations[0]', id: 1, message: 'is new and lacks name' },
      { place: 'people[0]', id: 1, message: 'is new and lacks name' },
      {
        place: 'shifts[0]',
        id: 1,
        message: 'is new and lacks date, start_time, end_time, group_id, publish_date',
      },
      { place: 'shifts[1]', id: 2, message: 'is new and lacks end_time, group_id' },
    ]);
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

describe('what a shift refers to', () => {
  test('may be in the database only', async (t) => {
    const { run, record } = await importer(t);
    await run(acme([], { locations: [{ id: 7, name: 'Harbour' }], people: [{ id: 3, name: 'Ada' }] }));
    await run({ account: { slug: 'acme' }, shifts: [{ ...BARE_SHIFT, location_id: 7, person_id: 3 }] });
    assert.partialDeepStrictEqual(await record('shifts', 1), { group_id: 1, location_id: 7, person_id: 3 });
  });

  test('is a problem when it is nowhere', async (t) => {
    const { problems } = await importer(t);
    assert.deepEqual(
      await problems(acme([shift('2026-12-01', { id: 4, group_id: 8, location_id: 9, person_id: 10 })])),
      [
        { place: 'shifts[0].group_id', id: 4, message: 'there is no group 8 in the document or the account' },
        {
          place: 'shifts[0].location_id',
          id: 4,
          message: 'there is no location 9 in the document or the account',
        },
        {
          place: 'shifts[0].person_id',
          id: 4,
          message: 'there is no person 10 in the document or the account',
        },
      ],
    );
  });

  test('is looked for in its own account', async (t) => {
    const { run, problems } = await importer(t);
    await run({ account: { slug: 'other' }, groups: [{ id: 5, name: 'Bar' }] });
    assert.deepEqual(await problems(acme([shift('2026-12-01', { id: 4, group_id: 5 })])), [
      { place: 'shifts[0].group_id', id: 4, message: 'there is no group 5 in the document or the account' },
    ]);
  });
});

describe('ids', () => {
  test('that occur twice are problems, for every kind', async (t) => {
    const { problems } = await importer(t);
    const document = {
      account: ACME,
      groups: [KITCHEN, KITCHEN],
      locations: [
        { id: 7, name: 'Harbour' },
        { id: 7, name: 'Old Mill' },
      ],
      people: [
        { id: 3, name: 'Ada' },
        { id: 3, name: 'Ada' },
      ],
      shifts: [BARE_SHIFT, { ...BARE_SHIFT, id: 2 }, BARE_SHIFT],
    };
    assert.deepEqual(await problems(document), [
      { place: 'groups[1].id', message: '1 is the id of groups[0] too' },
      { place: 'locations[1].id', message: '7 is the id of locations[0] too' },
      { place: 'people[1].id', message: '3 is the id of people[0] too' },
      { place: 'shifts[2].id', message: '1 is the id of shifts[0] too' },
    ]);
  });

  test('count per account and kind, up to the largest', async (t) => {
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
});
