import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountSnapshot } from '../../src/feed/access/account-snapshot.ts';
import { keepLastAnswers } from '../../src/feed/access/last-answers.ts';

const TOKEN = { id: 1, accountId: 1, expiresAtMs: null };

function snapshot(slug: string, revision: number): AccountSnapshot {
  const account = { id: 1, slug, name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  return { account, history: '', revision, months: [], stamps: new Map(), isHuge: false };
}

test('the name of a restored backup is believed when the database has stayed that old', () => {
  let nowMs = 0;
  const answers = keepLastAnswers(60_000, () => nowMs, { get: () => undefined });
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
