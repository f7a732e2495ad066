/** Watching a listing. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  type Shift,
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedClient,
} from '@shiftfeed/client';
import { watchListing } from '../../../kit/client/src/watch.ts';
import { ChangingPlan, shiftIn, yearOf } from './changing-plan.ts';
import { EVERY_MS, watched } from './watched.ts';

const PAGE = { per_page: 4 };
const idsOf = (shifts: readonly Shift[] = []) => shifts.map(({ id }) => id);
const remarked = (plan: ChangingPlan, id: number, remarks = 'changed') =>
  plan.shifts.map((shift) => (shift.id === id ? { ...shift, remarks } : shift));

test('at first everything is added, and then each step says what became of it', async () => {
  const plan = new ChangingPlan([shiftIn(1, 1), shiftIn(1, 2), shiftIn(2, 3)]);
  const watch = watched({ fetch: plan.fetch });
  const first = await watch.look();
  assert.deepEqual(first, { shifts: plan.shifts, added: plan.shifts, changed: [], removed: [] });

  const [, second] = plan.shifts;
  plan.change([...remarked(plan, 1).filter(({ id }) => id !== 2), shiftIn(1, 4)]);
  const step = await watch.look();
  assert.deepEqual(step?.shifts, plan.shifts);
  assert.deepEqual(step?.added, [shiftIn(1, 4)]);
  assert.deepEqual(step?.changed, [shiftIn(1, 1, { remarks: 'changed' })]);
  assert.deepEqual(step?.removed, [second], 'as it was last');
  assert.equal(step?.shifts[2], first?.shifts[2], 'what is as it was is the same object');
  assert.ok(Object.values(step ?? {}).every(Object.isFrozen));

  plan.change([]);
  assert.deepEqual(idsOf((await watch.look())?.removed), [1, 4, 3]);
});

test('a listing that is empty is told, and one that is only in another order', async () => {
  const plan = new ChangingPlan([]);
  const watch = watched({ fetch: plan.fetch });
  assert.deepEqual(await watch.look(), { shifts: [], added: [], changed: [], removed: [] });
  assert.equal(await watch.look(), undefined);

  plan.change([shiftIn(1, 1), shiftIn(1, 2)]);
  await watch.look();
  plan.change(remarked(plan, 1));
  plan.shifts = remarked(plan, 1, '').reverse();
  const step = await watch.look();
  assert.deepEqual([idsOf(step?.shifts), step?.added, step?.changed, step?.removed], [[2, 1], [], [], []]);
});

test('while nothing changes, a look is one request that is answered with 304', async () => {
  for (const shiftsAMonth of [0, 1, 4]) {
    const plan = new ChangingPlan(yearOf(shiftsAMonth));
    const watch = watched({ fetch: plan.fetch, memoryBytes: 0 }, PAGE);
    await watch.look();
    await watch.look();
    const before = plan.requests;
    for (let look = 0; look < 3; look++) assert.equal(await watch.look(), undefined);
    assert.deepEqual(plan.log.slice(before), Array(3).fill('304 ?page=1&per_page=1'));
  }
});

test('of a large listing, only months that changed are read again', async () => {
  const plan = new ChangingPlan(yearOf(4));
  const watch = watched({ fetch: plan.fetch, memoryBytes: 0 }, PAGE);
  await watch.look();
  assert.equal(plan.requests, 12);
  await watch.look();
  for (const change of [
    remarked(plan, 9),
    plan.shifts.map((shift) => (shift.id === 9 ? shiftIn(6, 9) : shift)),
    plan.shifts.filter(({ id }) => id !== 30),
  ]) {
    const monthsBefore = new Map(plan.shifts.map((shift) => [shift.id, shift.date.slice(0, 7)]));
    const before: number = plan.requests;
    plan.change(change);
    const step = await watch.look();
    assert.deepEqual(step?.shifts, plan.shifts);
    const told = [...(step?.changed ?? []), ...(step?.removed ?? [])];
    const months = new Set(told.flatMap(({ id, date }) => [monthsBefore.get(id), date.slice(0, 7)]));
    const read: string[] = plan.log.slice(before).filter((line) => line.endsWith('per_page=4'));
    assert.deepEqual(new Set(read.map((line) => /date_from=(\d{4}-\d\d)/.exec(line)?.[1])), months);
    // Is it another tag? First and last shift, each stretch, and whether it still is that tag.
    assert.ok(plan.requests - before <= 1 + 2 + 12 + 1 + read.length);
  }
});

test('a change while the tags of months are learned is told by the next look', async () => {
  const plan = new ChangingPlan(yearOf(4), {
    beforeRequest: (changing) => {
      // The tag of December is learned after it changed, and everything else before.
      if (changing.requests === 12 + 1 + 11) changing.change(remarked(changing, 48));
    },
  });
  const watch = watched({ fetch: plan.fetch }, PAGE);
  await watch.look();
  assert.equal(await watch.look(), undefined);
  assert.equal(plan.requests, 12 + 1 + 12 + 1);
  assert.deepEqual(idsOf((await watch.look())?.changed), [48]);
});

test('a server without any headers of its own is watched, too, and one with entity tags for fewer bytes', async () => {
  for (const headers of ['none', 'etag'] as const) {
    const plan = new ChangingPlan(yearOf(1), { headers });
    const watch = watched({ fetch: plan.fetch, memoryBytes: 0 }, PAGE);
    assert.deepEqual((await watch.look())?.shifts, plan.shifts);
    const before = plan.requests;
    assert.equal(await watch.look(), undefined);
    assert.deepEqual(
      plan.log.slice(before),
      [1, 2, 3].map((page) => `${headers === 'etag' ? 304 : 200} ?page=${page}&per_page=4`),
    );
    plan.change(remarked(plan, 7));
    assert.deepEqual(idsOf((await watch.look())?.changed), [7]);
  }
});

test('a slow consumer is given the latest state, and none that is over', async () => {
  const plan = new ChangingPlan([shiftIn(1, 1)]);
  const watch = watched({ fetch: plan.fetch });
  await watch.look();
  for (let id = 2; id < 9; id++) plan.change([shiftIn(1, id)]);
  const step = await watch.look();
  assert.deepEqual([idsOf(step?.added), idsOf(step?.removed)], [[8], [1]]);
  assert.equal(await watch.look(), undefined);
});

test('an outage is waited out with pauses that grow, and not asked about earlier than the server wants', async () => {
  const plan = new ChangingPlan([shiftIn(1, 1)]);
  const watch = watched({ fetch: plan.fetch, maxWaitMs: 0 });
  plan.instead = () => Promise.reject(new TypeError('fetch failed'));
  for (let look = 0; look < 8; look++) assert.equal(await watch.look(), undefined);
  for (const [i, ms] of watch.pauses.entries()) {
    const longest = Math.min(EVERY_MS * 2 ** i, 300_000);
    assert.ok(ms >= longest / 2 && ms <= longest, `${i}: ${ms}`);
  }
  plan.instead = () => new Response('{}', { status: 503, headers: { 'retry-after': '3600' } });
  await watch.look();
  assert.equal(watch.pauses.at(-1), 3_600_000);
  plan.instead = () => new Response('{}', { status: 503, headers: { 'retry-after': '9'.repeat(20) } });
  await watch.look();
  assert.equal(watch.pauses.at(-1), 2 ** 31 - 1, 'no timer takes more');
  plan.instead = undefined;
  assert.deepEqual(idsOf((await watch.look())?.added), [1]);
  assert.equal(await watch.look(), undefined);
  assert.equal(watch.pauses.at(-1), EVERY_MS);

  plan.instead = () => Promise.reject(new TypeError('fetch failed'));
  await watch.look();
  assert.ok((watch.pauses.at(-1) ?? 0) <= EVERY_MS, 'the next outage begins with a short pause');
});

test('a listing that is too busy to be read is tried again later', async () => {
  const plan = new ChangingPlan([shiftIn(1, 1)]);
  const { source, pages } = await readerOf(plan);
  let failures = 2;
  const busy = async () => {
    if (failures-- > 0) throw new ShiftfeedChangedError('It changed.', 200);
    return pages;
  };
  const reader = { read: busy, prepare: async () => {} };
  const pauses: number[] = [];
  const steps = watchListing(source, reader, EVERY_MS, async (ms) => void pauses.push(ms));
  assert.deepEqual(idsOf((await steps.next()).value?.shifts), [1]);
  assert.equal(pauses.length, 2);
});

async function readerOf(plan: ChangingPlan) {
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch: plan.fetch });
  const page = await client.list();
  const ask = async () => page;
  return { source: { page: ask, pageOf: ask, peek: ask }, pages: [page] };
}

test('what later attempts cannot mend ends the watch', async () => {
  const plan = new ChangingPlan(yearOf(1));
  const watch = watched({ fetch: plan.fetch });
  await watch.look();
  plan.instead = () => Response.json({ error: 'Invalid or expired API token' }, { status: 401 });
  await assert.rejects(watch.look(), ShiftfeedAccessError);

  await assert.rejects(watched({ fetch: async () => new Response('<html>') }).look(), {
    name: 'ShiftfeedAnswerError',
  });
  const grown = new ChangingPlan(yearOf(1));
  const limited = watched({ fetch: grown.fetch, maxCollectedShifts: 12 });
  await limited.look();
  grown.change([...grown.shifts, shiftIn(1, 99)]);
  await assert.rejects(limited.look(), (error) => {
    assert.ok(error instanceof ShiftfeedAnswerError);
    assert.match(error.message, /^There are 13 shifts, and at most 12 are collected/);
    return true;
  });
});

test('a signal ends a watch wherever it is, with its reason, and nothing is left behind', async () => {
  const plan = new ChangingPlan(yearOf(1));
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch: plan.fetch });
  const controller = new AbortController();
  const { signal } = controller;
  const steps = client.watch({}, { signal });
  await steps.next();
  const next = steps.next();
  controller.abort();
  await assert.rejects(next, { name: 'AbortError' });
  assert.equal((await steps.next()).done, true);
  assert.equal(getEventListeners(signal, 'abort').length, 0);

  const reason = new Error('enough');
  await assert.rejects(client.watch({}, { signal: AbortSignal.abort(reason) }).next(), reason);

  const between = new AbortController();
  const later = client.watch({}, { signal: between.signal });
  await later.next();
  between.abort(reason);
  await assert.rejects(later.next(), reason);
});

test('leaving the loop ends a watch', async () => {
  const plan = new ChangingPlan(yearOf(1));
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch: plan.fetch });
  for await (const { shifts } of client.watch()) {
    assert.equal(shifts.length, 12);
    break;
  }
  assert.equal(plan.requests, 1);
});

test('what is wrong about a watch is told before it begins', () => {
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't' });
  const watch = (filter: object, options = {}) => client.watch(filter, options);
  assert.throws(() => watch({ page: 2 }), /The filter names a page/);
  assert.throws(() => watch({ months: [] }), /months is an empty list/);
  for (const everyMs of [0, 999, 1_000.5, Number.NaN, 2 ** 31, '5000']) {
    assert.throws(
      () => watch({}, { everyMs }),
      /everyMs is .*; expected a whole number from 1000 to 2147483647/,
    );
  }
});
