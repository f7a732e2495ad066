import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShelf } from '../../src/feed/shelf.ts';
import { parseMonth } from '../../src/listing/calendar.ts';
import { buildMonth } from '../../src/listing/month.ts';

const MONTH = parseMonth('2026-12');

test('a month keeps the latest views and forgets the others, however many are asked for', () => {
  const shelf = makeShelf(10_000_000);
  const block = buildMonth(MONTH, [], 'time');
  shelf.put(1, { month: MONTH, stamp: 5, block });
  const find = () => {
    const shelved = shelf.find(1, MONTH, 5);
    assert.ok(shelved);
    return shelved;
  };
  for (let i = 0; i < 100; i++) {
    shelf.view(1, find(), `key ${i}`, ({ dayStarts }) => ({ rows: new Uint32Array(1), dayStarts }));
  }
  assert.deepEqual(
    [...find().views.keys()],
    Array.from({ length: 16 }, (_, i) => `key ${84 + i}`),
  );
});

test('what was learnt of an earlier stamp does not replace what is known of a later one', () => {
  const shelf = makeShelf(10_000_000);
  const [older, newer] = [buildMonth(MONTH, [], 'time'), buildMonth(MONTH, [], 'time')];
  shelf.put(1, { month: MONTH, stamp: 6, block: newer });
  shelf.put(1, { month: MONTH, stamp: 5, block: older });
  assert.equal(shelf.find(1, MONTH, 6)?.block, newer);
  assert.equal(shelf.find(1, MONTH, 5), undefined);
});

test('memory is known to be cached for exactly as long as it is', () => {
  const shelf = makeShelf(10_000_000);
  const [older, newer] = [buildMonth(MONTH, [], 'time'), buildMonth(MONTH, [], 'time')];
  shelf.put(1, { month: MONTH, stamp: 5, block: older });
  assert.deepEqual([shelf.isCached(older.bytes.buffer), shelf.isCached(newer.bytes.buffer)], [true, false]);
  shelf.put(1, { month: MONTH, stamp: 6, block: newer });
  assert.deepEqual([shelf.isCached(older.bytes.buffer), shelf.isCached(newer.bytes.buffer)], [false, true]);
  shelf.forget(1);
  assert.equal(shelf.isCached(newer.bytes.buffer), false);
});
