/** Whoever looks at the beginning of a stream leaves it as it was. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { lookAhead } from '@shiftfeed/common/look-ahead';
import { receiveAll, sendAll } from '../../../src/cli/import/streams.ts';

describe('a stream whose beginning was looked at', () => {
  test('is read no further than asked, and then from its beginning', async () => {
    const source = numbers(5);
    const { first, isAll, all } = await lookAhead(source.values, (value) => value === 1);
    assert.deepEqual({ first, isAll, given: source.given() }, { first: [0, 1], isAll: false, given: 2 });
    assert.deepEqual(await Array.fromAsync(all), [0, 1, 2, 3, 4]);
  });

  test('may end within it', async () => {
    const { first, isAll, failure, all } = await lookAhead(numbers(2).values, () => false);
    assert.deepEqual({ first, isAll, failure }, { first: [0, 1], isAll: true, failure: undefined });
    assert.deepEqual(await Array.fromAsync(all), [0, 1]);
  });

  test('fails where it failed, after what came before', async () => {
    const error = new Error('EIO');
    async function* failing() {
      yield* numbers(2).values;
      throw error;
    }
    const { first, failure, all } = await lookAhead(failing(), () => false);
    assert.deepEqual({ first, failure }, { first: [0, 1], failure: { error } });
    const seen: number[] = [];
    await assert.rejects(
      async () => {
        for await (const value of all) seen.push(value);
      },
      (thrown) => thrown === error,
    );
    assert.deepEqual(seen, [0, 1]);
  });

  for (const taken of [1, 3])
    test(`is closed when its reader stops after ${taken}`, async () => {
      const source = numbers(5);
      const { all } = await lookAhead(source.values, (value) => value === 1);
      for await (const value of all) if (value === taken - 1) break;
      assert.ok(source.isClosed());
    });
});

test('between threads, no more than a few values are under way that nobody has taken', async () => {
  const { port1, port2 } = new MessageChannel();
  const { values, given } = numbers(100);
  const sending = sendAll(port1, values, 4);
  let taken = 0;
  for await (const value of receiveAll<number>(port2)) {
    assert.equal(value, taken++);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.ok(given() <= taken + 5, `${given()} were sent when ${taken} were taken`);
  }
  await sending;
  assert.equal(taken, 100);
});

function numbers(count: number) {
  let given = 0;
  let isClosed = false;
  async function* values() {
    try {
      while (given < count) yield given++;
    } finally {
      isClosed = true;
    }
  }
  return { values: values(), given: () => given, isClosed: () => isClosed };
}
