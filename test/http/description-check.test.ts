import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDescribed } from '../support/description.ts';

const LISTING = {
  method: 'GET',
  target: '/acme/api/v1/shifts?months=12',
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    vary: 'Accept-Encoding',
    etag: '"tag"',
    link: '</acme/api/v1/shifts?page=1>; rel="first"',
    'shiftfeed-listing': 'tag',
    'shiftfeed-revision': '12',
    'shiftfeed-time-zone': 'UTC',
    'x-request-id': 'id',
  },
  body: { shifts: [] as unknown[], meta: { total: 0, page: 1, per_page: 500, total_pages: 0 } },
};

function check(change: object = {}): void {
  const { headers, body, ...rest } = { ...LISTING, ...change };
  assertDescribed({ ...rest, headers: new Headers(headers), body: JSON.stringify(body) });
}

test('what is described passes', () => check());

const { etag: _etag, ...withoutTag } = LISTING.headers;
const undescribed: [string, object][] = [
  ['a status', { status: 202 }],
  ['an answer where there is no path', { target: '/acme/api/v2/shifts' }],
  ['an answer to a method that is not there', { method: 'DELETE' }],
  ['a header', { headers: { ...LISTING.headers, 'x-powered-by': 'magic' } }],
  ['a value of a header', { headers: { ...LISTING.headers, 'shiftfeed-revision': 'twelve' } }],
  ['the lack of a header', { headers: withoutTag }],
  ['a type of content', { headers: { ...LISTING.headers, 'content-type': 'text/plain' } }],
  ['a property', { body: { ...LISTING.body, next: null } }],
  ['the lack of a property', { body: { shifts: [] } }],
  ['a property of another type', { body: { ...LISTING.body, shifts: [{ id: '1' }] } }],
  ['a body in answer to HEAD', { method: 'HEAD' }],
];
for (const [what, change] of undescribed) {
  test(`${what} that is not described is noticed`, () => {
    assert.throws(() => check(change), assert.AssertionError);
  });
}
