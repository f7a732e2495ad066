import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { DatabaseKind } from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

/** What is here is decided by code that both share. */
const database = often<DatabaseKind>('sqlite', 'postgres');
describe(`The response, on ${database}`, async () => {
  const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });

  test('a response is, to the byte, what the specification describes', async () => {
    await service.import({
      account: ACME,
      groups: [KITCHEN],
      locations: [
        { id: 7, name: 'Harbour', address: 'Quay 1' },
        { id: 8, name: 'Nowhere' },
      ],
      people: [{ id: 3, name: 'Ada "the first" Łovelace 🎉' }],
      shifts: [
        {
          id: 100,
          date: '2026-12-31',
          start_time: '22:00',
          end_time: '06:00',
          group_id: 1,
          location_id: 7,
          person_id: 3,
          publish_date: '2026-11-01',
          remarks: 'Line 1\nLine 2',
          starred: true,
          cancelled: true,
          noshow: true,
        },
        {
          id: 101,
          date: '2027-01-01',
          start_time: '00:00',
          end_time: '23:59',
          group_id: 1,
          publish_date: '2026-11-15',
          location_id: 8,
        },
        {
          id: 102,
          date: '2027-01-02',
          start_time: '09:00',
          end_time: '09:00',
          group_id: 1,
          publish_date: '2026-11-15',
        },
      ],
    });
    const response = await service.get('acme', '', await service.token('acme'));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'private, no-cache');
    const body = await response.text();
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(body)));
    assert.equal(
      body,
      '{"shifts":[' +
        '{"id":100,"date":"2026-12-31","start_time":"22:00","end_time":"06:00","end_date":"2027-01-01",' +
        '"group":{"id":1,"name":"Kitchen"},"location":{"name":"Harbour","address":"Quay 1"},' +
        '"person":{"name":"Ada \\"the first\\" Łovelace 🎉"},"publish_date":"2026-11-01",' +
        '"remarks":"Line 1\\nLine 2","starred":true,"cancelled":true,"noshow":true},' +
        '{"id":101,"date":"2027-01-01","start_time":"00:00","end_time":"23:59","end_date":"2027-01-01",' +
        '"group":{"id":1,"name":"Kitchen"},"location":{"name":"Nowhere","address":""},' +
        '"person":null,"publish_date":"2026-11-15",' +
        '"remarks":"","starred":false,"cancelled":false,"noshow":false},' +
        '{"id":102,"date":"2027-01-02","start_time":"09:00","end_time":"09:00","end_date":"2027-01-03",' +
        '"group":{"id":1,"name":"Kitchen"},"location":null,"person":null,"publish_date":"2026-11-15",' +
        '"remarks":"","starred":false,"cancelled":false,"noshow":false}' +
        '],"meta":{"total":3,"page":1,"per_page":500,"total_pages":1}}',
    );
  });

  test('an account without shifts has an empty listing', async () => {
    await service.import({ account: { slug: 'empty', premium: true } });
    const body = await (await service.get('empty', '', await service.token('empty'))).text();
    assert.equal(body, '{"shifts":[],"meta":{"total":0,"page":1,"per_page":500,"total_pages":0}}');
  });

  const groups = ['Team 10', 'Team 9', 'apple', 'Äpfel', 'Zebra'].map((name, i) => ({ id: i + 1, name }));
  const unsorted = [
    shift('2026-12-02', { id: 1, start_time: '08:00', group_id: 1 }),
    shift('2026-12-01', { id: 9, start_time: '10:00', group_id: 5 }),
    shift('2026-12-01', { id: 8, start_time: '08:00', group_id: 1 }),
    shift('2026-12-01', { id: 7, start_time: '09:00', group_id: 2 }),
    shift('2026-12-01', { id: 3, start_time: '09:00', group_id: 2 }),
    shift('2026-12-01', { id: 5, start_time: '08:00', group_id: 2 }),
    shift('2026-12-01', { id: 4, start_time: '07:00', group_id: 4 }),
    shift('2026-12-01', { id: 6, start_time: '11:00', group_id: 3 }),
  ];

  test('shifts are sorted by date, start time and id', async () => {
    await service.import({ account: { ...ACME, slug: 'by-time', sort: 'time' }, groups, shifts: unsorted });
    const { shifts } = await service.list('by-time', '', await service.token('by-time'));
    assert.deepEqual(
      shifts.map(({ id }) => id),
      [4, 5, 8, 3, 7, 9, 6, 1],
    );
  });

  test('an account sorted by group has date, group name as people read it, start time and id', async () => {
    await service.import({
      account: { ...ACME, slug: 'by-group', sort: 'group' },
      groups,
      shifts: unsorted,
    });
    const { shifts } = await service.list('by-group', '', await service.token('by-group'));
    assert.deepEqual(
      shifts.map(({ id, group }) => `${group.name} ${id}`),
      ['Äpfel 4', 'apple 6', 'Team 9 5', 'Team 9 3', 'Team 9 7', 'Team 10 8', 'Zebra 9', 'Team 10 1'],
    );
  });

  test('groups whose names only differ in leading zeros are sorted as one, by start time and id', async () => {
    await service.import({
      account: { ...ACME, slug: 'equal-names', sort: 'group' },
      groups: ['Team 1', 'Team 01', 'Bar'].map((name, i) => ({ id: i + 1, name })),
      shifts: [
        shift('2026-12-01', { id: 1, start_time: '10:00', group_id: 1 }),
        shift('2026-12-01', { id: 2, start_time: '09:00', group_id: 2 }),
        shift('2026-12-01', { id: 3, start_time: '09:00', group_id: 1 }),
        shift('2026-12-01', { id: 4, start_time: '08:00', group_id: 1 }),
        shift('2026-12-01', { id: 5, start_time: '11:00', group_id: 2 }),
        shift('2026-12-01', { id: 6, start_time: '12:00', group_id: 3 }),
      ],
    });
    const { shifts } = await service.list('equal-names', '', await service.token('equal-names'));
    assert.deepEqual(
      shifts.map(({ id, group }) => `${group.name} ${id}`),
      ['Bar 6', 'Team 1 4', 'Team 01 2', 'Team 1 3', 'Team 1 1', 'Team 01 5'],
    );
  });

  test('HEAD has the status and the headers of GET, and no body', async () => {
    const token = await service.token('by-time');
    for (const [query, bearer] of [
      ['', token],
      ['?months=13', token],
      ['', undefined],
    ] as const) {
      const get = await service.get('by-time', query, bearer);
      const head = await service.get('by-time', query, bearer, { method: 'HEAD' });
      assert.equal(head.status, get.status);
      assert.equal(await head.text(), '');
      const ofTheMoment = ['date', 'connection', 'keep-alive', 'x-request-id'];
      const plain = (response: Response) =>
        [...response.headers].filter(([name]) => !ofTheMoment.includes(name));
      assert.deepEqual(plain(head), plain(get));
    }
  });
});

test('every listing says in which time zone its dates and times are meant, changed or not', async (context) => {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  await service.import({ ...acme([shift('2026-12-01')]), account: { ...ACME, time_zone: 'Asia/Kolkata' } });
  const token = await service.token('acme');
  const zoneOf = (response: Response) => response.headers.get('shiftfeed-time-zone');
  const listed = await service.get('acme', '', token);
  assert.equal(zoneOf(listed), 'Asia/Kolkata');
  const headers = { 'if-none-match': listed.headers.get('etag') ?? '' };
  const unchanged = await service.get('acme', '', token, { headers });
  assert.deepEqual([unchanged.status, zoneOf(unchanged)], [304, 'Asia/Kolkata']);
  await service.import({ account: { slug: 'acme', time_zone: 'Europe/Lisbon' } });
  assert.equal(zoneOf(await service.get('acme', '', token)), 'Europe/Lisbon');
});
