import assert from 'node:assert/strict';
import { formatMonth } from '@shiftfeed/common/days';
import type { AccountState, FeedStore, FreshnessAnswer } from '../../src/store/feed-store.ts';

/** What a database answers about the account acme to a caller who holds nothing of it. */
export async function toldState(store: FeedStore, tokenHash: string): Promise<AccountState> {
  const [answer] = await store.freshness([{ tokenHash, slug: 'acme', held: undefined }], 1);
  return stateIn(answer);
}

export function stateIn(answer: FreshnessAnswer | undefined): AccountState {
  assert.ok(answer?.account !== undefined && answer.account !== 'unchanged');
  return answer.account;
}

/** The months that were stamped after a revision. */
export function stampedAfter({ months }: AccountState, revision: number): string[] {
  return months.filter(({ stamp }) => stamp > revision).map(({ month }) => formatMonth(month));
}
