/** Watching a listing. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, describe, test } from 'node:test';
import {
  type Shift,
  type ShiftChanges,
  type ShiftFilter,
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedClient,
  ShiftfeedUnavailableError,
} from '@shiftfeed/client';
import fc from 'fast-check';
import { hearTags, NoStream } from '../../../kit/client/src/listen.ts';
import { listeningPause, watchListing } from '../../../kit/client/src/watch.ts';
import type { ShiftRecord } from '../../../src/store/records.ts';
import type { DatabaseKind } from '../../support/database.ts';
import { ACME, acme, shift } from '../../support/document.ts';
import { startLine } from '../../support/line.ts';
import { type Service, startService } from '../../support/service.ts';
import { often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';
import { ChangingPlan, shiftIn, yearOf } from './changing-plan.ts';
import { applyTo, EVERY_MS, type Watched, watched } from './watched.ts';

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

test('a watch hears of changes where there are streams, goes on when one is lost, and ends with its token', async (context) => {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  const line = await startLine(context, service.url);
  const write = (remarks: string) => service.import(acme([shift('2026-12-01', { id: 1, remarks })]));
  await write('');
  const token = await service.token('acme');
  const requests: string[] = [];
  const client = new ShiftfeedClient({
    url: `${line.url.replace(/\/$/, '')}/acme`,
    token,
    fetch(url, init) {
      requests.push(new Headers(init.headers).get('accept') ?? '');
      return fetch(url, init);
    },
  });
  // As good as never, so that whatever comes was heard.
  const steps = client.watch({}, { everyMs: 2 ** 31 - 1 });
  const remarksOf = ({ value }: IteratorResult<ShiftChanges, void>) => value?.shifts[0]?.remarks;
  assert.equal(remarksOf(await steps.next()), '');
  for (const remarks of ['a', 'b']) {
    const next = steps.next();
    await until('it listens', () => service.streams() > 0);
    await write(remarks);
    assert.equal(remarksOf(await next), remarks);
  }
  assert.deepEqual(new Set(requests), new Set(['application/json', 'text/event-stream']));

  const next = steps.next();
  await until('it listens', () => service.streams() > 0);
  await line.cut();
  await line.mend();
  await write('c');
  assert.equal(remarksOf(await next), 'c');

  const last = steps.next();
  await until('it listens', () => service.streams() > 0);
  await service.store.revokeToken((await service.store.tokens())[0]?.id ?? 0, 1);
  await assert.rejects(last, ShiftfeedAccessError);
});

test('a stream that cannot be opened is tried again soon, and less and less often until something is heard', async (context) => {
  const pauses: number[] = [];
  context.mock.method(globalThis, 'setTimeout', (call: () => void, ms: number) => {
    pauses.push(ms);
    call();
  });
  context.mock.method(Math, 'random', () => 0);
  const tries = ['lost', 'lost', 'lost', 'tag', 'lost', 'end', 'lost'];
  async function* tags() {
    const outcome = tries.shift();
    if (outcome === 'lost') throw new ShiftfeedUnavailableError('It is away.', undefined);
    if (outcome === 'full') throw new ShiftfeedUnavailableError('There are too many streams.', 503, 30);
    if (outcome === 'tag') yield 'another';
  }
  const pause = listeningPause({ tags }, undefined);
  while (tries.length > 0) await pause(7_000, 'known');
  assert.deepEqual(pauses, [2_000, 4_000, 7_000, 2_000, 1_000, 2_000]);
  tries.push('full');
  await pause(60_000, 'known');
  assert.equal(pauses.at(-1), 30_000, 'not sooner than the server wants');
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

// Copies that are kept by watching the service, while somebody edits the plan between and during the requests.

/** With and without the default window, from today on, and with what midnight publishes. Pages are small, so that there are many. */
const FILTERS: readonly ShiftFilter[] = [
  { per_page: 3 },
  { years: [2026, 2027], per_page: 2 },
  { days: [1, 2, 3, 4, 5], per_page: 3 },
  { date_from: '2026-12-10', published: false, per_page: 4 },
  { months: [12, 1], group_ids: [1] },
];

interface Edit {
  readonly shifts: readonly ShiftRecord[];
  readonly sort: 'time' | 'group';
  readonly groupName: string;
  /** How far the clock goes on. */
  readonly hours: number;
  /** After how many further requests it is made. */
  readonly requestsLater: number;
}

const anyShift = fc
  .record({
    id: fc.integer({ min: 1, max: 40 }),
    days: fc.integer({ min: 0, max: 420 }),
    group_id: fc.constantFrom(1, 2),
    remarks: fc.constantFrom('', 'a', 'b'),
    publish_date: fc.constantFrom('2000-01-01', '2000-01-01', '2026-11-16', '2026-11-17'),
  })
  .map(({ days, ...fields }) =>
    shift(Temporal.PlainDate.from('2026-11-01').add({ days }).toString(), fields),
  );
const anyShifts = fc.uniqueArray(anyShift, { minLength: 20, maxLength: 40, selector: ({ id }) => id });
const anySettings = fc.record({
  sort: fc.constantFrom('time', 'time', 'time', 'group'),
  groupName: fc.constantFrom('Kitchen', 'Kitchen', 'Kitchen', 'Zoo'),
  hours: fc.constantFrom(0, 0, 0, 13),
  requestsLater: fc.integer({ min: 0, max: 60 }),
});

/** Some shifts become others. With an id that another has, that one is gone; with a new one, it is another shift. */
const anyEdits: fc.Arbitrary<readonly Edit[]> = fc
  .tuple(
    anyShifts,
    fc.array(
      fc.tuple(anySettings, fc.array(fc.tuple(fc.nat(39), fc.boolean(), anyShift), { maxLength: 2 })),
      { minLength: 2, maxLength: 4 },
    ),
  )
  .map(([first, steps]) => {
    let shifts = first;
    return steps.map(([settings, changes]) => {
      for (const [i, keepsId, other] of changes) {
        const id = keepsId ? shifts[i % shifts.length]?.id : other.id;
        shifts = [
          ...shifts.filter((one, k) => k !== i % shifts.length && one.id !== id),
          { ...other, id: id ?? other.id },
        ];
      }
      return { ...settings, shifts } as Edit;
    });
  });

for (const database of often<DatabaseKind[]>(['sqlite'], ['sqlite', 'postgres'])) {
  describe(`Watching a service on ${database}`, async () => {
    const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });
    const startMs = service.nowMs;

    test('a copy of any listing is at every step a state that the listing was in, and in the end that of now', async () => {
      await fc.assert(
        fc.asyncProperty(anyEdits, async (edits) => {
          service.nowMs = startMs;
          const plan = await openPlan(service);
          await plan.edit({ shifts: [], sort: 'time', groupName: 'Kitchen', hours: 0, requestsLater: 0 });
          const copies = FILTERS.map((filter) => plan.copyOf(filter));
          for (const edit of edits) {
            plan.schedule(edit);
            for (const copy of copies) await copy.look();
            for (const copy of copies) await copy.look();
          }
          await plan.finish();
          for (const copy of copies) {
            await copy.look();
            await copy.assertIsOfNow();
          }
        }),
        { numRuns: often(2, 30) },
      );
    });
  });
}

async function openPlan(service: Service) {
  let scheduled: Edit | undefined;
  let requests = 0;
  let editing = Promise.resolve();
  const states = new Map(FILTERS.map((filter) => [filter, new Set<string>()]));
  const token = await tokenOf(service);

  async function edit({ shifts, sort, groupName, hours }: Edit): Promise<void> {
    service.nowMs += hours * 3_600_000;
    await note();
    const groups = [
      { id: 1, name: groupName, active: true, private: false },
      { id: 2, name: 'Cellar', active: true, private: false },
    ];
    await service.import({ account: { ...ACME, sort }, groups, shifts }, { replace: true });
    await note();
  }

  /** Clock and plan change one after the other, and each makes a state. */
  async function note(): Promise<void> {
    for (const [filter, seen] of states) seen.add(await listed(filter));
  }

  async function listed(filter: ShiftFilter): Promise<string> {
    const query = new URLSearchParams({ ...(filter as Record<string, string>), per_page: '500' });
    return JSON.stringify((await service.list('acme', `?${query}`, token)).shifts);
  }

  const finish = async () => {
    const due = scheduled;
    scheduled = undefined;
    if (due !== undefined) await edit(due);
  };

  /** Makes the edit that is scheduled when enough was asked for. Requests wait for each other meanwhile. */
  const fetchDuringEdits = async (url: string, init: RequestInit) => {
    editing = editing.then(async () => {
      if (scheduled !== undefined && ++requests > scheduled.requestsLater) await finish();
    });
    await editing;
    return fetch(url, init);
  };

  return {
    edit,
    finish,
    schedule(next: Edit) {
      scheduled = next;
      requests = 0;
    },
    copyOf(filter: ShiftFilter) {
      const options = { url: `${service.url}/acme`, token, fetch: fetchDuringEdits };
      const watch: Watched = watched(options, filter);
      const copy = new Map<number, object>();
      let last: ShiftChanges | undefined;
      return {
        async look() {
          const step = await watch.look();
          if (step === undefined) return;
          applyTo(copy, step);
          last = step;
          assert.ok(states.get(filter)?.has(JSON.stringify(step.shifts)), 'it was a state of the listing');
          assert.deepEqual(copy, new Map(step.shifts.map((one) => [one.id, one])));
        },
        async assertIsOfNow() {
          assert.equal(JSON.stringify(last?.shifts), await listed(filter));
        },
      };
    },
  };
}

async function tokenOf(service: Service): Promise<string> {
  await service.import({ account: ACME });
  return service.token('acme');
}

test('a stream of which nothing is heard for 45 seconds is none, and one that was heard before has ended', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const pieces of [[], [':\n\n'], ['id: 1\n', '\n']]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const settings = { url: 'http://server/acme', token: 't', timeoutMs: 10_000, fetch: async () => answer };
    const outcome = Array.fromAsync(hearTags(settings, '', undefined, undefined)).catch((error) => error);
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    await settle();
    context.mock.timers.tick(44_999);
    await settle();
    assert.equal(isOver, false);
    context.mock.timers.tick(1);
    const heard = await outcome;
    if (pieces.length === 0) assert.ok(heard instanceof NoStream);
    else assert.deepEqual(heard, pieces.length === 1 ? [] : ['1']);
  }
});

test('a refusal whose body does not come is waited for as long as an answer', async () => {
  const answer = new Response(new ReadableStream(), { status: 503 });
  const settings = { url: 'http://server/acme', token: 't', timeoutMs: 5, fetch: async () => answer };
  const listening = hearTags(settings, '', undefined, undefined).next();
  await assert.rejects(listening, new ShiftfeedUnavailableError('There was no answer within 5 ms.'));
});
