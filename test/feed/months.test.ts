import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMonth } from '@shiftfeed/common/days';
import { makeMonthCache } from '../../src/feed/months.ts';
import { buildMonth } from '../../src/listing/build-month.ts';

const MONTH = parseMonth('2026-12');

test('a month keeps the latest views and forgets the others, however many are asked for', () => {
  const cache = makeMonthCache(10_000_000);
  const block = buildMonth(MONTH, [], 'time');
  cache.put(1, { month: MONTH, stamp: 5, block });
  const find = () => {
    const cached = cache.find(1, MONTH, 5);
    assert.ok(cached);
    return cached;
  };
  for (let i = 0; i < 100; i++) {
    cache.view(1, find(), `key ${i}`, ({ dayStarts }) => ({ rows: new Uint32Array(1), dayStarts }));
  }
  assert.deepEqual(
    [...find().views.keys()],
    Array.from({ length: 16 }, (_, i) => `key ${84 + i}`),
  );
});

test('memory is known to be cached for exactly as long as it is', () => {
  const cache = makeMonthCache(10_000_000);
  const [older, newer] = [buildMonth(MONTH, [], 'time'), buildMonth(MONTH, [], 'time')];
  cache.put(1, { month: MONTH, stamp: 5, block: older });
  assert.deepEqual([cache.isCached(older.bytes.buffer), cache.isCached(newer.bytes.buffer)], [true, false]);
  cache.put(1, { month: MONTH, stamp: 6, block: newer });
  assert.deepEqual([cache.isCached(older.bytes.buffer), cache.isCached(newer.bytes.buffer)], [false, true]);
  cache.drop(1);
  assert.equal(cache.isCached(newer.bytes.buffer), false);
});
