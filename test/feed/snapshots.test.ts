import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Month, parseMonth } from '@shiftfeed/common/days';
import {
  type AccountSnapshot,
  holdSnapshots,
  keepLastAnswers,
  makeSnapshot,
} from '../../src/feed/access/snapshots.ts';
import type { Query } from '../../src/listing/filter.ts';
import { MAX_MONTHS } from '../../src/store/account.ts';
import type { AccountState } from '../../src/store/feed-store.ts';

const [DECEMBER, JANUARY] = [parseMonth('2026-12'), parseMonth('2027-01')];

function stateOf(id: number, revision: number, ...months: readonly Month[]): AccountState {
  const account = { id, slug: 'acme', name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  return { account, history: '', revision, months: months.map((month) => ({ month, stamp: revision })) };
}

function snapshots(mayLag: boolean, clock = () => 0) {
  return holdSnapshots({
    store: { mayLag },
    clock,
    budgetBytes: 1_000_000,
    pagesBudgetBytes: 100_000,
    onReplaced: () => undefined,
  });
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
  const { held: newer } = held.keep(stateOf(1, 11, DECEMBER), 0);
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
  held.keep(stateOf(1, 11, DECEMBER), 0);
  const after = held.update('acme', first, {
    ...stateOf(1, 12, JANUARY),
    months: [{ month: DECEMBER, stamp: 10 }],
  });
  assert.deepEqual([...after.stamps], [[DECEMBER, 10]]);
  assert.equal(held.get('acme'), after);
});

test('a state that was loaded is as old as the load, also if the database has answered something else since', () => {
  let nowMs = 0;
  const held = snapshots(false, () => nowMs);
  const answers = keepLastAnswers(60_000, () => nowMs, held);
  const before = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  nowMs = 5_000;
  answers.keep('t/acme', TOKEN, held.confirm(before));
  // It began before its changes were lost, and arrives after an answer that lacks them.
  held.keep(stateOf(1, 11, DECEMBER), 3_000);
  const found = answers.find('t/acme');
  assert.deepEqual([found?.snapshot.revision, found?.staleMs], [11, 2_000]);
  nowMs = 63_001;
  assert.equal(answers.find('t/acme'), undefined);
});

const NONE_HELD = { get: () => undefined, knownMs: () => 0 };
const TOKEN = { id: 1, accountId: 1, expiresAtMs: null };

function snapshot(slug: string, revision: number): AccountSnapshot {
  const account = { id: 1, slug, name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  return makeSnapshot({ account, history: '', revision, months: [] });
}

test('the name of a restored backup is believed when the database has stayed that old', () => {
  let nowMs = 0;
  const answers = keepLastAnswers(60_000, () => nowMs, NONE_HELD);
  answers.keep('t/new', TOKEN, snapshot('new', 10));
  // A replica that lags.
  answers.keep('t/old', TOKEN, snapshot('old', 5));
  assert.equal(answers.find('t/old'), undefined);
  assert.equal(answers.find('t/new')?.snapshot.revision, 10);
  nowMs = 10_000;
  answers.keep('t/old', TOKEN, snapshot('old', 5));
  assert.equal(answers.find('t/old')?.snapshot.revision, 5);
  assert.equal(answers.find('t/new'), undefined);
});

const QUERY: Query = { dates: {}, rows: { includeUnpublished: false }, paging: { page: 1, perPage: 100 } };

test('a snapshot keeps its pages until the day is over, and those of a newer one are others', () => {
  const held = snapshots(false);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  const noon = Date.parse('2026-11-15T12:00:00Z');
  const page = first.page(QUERY, noon);
  assert.equal(first.page(QUERY, noon + 3_600_000), page);
  assert.notEqual(first.page({ ...QUERY }, noon), page);
  const tomorrow = first.page(QUERY, noon + 86_400_000);
  assert.equal(tomorrow.today, page.today + 1);
  assert.equal(first.page(QUERY, noon + 86_400_000), tomorrow);
  const second = held.update('acme', first, stateOf(1, 11, DECEMBER));
  assert.notEqual(second.page(QUERY, noon).listingTag, page.listingTag);
});

test('however many pages are asked for, those that are kept stay within their budget', () => {
  const held = snapshots(false);
  const first = held.update('acme', undefined, stateOf(1, 10, DECEMBER));
  const queries = Array.from({ length: 1_000 }, (_, i) => ({
    ...QUERY,
    paging: { page: i + 1, perPage: 1 },
  }));
  const pages = queries.map((query) => first.page(query, 0));
  const kept = queries.filter((query, i) => first.page(query, 0) === pages[i]);
  assert.ok(kept.length < 100, `${kept.length} pages`);
  const last = { ...QUERY };
  assert.equal(first.page(last, 0), first.page(last, 0));
});

const WINTER: Query = { ...QUERY, dates: { months: new Set([12, 1]), years: new Set([2026, 2027]) } };
const NOW_MS = Date.parse('2026-12-01T12:00:00Z');

test('while a change cannot be loaded, nothing older is shown than what was shown before', () => {
  const answers = keepLastAnswers(60_000, () => 0, NONE_HELD);
  const [first, second, third] = [1, 2, 3].map((revision) => makeSnapshot(stateOf(1, revision, DECEMBER)));
  assert.ok(first && second && third);
  const shown = (of: AccountSnapshot) => answers.shown(of.page(WINTER, NOW_MS));
  shown(first);
  shown(second);
  // A request that took longer.
  shown(first);
  assert.equal(answers.lastWhole(third)?.of, second);
  assert.equal(answers.lastWhole(second), undefined);
  answers.forget(1);
  assert.equal(answers.lastWhole(third), undefined);
});

test('a page that a change did not touch does not keep the state before it from being shown', () => {
  const answers = keepLastAnswers(60_000, () => 0, NONE_HELD);
  const before = makeSnapshot(stateOf(1, 1, DECEMBER));
  const noticed = makeSnapshot({
    ...stateOf(1, 2, DECEMBER, JANUARY),
    months: [
      { month: DECEMBER, stamp: 1 },
      { month: JANUARY, stamp: 2 },
    ],
  });
  answers.shown(before.page(WINTER, NOW_MS));
  answers.shown(noticed.page({ ...WINTER, dates: { ...WINTER.dates, months: new Set([12]) } }, NOW_MS));
  assert.equal(answers.lastWhole(noticed)?.of, before);
  answers.shown(noticed.page(WINTER, NOW_MS));
  assert.equal(answers.lastWhole(noticed), undefined);
});

test('while a change cannot be loaded, an account that was too large in between is not shown as empty', () => {
  const answers = keepLastAnswers(60_000, () => 0, NONE_HELD);
  const before = makeSnapshot(stateOf(1, 1, DECEMBER));
  const months = Array.from({ length: MAX_MONTHS + 1 }, (_, i) => ({ month: i as Month, stamp: 2 }));
  answers.whole(before);
  answers.whole(makeSnapshot({ ...stateOf(1, 2), months }));
  assert.equal(answers.lastWhole(makeSnapshot(stateOf(1, 3, DECEMBER)))?.of, before);
});
