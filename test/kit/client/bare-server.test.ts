/**
 * A server that does what the specification says and no more: no tags, links, revisions or time zones, and no remarks
 * where there are none.
 */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { ShiftfeedAccessError, ShiftfeedClient, ShiftfeedError } from '@shiftfeed/client';
import { type OtherServer, sendError, sendListing, someShift, startOtherServer } from './other-server.ts';

const server = await startOtherServer({ after });
const IDS = Array.from({ length: 1_203 }, (_, i) => i + 1);
// What is undefined is not in the JSON.
const SHIFTS = IDS.map((id) => someShift(id, { location: { name: 'Pier' }, remarks: undefined }));

server.answer = (request, response) => answerTo(request)(request, response);

function answerTo(request: IncomingMessage): OtherServer['answer'] {
  const { pathname, searchParams } = new URL(request.url ?? '', server.origin);
  if (request.headers.authorization !== 'Bearer token') return sendError(401, 'Invalid or expired API token');
  if (pathname !== '/acme/api/v1/shifts') return (_, response) => response.writeHead(404).end();
  if (searchParams.get('date_from')?.startsWith('9')) return (_, response) => response.writeHead(400).end();
  return sendListing(SHIFTS);
}

test('shifts, totals and pages are read', async () => {
  const client = new ShiftfeedClient({ url: server.url, token: 'token' });
  const page = await client.list({ per_page: 2, page: 3 });
  assert.deepEqual(page.meta, { total: 1_203, page: 3, per_page: 2, total_pages: 602 });
  assert.deepEqual(page.shifts[0], someShift(5, { location: { name: 'Pier', address: '' } }));
  const { timeZone, revision, listing, lastModifiedMs, staleSeconds } = page;
  for (const told of [timeZone, revision, listing, lastModifiedMs, staleSeconds])
    assert.equal(told, undefined);
  server.requests.length = 0;
  const ids: number[] = [];
  for await (const { id } of client.all({ years: [2026] })) ids.push(id);
  assert.deepEqual(ids, IDS);
  assert.deepEqual(
    server.requests.map(({ url }) => url),
    [1, 2, 3].map((number) => `/acme/api/v1/shifts?years=2026&page=${number}`),
  );
  assert.ok(server.requests.every(({ headers }) => headers['if-none-match'] === undefined));
});

test('errors are told, with a sentence or without one', async () => {
  const wrong = new ShiftfeedClient({ url: server.url, token: 'wrong' });
  await assert.rejects(wrong.list(), {
    name: 'ShiftfeedAccessError',
    status: 401,
    message: 'Invalid or expired API token',
  });
  const nowhere = new ShiftfeedClient({ url: `${server.origin}/nowhere`, token: 'token' });
  await assert.rejects(nowhere.list(), ShiftfeedAccessError);
  const client = new ShiftfeedClient({ url: server.url, token: 'token' });
  await assert.rejects(client.list({ date_from: '9999-01-01' }), ShiftfeedError);
});
