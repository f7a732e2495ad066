import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeFeed } from '../../src/feed/feed.ts';
import { type LoadRequest, load } from '../../src/feed/load.ts';
import { type Loader, startLoader } from '../../src/feed/loader.ts';
import { hashToken, makeToken } from '../../src/feed/token.ts';
import { parseQuery } from '../../src/http/parameters.ts';
import { checkDocument } from '../../src/import/document.ts';
import { importDocument } from '../../src/import/import.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { openStore } from '../../src/store/open.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';

const REQUEST = {
  slug: 'acme',
  wants: [
    {
      dates: { years: new Set([2026]) },
      rows: { includeUnpublished: false },
      paging: { page: 1, perPage: 10 },
      nowMs: 0,
      viewKey: '0;;',
      tallies: new Map(),
    },
  ],
  months: [],
  held: new Map(),
  eagerRows: 10,
};

test('a loader that could not open the database tries again with the next load', async (context) => {
  const url = await newDatabaseUrl(context);
  const loader = startLoader(url);
  context.after(() => loader.close());
  await assert.rejects(loader.load(REQUEST), StoreFailure);

  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, checkDocument(acme([shift('2026-12-01')])), { replace: false, dryRun: false });
  const loaded = await loader.load(REQUEST);
  assert.equal(loaded?.blocks.length, 1);
});

test('an account that does not exist has nothing to load', async (context) => {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  const loader = startLoader(url);
  context.after(() => loader.close());
  context.after(() => store.close());
  assert.equal(await loader.load(REQUEST), undefined);
});

test('day tables of another view or stamp are counted again, those that are right are not', async (context) => {
  const { store, month, stamp } = await oneShift(context);
  const tally = new Uint32Array(32);
  const countedWith = async (viewKey: string, heldStamp: number) => {
    const tallies = new Map([[month, { stamp: heldStamp, tally }]]);
    const wants = REQUEST.wants.map((want) => ({ ...want, viewKey, tallies }));
    return (await load(store, { ...REQUEST, wants, eagerRows: 0 }))?.tallies.length;
  };
  assert.equal(await countedWith('0;;', stamp), 0);
  assert.equal(await countedWith('1;;', stamp), 1);
  assert.equal(await countedWith('0;;', stamp - 1), 1);
});

test('what is sent to the thread holds no more than it says', async (context) => {
  const { store, url } = await oneShift(context);
  const loader = startLoader(url);
  context.after(() => loader.close());
  const requests: LoadRequest[] = [];
  const spy: Loader = {
    load(request) {
      requests.push(request);
      return loader.load(request);
    },
    loadPage: loader.loadPage,
    ready: loader.ready,
    close: loader.close,
  };
  const feed = makeFeed({
    store,
    loader: spy,
    clock: () => 0,
    cacheBudgetBytes: 1_000_000,
    staleIfErrorMs: 0,
  });
  const token = makeToken();
  const account = await store.findAccount('acme');
  assert.ok(account);
  const facts = { label: '', createdAtMs: 0, expiresAtMs: null };
  await store.addToken({ ...facts, accountId: account.id, hash: hashToken(token) });
  for (const query of ['years=2026', 'years=2026,2027']) {
    await feed.list(await feed.open(token, 'acme'), parseQuery(query));
    await importDocument(store, checkDocument(acme([shift('2027-01-01')])), {
      replace: false,
      dryRun: false,
    });
  }
  const sent = requests.flatMap(({ wants }) => wants.flatMap(({ tallies }) => [...tallies.values()]));
  assert.equal(sent.length, 1);
  for (const { tally } of sent) assert.equal(tally.buffer.byteLength, tally.byteLength);
});

async function oneShift(context: TestContext) {
  const url = await newDatabaseUrl(context);
  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());
  await importDocument(store, checkDocument(acme([shift('2026-12-01')])), { replace: false, dryRun: false });
  const loaded = await load(store, REQUEST);
  const [known] = loaded?.state.months ?? [];
  assert.ok(known);
  return { url, store, ...known };
}
