/**
 * Pages of shifts, checked before they are timed: status, count and total, and the same ids from whoever lists them.
 */

import assert from 'node:assert/strict';
import { askOnce } from './load/once.ts';
import type { Target } from './load/target.ts';

export interface ListedPage {
  readonly body: Buffer;
  readonly ids: readonly number[];
  readonly total: number;
}

export async function readListing(target: Target): Promise<ListedPage> {
  const { status, body } = await askOnce(target);
  assert.equal(status, 200, `${target.url}: ${body.subarray(0, 200)}`);
  const { shifts, meta } = JSON.parse(body.toString());
  const remaining = Math.max(0, meta.total - (meta.page - 1) * meta.per_page);
  assert.equal(shifts.length, Math.min(meta.per_page, remaining), `${target.url}: the number of shifts`);
  assert.ok(shifts.length > 0, `${target.url}: no shifts`);
  return { body, ids: shifts.map(({ id }: { id: number }) => id), total: meta.total };
}

export function assertSamePage(
  actual: Pick<ListedPage, 'ids' | 'total'>,
  expected: Pick<ListedPage, 'ids' | 'total'>,
  who: string,
): void {
  assert.equal(actual.total, expected.total, `${who}: another total`);
  assert.deepEqual(actual.ids, expected.ids, `${who}: other shifts`);
}

export async function assertSameBytes(target: Target, body: Buffer): Promise<void> {
  const answer = await askOnce(target);
  assert.equal(answer.status, 200, target.url);
  assert.ok(answer.body.equals(body), `${target.url}: other bytes`);
}
