/** The client and the service together. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Shift, ShiftfeedAccessError, ShiftfeedClient, ShiftfeedError } from '@shiftfeed/client';
import { acme, shift } from '../../support/document.ts';
import { startService } from '../../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
const account = { slug: 'acme', premium: true, time_zone: 'Europe/Lisbon' };
await service.import(
  acme(
    Array.from({ length: 7 }, (_, i) => shift('2026-12-28', { id: i + 1 })),
    { account },
  ),
);
const token = await service.token('acme');
const url = `${service.url}/acme`;
const client = new ShiftfeedClient({ url, token });

test('a page has what the API lists, and what its headers say', async () => {
  const page = await client.list({ weeks: [53], group_ids: [1, 4], published: false, per_page: 3 });
  const query = '?weeks=53&group_ids=1,4&published=false&per_page=3';
  const { shifts, meta } = await service.list('acme', query, token);
  assert.deepEqual({ shifts: page.shifts, meta: page.meta }, { shifts, meta });
  assert.equal(page.timeZone, 'Europe/Lisbon');
  assert.match(page.revision ?? '', /^\d+$/);
  assert.equal(page.staleSeconds, undefined);
  const { headers } = await service.get('acme', query, token);
  assert.equal(page.listing, headers.get('shiftfeed-listing'));
  assert.equal(page.lastModifiedMs, Date.parse(headers.get('last-modified') ?? ''));
});

test('all gives the shifts of all pages, in their order', async () => {
  assert.deepEqual(await idsOf(client.all({ years: [2026], per_page: 3 })), [1, 2, 3, 4, 5, 6, 7]);
});

test('a page that is as it was comes from memory, and a change is seen at once', async () => {
  const before = await client.list({ years: [2026] });
  assert.equal((await client.list({ years: [2026] })).shifts, before.shifts);
  await service.import(acme([shift('2026-12-29', { id: 8 })], { account }));
  const later = await client.list({ years: [2026] });
  assert.equal(later.meta.total, 8);
  assert.notEqual(later.revision, before.revision);
  // A change elsewhere moves the revision, and the page stays.
  await service.import(acme([shift('2031-01-01', { id: 9 })], { account }));
  const again = await client.list({ years: [2026] });
  assert.equal(again.shifts, later.shifts);
  assert.notEqual(again.revision, later.revision);
  assert.equal(again.listing, later.listing);
});

test('errors have the status and the sentence of the server', async () => {
  await assert.rejects(client.list({ days: [8] }), (error) => {
    assert.ok(error instanceof ShiftfeedError);
    assert.equal(error.status, 400);
    assert.equal(
      error.message,
      'days has the value "8"; expected whole numbers from 1 to 7 (1 is Sunday), separated by commas.',
    );
    return true;
  });
  for (const [wrong, status, message] of [
    [{ url, token: 'wrong' }, 401, 'Invalid or expired API token'],
    [{ url: `${service.url}/nowhere`, token }, 404, 'There is no account "nowhere".'],
  ] as const) {
    await assert.rejects(new ShiftfeedClient(wrong).list(), (error) => {
      assert.ok(error instanceof ShiftfeedAccessError);
      assert.deepEqual([error.status, error.message], [status, message]);
      return true;
    });
  }
});

async function idsOf(shifts: AsyncIterable<Shift>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of shifts) ids.push(id);
  return ids;
}
