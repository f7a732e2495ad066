import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdSnapshots } from '../../src/feed/access/snapshots.ts';
import { type Month, parseMonth } from '../../src/listing/calendar.ts';
import type { AccountChanges } from '../../src/store/feed-store.ts';

const [DECEMBER, JANUARY] = [parseMonth('2026-12'), parseMonth('2027-01')];

function changes(id: number, revision: number, since: number, months: readonly Month[]): AccountChanges {
  const account = { id, slug: 'acme', name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  return {
    account,
    history: '',
    revision,
    since,
    changed: months.map((month) => ({ month, stamp: revision })),
  };
}

function snapshots(mayLag: boolean, clock = () => 0) {
  return holdSnapshots({ store: { mayLag }, clock, budgetBytes: 1_000_000, onReplaced: () => undefined });
}

test('an account whose name another one had meanwhile keeps its months', () => {
  const held = snapshots(false);
  const first = held.update('acme', undefined, changes(1, 10, 0, [DECEMBER]));
  held.update('acme', first, changes(2, 20, 0, [JANUARY]));
  // Asked when the first was held, and answered when the name was its own again.
  const back = held.update('acme', first, changes(1, 10, 10, []));
  assert.deepEqual([back.account.id, back.months], [1, [DECEMBER]]);
});

test('a replica that lags now is not believed because another one lagged long ago', () => {
  let nowMs = 0;
  const held = snapshots(true, () => nowMs);
  const first = held.update('acme', undefined, changes(1, 10, 0, [DECEMBER]));
  assert.throws(() => held.update('acme', first, changes(1, 9, 0, [DECEMBER])), /older state/);
  assert.equal(held.update('acme', first, changes(1, 10, 10, [])), first);
  nowMs = 60_000;
  // As a load does that has seen a change.
  const newer = { ...first, revision: 11 };
  held.keep(newer);
  assert.throws(() => held.update('acme', newer, changes(1, 10, 0, [DECEMBER])), /older state/);
});
