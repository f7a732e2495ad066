/** The changes of a preview are read in slices by day, however many there are. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPreview, writeChanges } from '../../src/desk/preview.ts';
import type { Change, FindNamed } from '../../src/import/import.ts';
import type { DeskShift } from '../../src/store/admin/desk.ts';
import { type Cleanup, newFolder } from '../support/database.ts';
import { KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';

const COUNT = often(5_000, 200_000);
const nameOf = () => 'Kitchen';
const find: FindNamed = () => KITCHEN as never;

function opened(t: Cleanup, folder: string) {
  const preview = openPreview(folder);
  assert.ok(preview);
  t.after(() => preview[Symbol.dispose]());
  return preview;
}

function dayOf(i: number): string {
  return new Date(Date.UTC(2027, 0, 1 + (i % 100))).toISOString().slice(0, 10);
}

test('changes come by day, those without one first', async (t) => {
  const folder = await newFolder(t);
  const file = await writeChanges(folder);
  t.after(() => file.close());
  await file.add([{ table: 'groups', before: undefined, after: KITCHEN }], nameOf, find);
  for (let start = 0; start < COUNT; start += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, i): Change => {
      const number = start + i;
      const after = shift(dayOf(COUNT - number), { id: number + 1, remarks: `é ${number}` });
      if (number % 3 === 0) return { table: 'shifts', before: undefined, after };
      if (number % 3 === 1) return { table: 'shifts', before: after, after: undefined };
      return { table: 'shifts', before: { ...after, date: '2026-12-31' }, after };
    });
    await file.add(some, nameOf, find);
  }
  const { changes, days } = await file.end();
  assert.equal(changes, COUNT + 1);
  assert.deepEqual(days[0], { day: null, first: 0, count: 1 });
  assert.equal(days.length, 101);

  const preview = opened(t, folder);
  const seen: (string | null)[] = [];
  for (let offset = 0; offset < Math.min(changes, 10_000); offset += 500)
    seen.push(...preview.changes(offset, 500).map(({ day }) => day));
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => (one ?? '').localeCompare(other ?? '')),
  );
  const { first, count } = days[50] as (typeof days)[number];
  const slice = preview.changes(first, count);
  assert.ok(slice.every(({ day }) => day === days[50]?.day));
  assert.deepEqual(preview.changes(changes, 200), []);
  assert.equal(preview.changes(changes - 1, 200).length, 1);
});

test('what moves away from a day is touched there, and shown where it goes', async (t) => {
  const folder = await newFolder(t);
  const file = await writeChanges(folder);
  t.after(() => file.close());
  const [stays, goes, leaves] = [1, 2, 3].map((id) => shift('2027-01-05', { id }));
  await file.add(
    [
      { table: 'shifts', before: stays, after: { ...stays, remarks: 'Keys' } as never },
      { table: 'shifts', before: goes, after: { ...goes, date: '2027-01-09' } as never },
      { table: 'shifts', before: leaves, after: undefined },
    ],
    nameOf,
    find,
  );
  await file.end();
  const preview = opened(t, folder);
  const now = [1, 2, 3, 4].map((id) => ({ id, group: KITCHEN }) as unknown as DeskShift);
  assert.deepEqual(
    preview.kept(now).map(({ id }) => id),
    [4],
  );
  const written = (from: string, to: string, limit = 10) =>
    preview.written(from, to, limit).shifts.map(({ id, date, remarks }) => [id, date, remarks]);
  assert.deepEqual(written('2027-01-05', '2027-01-05'), [[1, '2027-01-05', 'Keys']]);
  assert.deepEqual(written('2027-01-06', '2027-01-31'), [[2, '2027-01-09', '']]);
  for (const [limit, more] of [
    [1, true],
    [2, false],
  ] as const)
    assert.equal(preview.written('2027-01-01', '2027-01-31', limit).more, more);
  assert.deepEqual(
    preview.changes(0, 10).map(({ kind }) => kind),
    ['changed', 'removed', 'changed'],
  );
});

test('a new preview takes the place of the one before only when it is whole', async (t) => {
  const folder = await newFolder(t);
  const first = await writeChanges(folder);
  await first.add([{ table: 'groups', before: undefined, after: KITCHEN }], nameOf, find);
  await first.end();
  const second = await writeChanges(folder);
  await second.close();
  assert.equal(opened(t, folder).changes(0, 10).length, 1);
  assert.equal(openPreview(join(folder, 'elsewhere')), undefined);
});
