import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLoader } from '../../src/feed/loader.ts';
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
