/** Copies that are kept by watching the service, while somebody edits the plan between and during the requests. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ShiftChanges, ShiftFilter } from '@shiftfeed/client';
import fc from 'fast-check';
import type { ShiftRecord } from '../../../src/store/records.ts';
import type { DatabaseKind } from '../../support/database.ts';
import { ACME, shift } from '../../support/document.ts';
import { type Service, startService } from '../../support/service.ts';
import { often } from '../../support/strength.ts';
import { applyTo, type Watched, watched } from './watched.ts';

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
        { numRuns: often(4, 30) },
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
