/** Reading many pages while the plan changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type OnChange,
  ShiftfeedAnswerError,
  ShiftfeedChangedError,
  ShiftfeedClient,
  type ShiftfeedClientOptions,
} from '@shiftfeed/client';
import fc from 'fast-check';
import { someShift } from './other-server.ts';

/** A plan that changes before some of its requests, behind a `fetch`. */
class Plan {
  ids: number[];
  /** Every state that was ever there, as text. */
  readonly states = new Set<string>();
  requests = 0;
  readonly #beforeRequest: (plan: Plan) => void;
  readonly #hasRevision: boolean;

  constructor(ids: number[], beforeRequest: (plan: Plan) => void, hasRevision = true) {
    this.ids = ids;
    this.#beforeRequest = beforeRequest;
    this.#hasRevision = hasRevision;
    this.states.add(String(ids));
  }

  change(ids: number[]): void {
    this.ids = ids;
    this.states.add(String(ids));
  }

  fetch = async (url: string): Promise<Response> => {
    this.#beforeRequest(this);
    this.requests++;
    const query = new URL(url).searchParams;
    const page = Number(query.get('page'));
    const perPage = Number(query.get('per_page'));
    const ids = this.ids.slice((page - 1) * perPage, page * perPage);
    const total = this.ids.length;
    const meta = { total, page, per_page: perPage, total_pages: Math.ceil(total / perPage) };
    return Response.json(
      { shifts: ids.map((id) => someShift(id)), meta },
      this.#hasRevision ? { headers: { 'shiftfeed-revision': String(this.states.size) } } : {},
    );
  };
}

async function read(
  plan: Plan,
  onChange: OnChange,
  options: Partial<ShiftfeedClientOptions> = {},
  patienceMs = 60_000,
): Promise<number[]> {
  const { fetch } = plan;
  const client = new ShiftfeedClient({
    url: 'http://server/acme',
    token: 't',
    backoffMs: 0,
    fetch,
    ...options,
  });
  const ids: number[] = [];
  for await (const { id } of client.all({ per_page: 2 }, { onChange, patienceMs })) ids.push(id);
  return ids;
}

const once = (request: number, ids: number[]) => (plan: Plan) => {
  if (plan.requests === request) plan.change(ids);
};

test('by default a reading that saw a change starts again, so that what it gives was there at one moment', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], once(1, [2, 3, 4, 5, 6]));
  assert.deepEqual(await read(plan, 'restart'), [2, 3, 4, 5, 6]);
  assert.equal(plan.requests, 2 + 3);
});

test('a plan that never rests is given up on', async () => {
  const plan = new Plan([1, 2, 3], (changing) => changing.change([...changing.ids, changing.ids.length + 1]));
  await assert.rejects(read(plan, 'restart', {}, 0), ShiftfeedChangedError);
  assert.equal(plan.requests, 2);
  await assert.rejects(read(plan, 'restart', {}, 20), ShiftfeedChangedError);
});

test('as chosen, a change ends the reading after what was already given', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], once(2, [2, 3, 4, 5, 6]));
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch: plan.fetch });
  const pages = client.pages({ per_page: 2 }, { onChange: 'throw' });
  assert.deepEqual(
    (await pages.next()).value?.shifts.map(({ id }) => id),
    [1, 2],
  );
  assert.equal(plan.requests, 1, 'a page is asked for when it is wanted');
  assert.deepEqual(
    (await pages.next()).value?.shifts.map(({ id }) => id),
    [3, 4],
  );
  await assert.rejects(pages.next(), {
    name: 'ShiftfeedChangedError',
    message: 'The shifts changed while their pages were read.',
  });
  assert.equal((await pages.next()).done, true);
});

test('as chosen, a change is let be', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], once(1, [2, 3, 4, 5, 6]));
  assert.deepEqual(await read(plan, 'ignore'), [1, 2, 4, 5, 6]);
});

test('whatever changes and whenever, a whole reading is a state that was there', async () => {
  const anyIds = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 9 });
  const anyChanges = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), anyIds), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(anyIds, anyChanges, async (ids, changes) => {
      const plan = new Plan(ids, (changing) => {
        for (const [request, later] of changes) if (request === changing.requests) changing.change(later);
      });
      assert.ok(plan.states.has(String(await read(plan, 'restart'))));
    }),
  );
});

test('without revisions, totals and shifts that come twice tell of a change', async () => {
  for (const [before, later] of [
    [
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4],
    ],
    [
      [1, 2, 3, 4, 5],
      [9, 1, 2, 3, 4],
    ],
    [[1, 2, 3], []],
  ] as const) {
    const plan = new Plan([...before], once(1, [...later]), false);
    assert.deepEqual(await read(plan, 'restart'), later);
  }
  const quiet = new Plan([1, 2, 3, 4, 5], () => undefined, false);
  assert.deepEqual(await read(quiet, 'restart'), [1, 2, 3, 4, 5]);
  assert.equal(quiet.requests, 3);
});

test('without revisions, pages that do not add up to the total tell of a change', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], () => undefined, false);
  const shortOnce = async (url: string) => {
    const response = await plan.fetch(url);
    if (plan.requests !== 2) return response;
    const { shifts, meta } = (await response.json()) as { shifts: object[]; meta: object };
    return Response.json({ shifts: shifts.slice(1), meta });
  };
  assert.deepEqual(await read(plan, 'restart', { fetch: shortOnce }), [1, 2, 3, 4, 5]);
  assert.equal(plan.requests, 3 + 3);
});

test('another total is a change at the same revision, as when midnight passes', async () => {
  const plan = new Plan([1, 2, 3, 4], once(1, [2, 3, 4]));
  const sameRevision = async (url: string) => {
    const response = await plan.fetch(url);
    response.headers.set('shiftfeed-revision', '1');
    return response;
  };
  assert.deepEqual(await read(plan, 'restart', { fetch: sameRevision }), [2, 3, 4]);
});

test('an answer that does not say its revision is no change', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], () => undefined);
  const forgetful = async (url: string) => {
    const response = await plan.fetch(url);
    if (plan.requests === 2) response.headers.delete('shiftfeed-revision');
    return response;
  };
  assert.deepEqual(await read(plan, 'restart', { fetch: forgetful }), [1, 2, 3, 4, 5]);
  assert.equal(plan.requests, 3);
});

test('a server that sends other pages than it is asked for is not read without end', async () => {
  const page = (number: number, ids: number[]) =>
    Response.json({
      shifts: ids.map((id) => someShift(id)),
      meta: { total: 1_000, page: number, per_page: 2, total_pages: 500 },
    });
  let requests = 0;
  const always = new ShiftfeedClient({
    url: 'http://server/acme',
    token: 't',
    backoffMs: 0,
    fetch: async () => page(1, requests++ === 0 ? [1, 2] : []),
  });
  const ids: number[] = [];
  for await (const { id } of always.all({}, { onChange: 'ignore' })) ids.push(id);
  assert.deepEqual([ids, requests], [[1, 2], 2]);
  await assert.rejects(always.all({}, { patienceMs: 0 }).next(), ShiftfeedChangedError);
});

test('nothing matches: one page without shifts', async () => {
  for (const onChange of ['restart', 'throw', 'ignore'] as const) {
    const client = new ShiftfeedClient({
      url: 'http://server/acme',
      token: 't',
      fetch: new Plan([], () => undefined).fetch,
    });
    const pages = client.pages({ per_page: 2 }, { onChange });
    assert.equal((await pages.next()).value?.meta.total, 0);
    assert.equal((await pages.next()).done, true);
  }
});

test('more than may be collected is told at once, and can be read as it comes', async () => {
  const plan = new Plan([1, 2, 3, 4, 5], () => undefined);
  await assert.rejects(read(plan, 'restart', { maxCollectedShifts: 4 }), (error) => {
    assert.ok(error instanceof ShiftfeedAnswerError);
    assert.match(error.message, /^There are 5 shifts, and at most 4 are collected/);
    return true;
  });
  assert.equal(plan.requests, 1);
  assert.deepEqual(await read(plan, 'throw', { maxCollectedShifts: 4 }), [1, 2, 3, 4, 5]);
});

test('a signal ends a reading', async () => {
  const controller = new AbortController();
  const plan = new Plan([1, 2, 3], ({ requests }) => {
    if (requests === 1) controller.abort();
  });
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't', fetch: plan.fetch });
  const { signal } = controller;
  await assert.rejects(client.all({ per_page: 2 }, { signal }).next(), { name: 'AbortError' });
});

test('what is wrong about a reading is told before it begins', () => {
  const client = new ShiftfeedClient({ url: 'http://server/acme', token: 't' });
  const loose = client as unknown as Record<'pages' | 'all', (filter: object, options?: object) => unknown>;
  assert.throws(() => loose.pages({ page: 2 }), /The filter names a page/);
  assert.throws(() => loose.pages({ months: [] }), /months is an empty list/);
  assert.throws(() => loose.all({ months: [] }), /months is an empty list/);
  assert.throws(
    () => loose.pages({}, { onChange: 'retry' }),
    /onChange is "retry"; expected one of restart, throw, ignore/,
  );
  for (const patienceMs of [-1, 0.5, 2 ** 31]) {
    assert.throws(() => loose.all({}, { patienceMs }), /patienceMs is .*; expected a whole number from 0 to/);
  }
});
