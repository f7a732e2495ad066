import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdSnapshots } from '../../src/feed/access/snapshots.ts';
import { type Month, parseMonth } from '../../src/listing/calendar.ts';
import type { AccountState } from '../../src/store/feed-store.ts';

const [DECEMBER, JANUARY] = [parseMonth('2026-12'), parseMonth('2027-01')];

function stateOf(id: number, revision: number, ...months: readonly Month[]): AccountState {
  const account = { id, slug: 'acme', name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  return { account, history: '', revision, months: months.map((month) => ({ month, stamp: revision })) };
}

function snapshots(mayLag: boolean, clock = () => 0) {
  return holdSnapshots({ store: { mayLag }, clock, budgetBytes: 1_000_000, onReplaced: () => undefined });
}

test('an account whose name another one had meanwhile keeps its months', () => {
  const held = snapshots(false);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  held.update('acme', first, stateOf(2, 20, JANUARY));
  // Asked when the first was held, and answered when the name was its own again.
  held.confirm(first);
  assert.equal(held.get('acme'), first);
});

test('a replica that lags now is not believed because another one lagged long ago', () => {
  let nowMs = 0;
  const held = snapshots(true, () => nowMs);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  assert.throws(() => held.update('acme', first, stateOf(1, 9, DECEMBER)), /older state/);
  assert.equal(held.confirm(first), first);
  nowMs = 60_000;
  // As a load does that has seen a change.
  const newer = { ...first, revision: 11 };
  held.keep(newer);
  assert.throws(() => held.update('acme', newer, stateOf(1, 10, DECEMBER)), /older state/);
});

test('all who ask at the same moment are answered from a restored backup at the same moment', () => {
  let nowMs = 0;
  const held = snapshots(true, () => nowMs);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  const restored = stateOf(1, 9, DECEMBER);
  assert.throws(() => held.update('acme', first, restored), /older state/);
  nowMs = 10_000;
  assert.equal(held.update('acme', first, restored).revision, 9);
  assert.equal(held.update('acme', first, restored).revision, 9);
});

test('a load of changes that were lost does not outlive an answer that lacks them', () => {
  const held = snapshots(true);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  // It began before they were lost.
  held.keep({ ...first, revision: 11, stamps: new Map([[DECEMBER, 11]]) });
  const after = held.update('acme', first, {
    ...stateOf(1, 12, JANUARY),
    months: [{ month: DECEMBER, stamp: 10 }],
  });
  assert.deepEqual([...after.stamps], [[DECEMBER, 10]]);
  assert.equal(held.get('acme'), after);
});
