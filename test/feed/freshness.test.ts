import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import type { ListingBody } from '../../src/http/listing/response.ts';
import { DATABASES, type DatabaseKind, newFolder } from '../support/database.ts';
import { ACME, KITCHEN, shift } from '../support/document.ts';
import { startOtherProcess } from '../support/other-process.ts';
import { type Service, startService } from '../support/service.ts';

const runElsewhere = startOtherProcess({ after });

const BAR = { id: 2, name: 'Bar', active: true, private: false };
const HARBOUR = { id: 7, name: 'Harbour', address: 'Quay 1' };
const ADA = { id: 3, name: 'Ada' };

/** December: kitchen. January: bar. February: both, at the harbour, by Ada. */
const DOCUMENT = {
  account: ACME,
  groups: [KITCHEN, BAR],
  locations: [HARBOUR],
  people: [ADA],
  shifts: [
    shift('2026-12-10', { id: 1 }),
    shift('2027-01-10', { id: 2, group_id: 2 }),
    shift('2027-02-10', { id: 3, location_id: 7, start_time: '09:00' }),
    shift('2027-02-10', { id: 4, group_id: 2, person_id: 3, start_time: '10:00' }),
  ],
};

interface Case {
  readonly sentence: string;
  /** Runs in another process. */
  readonly change: (run: Run) => Promise<unknown>;
  /** What to look at, if not the ids. */
  readonly seen?: (listing: ListingBody) => unknown;
  readonly before?: unknown;
  readonly after: unknown;
  readonly monthsReadAgain: number;
}

/** Commands for the account of a test. */
interface Run {
  set(...settings: string[]): Promise<void>;
  revokeToken(): Promise<void>;
  import(document: object, ...options: string[]): Promise<void>;
}

const ids = ({ shifts }: ListingBody) => shifts.map(({ id }) => id);

/** Which other changes stamp which months is in test/store/every-column.test.ts. */
const cases: Case[] = [
  {
    sentence: 'an imported change of one shift',
    change: (run) => run.import({ shifts: [{ id: 2, remarks: 'new' }] }),
    seen: ({ shifts }) => shifts.map(({ remarks }) => remarks),
    before: ['', '', '', ''],
    after: ['', 'new', '', ''],
    monthsReadAgain: 1,
  },
  {
    sentence: 'a shift that moves to another month',
    change: (run) => run.import({ shifts: [{ id: 1, date: '2027-01-20' }] }),
    after: [2, 1, 3, 4],
    monthsReadAgain: 2,
  },
  {
    sentence: 'a shift in a month that had none',
    change: (run) => run.import({ shifts: [shift('2027-05-05', { id: 5 })] }),
    after: [1, 2, 3, 4, 5],
    monthsReadAgain: 1,
  },
  {
    sentence: 'shifts that are removed by a replacing import',
    change: (run) => run.import({ ...DOCUMENT, shifts: DOCUMENT.shifts.slice(1) }, '--replace'),
    after: [2, 3, 4],
    monthsReadAgain: 1,
  },
  {
    sentence: 'another sort order',
    change: (run) => run.set('--sort', 'group'),
    after: [1, 2, 4, 3],
    monthsReadAgain: 3,
  },
  {
    sentence: 'another time zone',
    change: (run) => run.set('--time-zone', 'Pacific/Kiritimati'),
    after: [1, 2, 3, 4],
    monthsReadAgain: 0,
  },
  {
    sentence: 'an import that changes nothing',
    change: (run) => run.import(DOCUMENT, '--replace'),
    after: [1, 2, 3, 4],
    monthsReadAgain: 0,
  },
];

/** The tests share a service for each database; each test has an account of its own. */
const services = new Map<DatabaseKind, Service>();
for (const database of DATABASES)
  services.set(
    database,
    await startService({ after }, { hasThread: true, database, now: '2026-11-15T12:00:00Z' }),
  );
let accounts = 0;

for (const database of DATABASES)
  describe(`Freshness, on ${database}`, () => {
    for (const { sentence, change, seen = ids, before = [1, 2, 3, 4], ...one } of cases) {
      const { after: afterwards, monthsReadAgain } = one;
      test(`${sentence}, made by another process, is seen by the next request; ${monthsReadAgain} months are read again`, async (context) => {
        const { list, monthsLoaded, run } = await prepare(context);
        assert.deepEqual(seen(await list()), before);
        const loaded = monthsLoaded();
        await change(run);
        assert.deepEqual(seen(await list()), afterwards);
        assert.equal(monthsLoaded() - loaded, monthsReadAgain);
        await list();
        assert.equal(monthsLoaded() - loaded, monthsReadAgain, 'and only once');
      });
    }

    test('premium that ends, and a token that is revoked, by another process, hold for the next request', async (context) => {
      const { service, slug, token, monthsLoaded, run } = await prepare(context);
      const status = async () => (await service.get(slug, '', token)).status;
      assert.equal(await status(), 200);
      await run.set('--premium', 'false');
      assert.equal(await status(), 401);
      await run.set('--premium', 'true');
      assert.equal(await status(), 200);
      assert.equal(monthsLoaded(), 3, 'the months in memory are still good');
      await run.revokeToken();
      assert.equal(await status(), 401);
    });

    test('a request reads only the months that it touches', async (context) => {
      const { list, monthsLoaded } = await prepare(context);
      await list('?day=2027-01-10');
      assert.equal(monthsLoaded(), 1);
      await list('?date_from=2027-01-01');
      assert.equal(monthsLoaded(), 2);
      await list('?years=2030');
      assert.equal(monthsLoaded(), 2);
    });

    test('requests that wait at the same moment share one question and one load', async (context) => {
      const { service, list } = await prepare(context);
      await list('?day=2030-01-01');
      const before = service.counts();
      const listings = await Promise.all(Array.from({ length: 40 }, () => list()));
      assert.equal(new Set(listings.map((listing) => JSON.stringify(listing))).size, 1);
      assert.equal(service.counts().monthsLoaded - before.monthsLoaded, 3);
      assert.ok(service.counts().freshnessQueries - before.freshnessQueries <= 40);
    });

    test('a cache too small for a single month still answers rightly', async (context) => {
      const service = await startService(context, {
        hasThread: true,
        database,
        now: '2026-11-15T12:00:00Z',
        cacheBudgetBytes: 3,
      });
      await service.import(DOCUMENT);
      const token = await service.token('acme');
      for (let i = 0; i < 3; i++) assert.deepEqual(ids(await service.list('acme', '', token)), [1, 2, 3, 4]);
      assert.equal(service.counts().monthsLoaded, 9);
      assert.ok(service.counts().cachedBytes <= 3);
    });

    test('the cache stays within its budget, whatever is asked', async (context) => {
      const budget = 100_000;
      const service = await startService(context, {
        hasThread: true,
        database,
        now: '2026-11-15T12:00:00Z',
        cacheBudgetBytes: budget,
      });
      const shifts = Array.from({ length: 1200 }, (_, i) =>
        shift(`20${10 + (i % 24)}-0${1 + (i % 9)}-15`, { id: i + 1, group_id: 1 + (i % 2) }),
      );
      await service.import({ ...DOCUMENT, shifts });
      const token = await service.token('acme');
      for (const query of [
        '?months=1,2,3,4',
        '?group_ids=1&years=2015,2016',
        '?group_ids=2&months=5,6',
        '?date_to=2100-01-01',
      ]) {
        assert.ok((await service.list('acme', query, token)).meta.total > 0, query);
        assert.ok(service.counts().cachedBytes <= budget, query);
      }
    });

    async function prepare(context: TestContext) {
      const service = services.get(database);
      assert.ok(service);
      const slug = `acme-${++accounts}`;
      const named = <T extends object>(document: T) => ({ ...document, account: { ...ACME, slug } });
      await service.import(named(DOCUMENT));
      const token = await service.token(slug);
      const loadedBefore = service.counts().monthsLoaded;
      const folder = await newFolder(context);
      const cli = async (...args: string[]) => {
        const { code, stderr } = await runElsewhere(args, { databaseUrl: service.databaseUrl });
        assert.equal(code, 0, stderr);
      };
      const run: Run = {
        set: (...settings) => cli('account', 'set', slug, ...settings),
        async revokeToken() {
          const account = await service.store.findAccount(slug);
          for (const { id } of await service.store.tokens(account?.id ?? 0))
            await cli('token', 'revoke', String(id));
        },
        async import(document, ...options) {
          const file = join(folder, 'document.json');
          await writeFile(file, JSON.stringify(named(document)));
          await cli('import', file, ...options);
        },
      };
      return {
        service,
        slug,
        token,
        run,
        list: (query = '') => service.list(slug, query, token),
        /** How many were loaded since the account was made. */
        monthsLoaded: () => service.counts().monthsLoaded - loadedBefore,
      };
    }
  });
