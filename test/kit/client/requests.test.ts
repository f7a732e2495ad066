/** What the client sends, and what it remembers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ShiftFilter, ShiftfeedClient, type ShiftfeedClientOptions } from '@shiftfeed/client';
import fc from 'fast-check';
import { makeMemory, writeQuery } from '../../../kit/client/src/ask.ts';
import { PARAMETERS, parseQuery } from '../../../src/http/listing/query.ts';
import { someShift } from './other-server.ts';

const ids = fc.array(fc.integer({ min: 1 }), { minLength: 1, maxLength: 4 });
const date = fc
  .integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31) })
  .map((ms) => new Date(ms).toISOString().slice(0, 10));
const anyFilter: fc.Arbitrary<ShiftFilter> = fc.record(
  {
    group_ids: ids,
    months: fc.subarray([1, 2, 11, 12], { minLength: 1 }),
    years: fc.subarray([1000, 2026, 9999], { minLength: 1 }),
    weeks: fc.subarray([1, 53], { minLength: 1 }),
    days: fc.subarray([1, 7], { minLength: 1 }),
    location_ids: ids,
    day: date,
    date_from: date,
    date_to: date,
    published: fc.constantFrom<true | false | 1 | 0>(true, false, 1, 0),
    page: fc.integer({ min: 1 }),
    per_page: fc.integer({ min: 1, max: 500 }),
  },
  { requiredKeys: [] },
);

test('the service reads a filter as it is meant, with every parameter', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      const written = Object.entries(filter).map(([name, value]) => `${name}=${value}`);
      assert.deepEqual(parseQuery(writeQuery(filter).slice(1)), parseQuery(written.join('&')));
      const turned = Object.fromEntries(Object.entries(filter).reverse());
      assert.equal(writeQuery(turned), writeQuery(filter));
    }),
  );
  assert.equal(writeQuery({}), '');
  assert.equal(Object.keys(PARAMETERS).length, 12);
});

test('a filter that another server might overlook is refused, and nothing is sent', async () => {
  const wrong: [object, RegExp][] = [
    [{ group_id: [1] }, /unknown part "group_id": known are group_ids,/],
    [{ toString: 1 }, /unknown part "toString"/],
    [{ group_ids: [] }, /group_ids is an empty list; expected a list of at least one whole number/],
    [{ group_ids: undefined }, /group_ids is undefined; .* Leave it out to list all\./],
    [{ group_ids: null }, /group_ids is null/],
    [{ group_ids: 1 }, /group_ids is 1/],
    [{ group_ids: [Number.NaN] }, /group_ids is \[NaN\]/],
    [{ group_ids: [1, undefined] }, /group_ids is \[1,undefined\]/],
    [{ group_ids: ['1'] }, /group_ids/],
    [{ years: [2026.5] }, /years is \[2026.5\]/],
    [{ day: '2026-02-30' }, /day is "2026-02-30"; expected a date/],
    [{ date_from: new Date(0) }, /date_from/],
    [{ published: 'false' }, /published is "false"; expected true, false, 1 or 0/],
    [{ published: 2 }, /published is 2/],
    [{ page: 0 }, /page is 0; expected a whole number from 1 on/],
  ];
  const client = new ShiftfeedClient({
    url: 'http://server/acme',
    token: 't',
    fetch: () => assert.fail('sent'),
  });
  for (const [filter, message] of wrong) {
    await assert.rejects(client.list(filter), { name: 'TypeError', message });
  }
});

test('the address of the account may end with a slash, and have a path before it', async () => {
  for (const [url, expected] of [
    ['http://server/acme', 'http://server/acme/api/v1/shifts?day=2026-11-15'],
    ['https://server:8443/shifts/acme/', 'https://server:8443/shifts/acme/api/v1/shifts?day=2026-11-15'],
    [new URL('http://server/acme'), 'http://server/acme/api/v1/shifts?day=2026-11-15'],
  ] as const) {
    const asked: string[] = [];
    const fetch = async (target: string) => {
      asked.push(target);
      return page();
    };
    await new ShiftfeedClient({ url, token: 't', fetch }).list({ day: '2026-11-15' });
    assert.deepEqual(asked, [expected]);
  }
});

test('limits that are no whole numbers are refused', () => {
  for (const [name, value] of [
    ['timeoutMs', -1],
    ['retries', 1.5],
    ['maxWaitMs', Number.POSITIVE_INFINITY],
    ['timeoutMs', 2 ** 31],
  ] as const) {
    const options: ShiftfeedClientOptions = { url: 'http://server/acme', token: 't', [name]: value };
    assert.throws(
      () => new ShiftfeedClient(options),
      new RegExp(`^TypeError: ${name} is ${value}; expected a whole number`),
    );
  }
});

test('an answer with a tag is remembered, and asked for with it', async () => {
  const sent: (string | undefined)[] = [];
  let etag = '"a"';
  const fetch = async (_: string, { headers }: RequestInit) => {
    const known = (headers as Record<string, string>)['if-none-match'];
    sent.push(known);
    if (known === etag) return new Response(null, { status: 304, headers: { 'shiftfeed-revision': '8' } });
    return page({
      etag,
      'shiftfeed-revision': '7',
      'shiftfeed-time-zone': 'Europe/Lisbon',
      'shiftfeed-listing': 'one',
      'last-modified': 'Sun, 15 Nov 2026 12:00:00 GMT',
      'shiftfeed-stale': '12',
    });
  };
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch });
  const first = await client.list();
  const second = await client.list();
  assert.equal(second.shifts, first.shifts);
  assert.deepEqual([first.revision, first.timeZone, first.staleSeconds], ['7', 'Europe/Lisbon', 12]);
  assert.deepEqual(
    [second.revision, second.timeZone, second.staleSeconds],
    ['8', 'Europe/Lisbon', undefined],
  );
  const lastModifiedMs = Date.UTC(2026, 10, 15, 12);
  assert.deepEqual([first.listing, first.lastModifiedMs], ['one', lastModifiedMs]);
  assert.deepEqual(
    [second.listing, second.lastModifiedMs],
    [undefined, lastModifiedMs],
    'each answer has to say which state it is of',
  );
  etag = '"b"';
  assert.notEqual((await client.list()).shifts, first.shifts);
  await client.list({ day: '2026-11-15' });
  assert.deepEqual(sent, [undefined, '"a"', '"a"', undefined]);

  const forgetful = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch, memoryBytes: 0 });
  sent.length = 0;
  await forgetful.list();
  await forgetful.list();
  assert.deepEqual(sent, [undefined, undefined]);
});

test('what is remembered cannot be changed', async () => {
  const fetch = async () => page({ etag: '"a"' });
  const { shifts, meta } = await new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch }).list();
  for (const value of [shifts, meta, shifts[0], shifts[0]?.group]) assert.ok(Object.isFrozen(value));
});

test('the memory keeps what was used last, within its size', () => {
  const page = {
    shifts: [],
    meta: { total: 0, page: 1, per_page: 1, total_pages: 0 },
    timeZone: undefined,
    revision: undefined,
    listing: undefined,
    lastModifiedMs: undefined,
    staleSeconds: undefined,
  };
  const entry = (bytes: number) => ({ etag: '"a"', page, bytes });
  const memory = makeMemory(10);
  const known = () => ['a', 'b', 'c'].filter((query) => memory.find(query) !== undefined).join('');
  memory.keep('a', entry(4));
  memory.keep('b', entry(4));
  memory.find('a');
  memory.keep('c', entry(4));
  assert.equal(known(), 'ac');
  memory.keep('a', entry(11));
  assert.equal(known(), 'c', 'what is too large takes nothing from others');
  memory.keep('c', entry(10));
  memory.forget('c');
  memory.keep('b', entry(10));
  assert.equal(known(), 'b');
});

function page(headers: Record<string, string> = {}): Response {
  const meta = { total: 1, page: 1, per_page: 500, total_pages: 1 };
  return Response.json({ shifts: [someShift(1)], meta }, { headers });
}
