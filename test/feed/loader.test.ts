import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Month } from '@shiftfeed/common/days';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { type Feed, type FeedOptions, makeFeed } from '../../src/feed/feed.ts';
import { loadPages, type PagesToLoad } from '../../src/feed/loading/load-pages.ts';
import { type Loader, startLoader } from '../../src/feed/loading/loader.ts';
import type { CutPage } from '../../src/feed/page.ts';
import type { Timers } from '../../src/feed/waiting.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import { importDocument } from '../../src/import/import.ts';
import { makeScratch } from '../../src/listing/build-month.ts';
import { MAX_MONTHS } from '../../src/store/account.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import type { FeedStore } from '../../src/store/feed-store.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { newDatabaseUrl, newStoreUrl, openWithFeed } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const REQUEST = {
  slug: 'acme',
  nowMs: 0,
  wholeMonths: [],
  pages: [
    {
      dates: { years: new Set([2026]) },
      rows: { includeUnpublished: false },
      paging: { page: 1, perPage: 10 },
      viewKey: '0;;',
      dayStarts: new Map(),
    },
  ],
  held: new Map(),
  eagerRows: 10,
};

function requestFor(url: string) {
  const file = statSync(url.slice('sqlite:'.length), { bigint: true, throwIfNoEntry: false });
  return { ...REQUEST, history: `${file?.dev}/${file?.ino}@1` };
}

test('a loader that could not open the database tries again with the next load', async (context) => {
  const url = await newDatabaseUrl(context);
  const loader = startLoader(url);
  context.after(() => loader.close());
  await assert.rejects(loader.load(requestFor(url)), StoreFailure);

  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, acme([shift('2026-12-01')]), { replace: false, dryRun: false });
  const loaded = await loader.load(requestFor(url));
  assert.equal(loaded?.blocks.length, 1);
});

test('an account that does not exist has nothing to load', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  const loader = startLoader(url);
  context.after(() => loader.close());
  context.after(() => store.close());
  assert.equal(await loader.load(requestFor(url)), undefined);
});

test('small loads at the same moment share one thread', async (context) => {
  const { url } = await oneShift(context);
  const started = countThreads(context);
  const loader = startLoader(url);
  context.after(() => loader.close());
  await Promise.all(Array.from({ length: 10 }, () => loader.load(requestFor(url))));
  assert.equal(started(), 1);
});

test('on PostgreSQL, a thread has as many loads as connections before another one is started', async (context) => {
  for (const [loads, threads] of [
    [4, 1],
    [5, 2],
  ] as const) {
    const started = countThreads(context);
    // Nobody listens there. That does not matter for the number of threads.
    const loader = startLoader('postgres://127.0.0.1:1/nobody');
    context.after(() => loader.close());
    await Promise.allSettled(Array.from({ length: loads }, () => loader.load({ ...REQUEST, history: '' })));
    assert.equal(started(), threads, `${loads} loads`);
  }
});

test('the connections of a thread are counted, and none of one that has ended', async (context) => {
  const loader = startLoader(await newStoreUrl(context, 'postgres'), { waitMs: LIMIT_MS });
  context.after(() => loader.close());
  await until('the thread is connected', async () => (await loader.poolCounts()).idle === 1);
  await loader.close();
  assert.deepEqual(await loader.poolCounts(), { used: 0, idle: 0, waiting: 0 });
});

test('a load that would wait gets a second thread: for a crowd, for one that is known to take long, and for one that does', async (context) => {
  const { url, month } = await oneShift(context);
  const request = requestFor(url);
  const longWaits: Readonly<Record<string, (loader: Loader, passMs: (ms: number) => void) => unknown[]>> = {
    crowd: (loader) => Array.from({ length: 30 }, () => loader.load(request)),
    wholeMonths: (loader) => [loader.load({ ...request, pages: [], wholeMonths: [month] })],
    late(loader, passMs) {
      const load = loader.load(request);
      passMs(10_000);
      return [load];
    },
  };
  for (const [what, makeBusy] of Object.entries(longWaits)) {
    const started = countThreads(context);
    let nowMs = 0;
    const loader = startLoader(url, {}, () => nowMs);
    context.after(() => loader.close());
    const busy = makeBusy(loader, (ms) => {
      nowMs += ms;
    });
    const last = await loader.load(request);
    await Promise.all(busy);
    assert.deepEqual([what, started(), last?.blocks.length], [what, 2, 1]);
  }
});

test('day starts of another view or stamp are counted again, those that are right are not', async (context) => {
  const { store, history, month, stamp } = await oneShift(context);
  const dayStarts = new Uint32Array(32);
  const countedWith = async (viewKey: string, heldStamp: number) => {
    const held = new Map([[month, { stamp: heldStamp, dayStarts }]]);
    const pages = REQUEST.pages.map((page) => ({ ...page, viewKey, dayStarts: held }));
    const request = { ...REQUEST, history, pages, eagerRows: 0 };
    return (await loadPages(store, request, makeScratch()))?.counted.length;
  };
  assert.equal(await countedWith('0;;', stamp), 0);
  assert.equal(await countedWith('1;;', stamp), 1);
  assert.equal(await countedWith('0;;', stamp - 1), 1);
});

test('of an account that has become too large, only that is told', async (context) => {
  const { store } = await oneShift(context);
  const many = Array.from({ length: MAX_MONTHS + 5 }, (_, i) => ({ month: i as Month, stamp: 1 }));
  const grown: Pick<FeedStore, 'read'> = {
    read: (slug, work, history) =>
      store.read(
        slug,
        (transaction) => work({ ...transaction, state: { ...transaction.state, months: many } }),
        history,
      ),
  };
  const state = await store.read('acme', async (transaction) => transaction.state);
  assert.ok(state);
  const loaded = await loadPages(grown, { ...REQUEST, history: state.history }, makeScratch());
  assert.deepEqual([loaded?.state.months.length, loaded?.blocks, loaded?.counted], [MAX_MONTHS + 1, [], []]);
});

test('a load that never ends does not keep others from their turn', async (context) => {
  const { store } = await oneShift(context);
  const tokenHash = await newToken(store);
  let isHanging = true;
  const timers: Timers = {
    soon: (run) => void setImmediate(run),
    after(delayMs, run) {
      const timeout = setTimeout(run, isHanging && delayMs >= 60_000 ? 1 : delayMs);
      return () => clearTimeout(timeout);
    },
  };
  const scratch = makeScratch();
  const loader: Pick<Loader, 'load'> = {
    load: (request) => (isHanging ? new Promise(() => undefined) : loadPages(store, request, scratch)),
  };
  const feed = feedOf(store, loader, { timers });
  const list = () => listPage(feed, tokenHash, 'acme', 'years=2026');

  await assert.rejects(list(), StoreFailure);
  isHanging = false;
  assert.equal((await list()).layout.total, 1);
});

test('a load from a replica that lags behind what was asked for is no answer', async (context) => {
  const { store } = await oneShift(context);
  const tokenHash = await newToken(store);
  const scratch = makeScratch();
  let load: Loader['load'] = (request) => loadPages(store, request, scratch);
  const feed = feedOf(store, { load: (request) => load(request) });
  const list = () => listPage(feed, tokenHash, 'acme', 'years=2026');
  await list();
  const { history } = (await feed.open(tokenHash, 'acme')).snapshot;
  const before = await loadPages(store, { ...REQUEST, history }, scratch);
  const document = acme([shift('2026-12-01', { id: 1, remarks: 'new' })]);
  await importDocument(store, document, { replace: false, dryRun: false });
  const present = load;
  load = async () => before;
  await assert.rejects(list(), /older state/);
  load = present;
  assert.match(Buffer.concat((await list()).slices()).toString(), /"remarks":"new"/);
});

test('a change that was noticed and cannot be loaded does not hide the state before it', async (context) => {
  const { store } = await oneShift(context);
  const tokenHash = await newToken(store);
  const away = { tokens: false, shifts: false };
  const unlessAway = async <T>(what: keyof typeof away, ask: () => Promise<T>) => {
    if (away[what]) throw new StoreFailure('unavailable', 'It is away.');
    return ask();
  };
  const scratch = makeScratch();
  let nowMs = Date.parse('2026-11-15');
  const bridging: (string | undefined)[] = [];
  const feed = feedOf(
    { ...store, freshness: (...asked) => unlessAway('tokens', () => store.freshness(...asked)) },
    { load: (request) => unlessAway('shifts', () => loadPages(store, request, scratch)) },
    {
      clock: () => nowMs,
      staleIfErrorMs: 60_000,
      onBridging: (reason) => bridging.push(reason?.message),
    },
  );
  const shown = async () => {
    const { slices, staleMs } = await listPage(feed, tokenHash, 'acme', 'years=2026');
    return [/"remarks":"(.*?)"/.exec(Buffer.concat(slices()).toString())?.[1], staleMs];
  };
  assert.deepEqual(await shown(), ['', undefined]);
  const change = (remarks: string) =>
    importDocument(store, acme([shift('2026-12-01', { id: 1, remarks })]), { replace: false, dryRun: false });
  await change('first');
  away.shifts = true;
  assert.deepEqual(
    [await shown(), await shown()],
    [
      ['', 0],
      ['', 0],
    ],
  );
  assert.deepEqual(bridging, ['It is away.']);
  away.tokens = true;
  nowMs += 5_000;
  assert.deepEqual(await shown(), ['', 5_000]);
  nowMs += 60_000;
  await assert.rejects(shown(), StoreFailure);
  away.tokens = false;
  away.shifts = false;
  await change('second');
  assert.deepEqual(await shown(), ['second', undefined]);
  assert.deepEqual(bridging, ['It is away.', undefined]);
});

for (const [cacheBudgetBytes, loads] of [
  [2_000_000, [2]],
  [200_000, [1, 1]],
] as const) {
  test(`of a cache of ${cacheBudgetBytes} bytes, months that changed are renewed in ${loads.length} loads`, async (context) => {
    const { store } = await oneShift(context);
    const tokenHash = await newToken(store);
    const scratch = makeScratch();
    const renewed: number[] = [];
    const load: Loader['load'] = (request) => {
      if (request.wholeMonths.length > 0) renewed.push(request.wholeMonths.length);
      return loadPages(store, request, scratch);
    };
    const feed = feedOf(store, { load }, { cacheBudgetBytes, staleIfErrorMs: 60_000 });
    const change = (remarks: string) => {
      const days = ['2026-11-20', '2026-12-01'].flatMap((date) => Array.from({ length: 20 }, () => date));
      const shifts = days.map((date, i) => shift(date, { id: i + 1, remarks }));
      return importDocument(store, acme(shifts), { replace: true, dryRun: false });
    };
    await change('a'.repeat(900));
    await listPage(feed, tokenHash, 'acme', 'years=2026');
    await change('b'.repeat(900));
    // A page that needs no month, so that only the change is noticed.
    await listPage(feed, tokenHash, 'acme', 'years=2020');
    await until('both months are renewed', () => renewed.reduce((sum, count) => sum + count, 0) === 2);
    assert.deepEqual(renewed, loads);
  });
}

test('whole months are loaded after the answer', async (context) => {
  const { store } = await oneShift(context);
  const tokenHash = await newToken(store);
  const scratch = makeScratch();
  const done: string[] = [];
  const loader: Pick<Loader, 'load'> = {
    load(request) {
      done.push(request.wholeMonths.length > 0 ? 'month' : 'page');
      return loadPages(store, request, scratch);
    },
  };
  const feed = feedOf(store, loader, { eagerRows: 0 });
  await listPage(feed, tokenHash, 'acme', 'years=2026');
  done.push('answer');
  await until('the month is loaded', () => done.includes('month'));
  assert.deepEqual(done, ['page', 'answer', 'month']);
});

test('what is sent to the thread holds no more than it says', async (context) => {
  const { store, url } = await oneShift(context);
  const loader = startLoader(url);
  context.after(() => loader.close());
  const requests: PagesToLoad[] = [];
  const spy: Loader = {
    ...loader,
    load(request) {
      requests.push(request);
      return loader.load(request);
    },
  };
  const feed = feedOf(store, spy);
  const tokenHash = await newToken(store);
  for (const query of ['years=2026', 'years=2026,2027']) {
    await listPage(feed, tokenHash, 'acme', query);
    await importDocument(store, acme([shift('2027-01-01')]), { replace: false, dryRun: false });
  }
  const sent = requests.flatMap(({ pages }) => pages.flatMap(({ dayStarts }) => [...dayStarts.values()]));
  assert.equal(sent.length, 1);
  for (const { dayStarts } of sent) assert.equal(dayStarts.buffer.byteLength, dayStarts.byteLength);
});

function feedOf(
  store: FeedOptions['store'],
  loader: FeedOptions['loader'],
  options: Partial<FeedOptions> = {},
): Feed {
  const clock = () => Date.parse('2026-11-15');
  return makeFeed({ store, loader, clock, cacheBudgetBytes: 1_000_000, staleIfErrorMs: 0, ...options });
}

/** Counts the threads that this process starts from now on. */
function countThreads(context: TestContext): () => number {
  let count = 0;
  const add = () => {
    count++;
  };
  process.on('worker', add);
  context.after(() => void process.off('worker', add));
  return () => count;
}

async function oneShift(context: TestContext) {
  const url = await newDatabaseUrl(context);
  const store = await openWithFeed(url);
  context.after(() => store.close());
  await importDocument(store, acme([shift('2026-12-01')]), { replace: false, dryRun: false });
  const state = await store.read('acme', async (transaction) => transaction.state);
  const [month] = state?.months ?? [];
  assert.ok(state && month);
  return { url, store, history: state.history, ...month };
}

async function newToken(store: Store): Promise<string> {
  const hash = hashToken(makeToken());
  const account = await store.findAccount('acme');
  assert.ok(account);
  await store.addToken({ accountId: account.id, hash, label: '', createdAtMs: 0, expiresAtMs: null });
  return hash;
}

/** A page as a request gets it, without HTTP. */
async function listPage(feed: Feed, tokenHash: string, slug: string, search: string): Promise<CutPage> {
  const access = await feed.open(tokenHash, slug);
  const page = access.snapshot.page(parseQuery(search), access.nowMs);
  return feed.fromMemory(page) ?? feed.load(page, access);
}
