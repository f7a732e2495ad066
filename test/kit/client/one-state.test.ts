/** Reading all pages as one state, from a server that tags its listings. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Shift, ShiftfeedChangedError, ShiftfeedClient } from '@shiftfeed/client';
import fc from 'fast-check';
import { often } from '../../support/strength.ts';
import { ChangingPlan, shiftIn, yearOf } from './changing-plan.ts';

const PAGE = { per_page: 4 };

function clientOf({ fetch }: ChangingPlan, options: object = {}): ShiftfeedClient {
  return new ShiftfeedClient({ url: 'http://server/acme', token: 't', backoffMs: 0, fetch, ...options });
}

const read = (plan: ChangingPlan, options: object = {}) => Array.fromAsync(clientOf(plan).all(PAGE, options));

/** Changes the remarks of a shift. */
function remark(plan: ChangingPlan, id: number): void {
  plan.change(
    plan.shifts.map((shift) => (shift.id === id ? { ...shift, remarks: `${plan.requests}` } : shift)),
  );
}

test('a write elsewhere in the account, which moves the revision, disturbs no reading', async () => {
  const plan = new ChangingPlan(yearOf(4));
  const busy = async (url: string, init: RequestInit) => {
    const response = await plan.fetch(url, init);
    response.headers.set('shiftfeed-revision', String(plan.requests));
    return response;
  };
  const all = clientOf(plan, { fetch: busy }).all(PAGE, { onChange: 'throw' });
  assert.deepEqual(await Array.fromAsync(all), plan.shifts);
  assert.equal(plan.requests, 12);
});

test('a listing that changes while it is read is read again by stretches, and then only what changed', async () => {
  // While the last pages are read, and again while the stretches are.
  const changes: Record<number, number> = { 10: 1, 20: 9 };
  const plan = new ChangingPlan(yearOf(4), {
    beforeRequest: (changing) => {
      const id = changes[changing.requests];
      if (id !== undefined) remark(changing, id);
    },
  });
  assert.deepEqual(await read(plan), plan.shifts);
  const pages = plan.log.slice(0, 12);
  assert.ok(pages.every((line) => /^200 \?page=\d+&per_page=4$/.test(line)));
  const again = plan.log.slice(12 + 2 + 12 + 1);
  assert.deepEqual(
    again.filter((line) => line.endsWith('per_page=4')),
    ['200 ?date_from=2026-03-01&date_to=2026-03-31&page=1&per_page=4'],
  );
  assert.equal(again.length, 2 + 12 + 1 + 1);
});

test('pages that were put together from stretches are like those of the server', async () => {
  const changeOnce = (changing: ChangingPlan) => {
    if (changing.requests === 5) remark(changing, 1);
  };
  const plan = new ChangingPlan(yearOf(3), { beforeRequest: changeOnce });
  const client = clientOf(plan);
  const pages = await Array.fromAsync(client.pages({ per_page: 5 }));
  const expected = await Array.fromAsync(client.pages({ per_page: 5 }));
  assert.deepEqual(pages, expected);
  assert.ok(
    Object.isFrozen(pages[0]) && Object.isFrozen(pages[0]?.shifts) && Object.isFrozen(pages[0]?.meta),
  );
});

test('whatever changes and whenever, a reading is a state that was there', async () => {
  const anyShift = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 40 }), fc.constantFrom('', 'x'))
    .map(([month, id, remarks]) => shiftIn(month, id, { remarks }));
  const anyShifts = fc.uniqueArray(anyShift, { maxLength: 30, selector: ({ id }) => id, size: 'max' });
  /** Moves a shift, which keeps the total, or puts other shifts in the place of all. */
  const anyChange = fc.tuple(
    fc.integer({ min: 0, max: 60 }),
    fc.oneof({ weight: 8, arbitrary: anyShift }, { weight: 1, arbitrary: anyShifts }),
  );
  const anyChanges = fc.array(anyChange, { maxLength: 12, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      anyShifts,
      anyChanges,
      fc.integer({ min: 1, max: 5 }),
      async (shifts, changes, per_page) => {
        const plan = new ChangingPlan(shifts, {
          beforeRequest: (changing) => {
            for (const [request, later] of changes) {
              if (request !== changing.requests) continue;
              changing.change('id' in later ? moved(changing.shifts, later) : later);
            }
          },
        });
        const given = await Array.fromAsync(clientOf(plan).all({ per_page }));
        assert.ok(plan.states.has(JSON.stringify(given)));
      },
    ),
    { numRuns: often(50, 2_000) },
  );
});

/** One of the shifts is in the place of another. */
function moved(shifts: readonly Shift[], place: Shift): readonly Shift[] {
  const one = shifts[place.id % shifts.length];
  return shifts.map((shift) => (shift === one ? { ...place, id: shift.id } : shift));
}

test('a listing that never rests is given up on when patience is over, with an error that says so', async () => {
  for (const shifts of [yearOf(1), yearOf(4)]) {
    const plan = new ChangingPlan(shifts, { beforeRequest: (changing) => remark(changing, 1) });
    await assert.rejects(read(plan, { patienceMs: 20 }), (error) => {
      assert.ok(error instanceof ShiftfeedChangedError);
      assert.match(error.message, /^The shifts changed while .* for 0\.02 s .*\(patienceMs\)\.$/);
      return true;
    });
    await assert.rejects(read(plan, { patienceMs: 0 }), ShiftfeedChangedError);
  }
});

test('a server that tags its listings and lists them in an order of its own is read page by page', async () => {
  const plan = new ChangingPlan(yearOf(4), {
    beforeRequest: (changing) => {
      if (changing.requests === 5) remark(changing, 1);
    },
  });
  const careless = async (url: string, init: RequestInit) => {
    const everything = url.replace(/date_(from|to)=[\d-]+&/g, '');
    return plan.fetch(everything, init);
  };
  const given: Shift[] = await Array.fromAsync(clientOf(plan, { fetch: careless }).all(PAGE));
  assert.deepEqual(given, plan.shifts);
});

test('pages with an entity tag alone are asked for with it, even if nothing is remembered', async () => {
  const plan = new ChangingPlan(yearOf(1), {
    headers: 'etag',
    beforeRequest: (changing) => {
      if (changing.requests === 2) changing.change(changing.shifts.slice(0, -1));
    },
  });
  const given = await Array.fromAsync(clientOf(plan, { memoryBytes: 0 }).all(PAGE));
  assert.deepEqual(given, plan.shifts);
  assert.deepEqual(
    plan.log.map((line) => line.slice(0, 3)),
    ['200', '200', '200', '200', '200', '304'],
  );
});

test('an answer from a memory that is older does not make a state', async () => {
  const plan = new ChangingPlan(yearOf(4), {
    beforeRequest: (changing) => {
      if (changing.requests === 5) remark(changing, 1);
    },
  });
  const stale = async (url: string, init: RequestInit) => {
    const response = await plan.fetch(url, init);
    if (plan.requests < 40 && url.endsWith('per_page=1')) response.headers.set('shiftfeed-stale', '3');
    return response;
  };
  assert.deepEqual(await Array.fromAsync(clientOf(plan, { fetch: stale }).all(PAGE)), plan.shifts);
  assert.ok(plan.requests > 40);
});
