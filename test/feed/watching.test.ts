/** Rounds of many watchers: who waits for whom. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Access } from '../../src/feed/access/freshness.ts';
import { makeSnapshot } from '../../src/feed/access/snapshots.ts';
import type { Page } from '../../src/feed/page.ts';
import type { Timers } from '../../src/feed/waiting.ts';
import { makeWatch, type OpenAgain } from '../../src/feed/watching.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { until } from '../support/until.ts';

const QUERY = parseQuery('');
/** More than are asked about at a time. */
const MANY = 300;

function accessOf(
  tokenHash: string,
  slug: string,
  revision: number,
  expiresAtMs: number | null = null,
  id = 1,
): Access {
  const account = { id, slug, timeZone: 'UTC' } as Access['snapshot']['account'];
  const snapshot = makeSnapshot({ account, history: 'h', revision, months: [] });
  return { tokenHash, tokenId: 1, expiresAtMs, snapshot, staleMs: undefined, nowMs: 0 };
}

/** Rounds follow each other at once. */
function watching(
  open: OpenAgain,
  { nowMs = (): number => 0, soon = (run: () => void) => void setImmediate(run) } = {},
) {
  const timers: Timers = {
    soon,
    after(_, run) {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
  };
  return makeWatch(open, nowMs, timers);
}

const away = async () => {
  throw new StoreFailure('unavailable', 'The database is away.');
};

test('accounts of which nothing is known at the moment hold up no other', async () => {
  const watch = watching(async (tokenHash = '', slug) =>
    slug === 'behind' ? away() : accessOf(tokenHash, slug, 2),
  );
  const told: number[] = [];
  const leaving = Array.from({ length: MANY }, (_, i) =>
    watch(accessOf(`token ${i}`, 'behind', 1), 'behind', {
      query: QUERY,
      tell: () => true,
      end: assert.fail,
    }),
  );
  const tell = ({ of }: { of: { revision: number } }) => told.push(of.revision) > 0;
  leaving.push(watch(accessOf('other', 'other', 1), 'other', { query: QUERY, tell, end: assert.fail }));
  await until('the other is told', () => told.includes(2));
  for (const leave of leaving) leave();
});

test('a state that was lost is not asked about again, also where old answers are repeated meanwhile', async () => {
  const watch = watching(async (tokenHash = '', slug, seen) =>
    seen?.revision === 2
      ? { ...accessOf(tokenHash, slug, 2), staleMs: 1_000 }
      : accessOf(tokenHash, slug, seen ? 3 : 1),
  );
  const told: number[] = [];
  const tell = ({ of }: { of: { revision: number } }) => told.push(of.revision) > 0;
  const leave = watch(accessOf('token', 'acme', 2), 'acme', { query: QUERY, tell, end: assert.fail });
  await until('the changes after it are told', () => told.includes(3));
  assert.deepEqual(told.slice(0, 3), [2, 1, 3]);
  leave();
});

test('an account that takes the name of another at the same revision is told', async () => {
  const watch = watching(async (tokenHash = '', slug) => accessOf(tokenHash, slug, 1, null, 2));
  const told: number[] = [];
  const tell = ({ of }: Page) => told.push(of.account.id) > 0;
  const leave = watch(accessOf('token', 'acme', 1), 'acme', { query: QUERY, tell, end: assert.fail });
  await until('it is told', () => told.length === 2);
  assert.deepEqual(told, [1, 2]);
  leave();
});

test('a token expires although the database is away, however many others wait for it', async () => {
  let nowMs = 0;
  const watch = watching(away, { nowMs: () => nowMs });
  let isEnded = false;
  const leaving = Array.from({ length: MANY + 1 }, (_, i) =>
    watch(accessOf(`token ${i}`, 'acme', 1, i < MANY ? null : 1_000), 'acme', {
      query: QUERY,
      tell: () => true,
      end() {
        assert.equal(i, MANY);
        isEnded = true;
      },
    }),
  );
  nowMs = 1_000;
  await until('it is ended', () => isEnded);
  for (const leave of leaving) leave();
});

test('pages get their turn while the watchers of many tokens are told', async () => {
  let revision = 1;
  let [toldAtOnce, most, told] = [0, 0, 0];
  const watch = watching(async (tokenHash = '', slug) => accessOf(tokenHash, slug, revision), {
    soon: (run) =>
      void setImmediate(() => {
        toldAtOnce = 0;
        run();
      }),
  });
  const leaving = Array.from({ length: 1_000 }, (_, i) =>
    watch(accessOf(`token ${i % 10}`, 'acme', 1), 'acme', {
      query: QUERY,
      tell({ of }) {
        if (of.revision === 1) return true;
        told++;
        toldAtOnce++;
        most = Math.max(most, toldAtOnce);
        return true;
      },
      end: assert.fail,
    }),
  );
  revision = 2;
  await until('all are told', () => told === 1_000);
  assert.ok(most <= 50, `${most} at once`);
  for (const leave of leaving) leave();
});
