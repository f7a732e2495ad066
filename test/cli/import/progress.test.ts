import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayProgress } from '../../../src/cli/import/progress.ts';

function display(isTerminal: boolean, fractionRead: number | undefined) {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const stream = { write: (text: string) => written.push(text), isTTY: isTerminal };
  const shown = displayProgress(
    stream,
    () => fractionRead,
    () => clock.nowMs,
  );
  return { ...shown, written, clock };
}

test('on a terminal, a bar tells shifts, rate and time left, at most ten times a second', () => {
  const { show, clear, written, clock } = display(true, 0.25);
  show({ step: 'read', done: 0 });
  clock.nowMs = 99;
  show({ step: 'read', done: 5_000 });
  clock.nowMs = 2_000;
  show({ step: 'read', done: 250_000 });
  clear();
  assert.deepEqual(written, [
    '\r\x1b[K[######------------------]  25 %  0 shifts read, 0 s left',
    '\r\x1b[K[######------------------]  25 %  250,000 shifts read, 125,000 a second, 6 s left',
    '\r\x1b[K',
  ]);
});

test('without a size, it tells shifts and rate', () => {
  const { show, written, clock } = display(true, undefined);
  show({ step: 'read', done: 1 });
  assert.equal(written.at(-1), '\r\x1b[K1 shift read');
  clock.nowMs = 1_000;
  show({ step: 'read', done: 1_234 });
  assert.equal(written.at(-1), '\r\x1b[K1,234 shifts read, 1,234 a second');
});

test('each step counts for itself, of as many as there are', () => {
  const { show, written, clock } = display(true, 1);
  show({ step: 'read', done: 1_000 });
  clock.nowMs = 60_000;
  show({ step: 'written', done: 0, total: 1_000 });
  clock.nowMs = 190_000;
  show({ step: 'written', done: 500, total: 1_000 });
  assert.equal(
    written.at(-1),
    '\r\x1b[K[############------------]  50 %  500 shifts written, 4 a second, 2 min 10 s left',
  );
});

test('elsewhere, it is a line every half minute, and none for what is done before', () => {
  const { show, clear, written, clock } = display(false, 0.5);
  show({ step: 'read', done: 1_000 });
  clock.nowMs = 29_999;
  show({ step: 'read', done: 2_000 });
  clock.nowMs = 30_000;
  show({ step: 'read', done: 3_000 });
  clock.nowMs = 31_000;
  show({ step: 'read', done: 4_000 });
  clear();
  assert.deepEqual(written, ['50 %  3,000 shifts read, 100 a second, 30 s left\n']);
});
