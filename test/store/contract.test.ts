import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { type Day, type Month, parseDate, parseMonth } from '@shiftfeed/common/days';
import { importDocument } from '../../src/import/import.ts';
import { ALL_DAYS } from '../../src/listing/day-mask.ts';
import type { RowFilter } from '../../src/listing/filter.ts';
import type { Shift } from '../../src/listing/shift.ts';
import { DESK_ROLES } from '../../src/store/admin/tokens.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import type { AccountState, DayCounts, FeedStore, HeldVersion } from '../../src/store/feed-store.ts';
import { openServerStore } from '../../src/store/open.ts';
import { type RecordOf, TABLES } from '../../src/store/records.ts';
import type { CompareOptions } from '../../src/store/staging/outcome.ts';
import type { Store } from '../../src/store/store.ts';
import { findRecord } from '../import/importer.ts';
import {
  DATABASES,
  newDatabaseUrl,
  newStoreUrl,
  openWithFeed,
  type StoreWithFeed,
} from '../support/database.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { stampedAfter, stateIn } from '../support/told-state.ts';

const HASH = 'a'.repeat(64);
const NOW_MS = 1_000;
const TOKEN = { hash: HASH, label: 'website', createdAtMs: 1, expiresAtMs: null };
const SETTINGS = { slug: 'acme', name: 'Acme', premium: true, timeZone: 'UTC', sort: 'time' } as const;

for (const kind of DATABASES)
  describe(`The store on ${kind}`, () => {
    async function newStore(context: TestContext): Promise<StoreWithFeed & { readonly url: string }> {
      const url = await newStoreUrl(context, kind);
      const store = await openWithFeed(url);
      context.after(() => store.close());
      return { ...store, url };
    }

    async function storeWith(context: TestContext, document: object) {
      const store = await newStore(context);
      await importDocument(store, document, { replace: false, dryRun: false });
      return store;
    }

    const change = (store: Store, part: object) =>
      importDocument(store, { account: { slug: 'acme' }, ...part }, { replace: false, dryRun: false });

    async function stateOf(store: FeedStore): Promise<AccountState> {
      const state = await store.read('acme', async (transaction) => transaction.state);
      assert.ok(state);
      return state;
    }

    /** The months whose stamp is newer than a revision. */
    async function stampedSince(store: FeedStore, revision: number): Promise<string[]> {
      return stampedAfter(await stateOf(store), revision);
    }

    test('an account and its records are found as they were saved', async (context) => {
      const store = await newStore(context);
      const records: { [T in (typeof TABLES)[number]]: RecordOf<T> } = {
        groups: { id: Number.MAX_SAFE_INTEGER, name: 'Küche', active: false, private: true },
        locations: { id: 7, name: 'Harbour', address: 'Quay 1\nBack door' },
        people: { id: 3, name: '漢字 🎉' },
        shifts: shift('2026-12-01', {
          id: 5,
          group_id: Number.MAX_SAFE_INTEGER,
          location_id: 7,
          person_id: 3,
          remarks: 'quote " and \\ backslash',
          starred: true,
          noshow: true,
        }),
      };
      const id = await store.stage(async (stage) => {
        assert.equal(await stage.findAccount('acme'), undefined);
        for (const table of TABLES) await stage.add(table, [records[table]]);
        let accountId = 0;
        await stage.merge(async (transaction) => {
          assert.equal(await transaction.lockAccount('acme'), undefined);
          accountId = await transaction.saveAccount(SETTINGS);
          const version = { id: accountId, revision: 0, ...SETTINGS };
          assert.deepEqual(await transaction.lockAccount('acme'), version);
          assert.equal(await transaction.saveAccount({ ...SETTINGS, name: 'Renamed' }), accountId);
          for (const table of TABLES)
            await (await stage.compare(table, comparedWith(undefined))).write(accountId);
        });
        return accountId;
      });
      for (const table of TABLES) {
        const record = records[table];
        assert.deepEqual(await findRecord(store, table, id, record.id), record);
        assert.equal(await findRecord(store, table, id, 999), undefined);
        assert.equal(await findRecord(store, table, id + 1, record.id), undefined);
      }
      const account = await store.findAccount('acme');
      assert.equal(account?.name, 'Renamed');
      assert.deepEqual(await store.accounts(), [account]);
      assert.equal(await store.findAccount('nobody'), undefined);
      const contents = await store.describeAccount(account?.id ?? 0);
      assert.ok(contents.revision > 0);
      assert.partialDeepStrictEqual(contents, {
        groups: 1,
        locations: 1,
        people: 1,
        shifts: 1,
        firstDate: '2026-12-01',
        lastDate: '2026-12-01',
      });
    });

    test('what a write does is kept when it returns true, and gone when it returns false or throws', async (context) => {
      const store = await newStore(context);
      const save = (slug: string, end: () => boolean) =>
        store.write(async (transaction) => {
          await transaction.saveAccount({ ...SETTINGS, slug });
          return end();
        });
      await save('kept', () => true);
      await save('undone', () => false);
      await assert.rejects(
        save('failed', () => {
          throw new Error('on purpose');
        }),
        /on purpose/,
      );
      assert.deepEqual(
        (await store.accounts()).map(({ slug }) => slug),
        ['kept'],
      );
    });

    test('a merge is kept when it ends, and gone when it throws', async (context) => {
      const store = await newStore(context);
      const save = (slug: string, end: () => void) =>
        store.stage(async (stage) => {
          await stage.add('groups', [KITCHEN]);
          await stage.merge(async (transaction) => {
            const groups = await stage.compare('groups', comparedWith(undefined));
            await groups.write(await transaction.saveAccount({ ...SETTINGS, slug }));
            end();
          });
        });
      await save('kept', () => undefined);
      const onPurpose = () => {
        throw new Error('on purpose');
      };
      await assert.rejects(save('failed', onPurpose), /on purpose/);
      const accounts = await store.accounts();
      assert.deepEqual(
        accounts.map(({ slug }) => slug),
        ['kept'],
      );
      assert.equal((await store.describeAccount(accounts[0]?.id ?? 0)).groups, 1);
    });

    test('a comparison is written only as long as no other one of its table was made', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      await store.stage(async (stage) => {
        await stage.add('shifts', [shift('2026-12-02', { id: 6 })]);
        const shifts = await stage.compare('shifts', comparedWith(account.id));
        await stage.compare('shifts', comparedWith(undefined));
        await assert.rejects(
          stage.merge(() => shifts.write(account.id)),
          /compared anew/,
        );
      });
    });

    test('a record that refers to nothing, or breaks a rule of the schema, is refused and nothing is kept', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      const bad: Partial<RecordOf<'shifts'>>[] = [
        { group_id: 99 },
        { location_id: 99 },
        { person_id: 99 },
        { date: '2026-02-30' },
        { date: '0999-12-31' },
        { date: 'soon' },
        { start_time: '24:00' },
        { end_time: '9:00' },
        { start_time: '09:60' },
        { end_time: '09:00' },
        { end_date: '2026-11-30' },
        { publish_date: '' },
        { remarks: 'x'.repeat(10_001) },
        { id: 0 },
      ];
      for (const fields of bad) {
        const writing = store.stage(async (stage) => {
          await stage.add('shifts', [
            shift('2026-12-01', { id: 1 }),
            shift('2026-12-01', { id: 2, ...fields }),
          ]);
          const shifts = await stage.compare('shifts', comparedWith(account.id));
          await stage.merge(() => shifts.write(account.id));
        });
        await assert.rejects(
          writing,
          (error) => error instanceof StoreFailure && error.kind === 'refused',
          JSON.stringify(fields),
        );
      }
      assert.equal((await store.describeAccount(account.id)).shifts, 0);
    });

    test('freshness tells what a live token is of, and whichever account is asked for', async (context) => {
      const store = await storeWith(context, acme([]));
      await change(store, { account: { slug: 'other' } });
      const account = await store.findAccount('acme');
      const other = await store.findAccount('other');
      assert.ok(account && other);
      const { id } = await store.addToken({ ...TOKEN, accountId: account.id, expiresAtMs: 5 });
      const ask = async (slug: string) =>
        (await store.freshness([{ tokenHash: HASH, slug, held: undefined }], 4))[0];
      assert.deepEqual((await ask('acme'))?.token, { id, accountId: account.id, expiresAtMs: 5 });
      assert.deepEqual(stateIn(await ask('acme')).account, account);
      assert.deepEqual((await ask('other'))?.token, { id, accountId: account.id, expiresAtMs: 5 });
      assert.deepEqual(stateIn(await ask('other')).account, other);
      assert.equal((await ask('nobody'))?.account, undefined);
    });

    test('a token that was revoked stays so, from the first instant on', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      const { hash: _, ...shown } = {
        ...TOKEN,
        role: 'api' as const,
        hint: 'shiftfeed_Ab3d',
        accountId: account.id,
        lastUsedAtMs: null,
      };
      const added = await store.addToken({ ...TOKEN, hint: 'shiftfeed_Ab3d', accountId: account.id });
      const { id } = added;
      assert.deepEqual(added, { ...shown, id, revokedAtMs: null });
      assert.equal(await store.revokeToken(id, 7), true);
      assert.equal(await store.revokeToken(id, 8), true);
      assert.equal(await store.revokeToken(999, 8), false);
      assert.deepEqual(await store.tokens(account.id), [{ ...shown, id, revokedAtMs: 7 }]);
      assert.deepEqual(await store.tokens(), [{ ...shown, id, revokedAtMs: 7 }]);
      assert.deepEqual(await store.tokens(999), []);
    });

    const keyHash = (letter: string) => letter.repeat(64);
    const KEY = {
      hash: keyHash('b'),
      label: 'Noor',
      role: 'planner',
      createdAtMs: 10,
      expiresAtMs: 50,
    } as const;

    test('a key of the desk is found by its hash, a name has one live key, and the last use is noted', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      const key = { ...KEY, accountId: account.id };
      const added = await store.addDeskKey(key);
      assert.deepEqual(await store.findDeskKey(KEY.hash), { key: added, account });
      assert.equal(await store.findDeskKey(keyHash('c')), undefined);
      const again = { ...key, hash: keyHash('c'), createdAtMs: 49 };
      assert.equal(await store.addDeskKey(again), undefined);
      const later = await store.addDeskKey({ ...again, createdAtMs: 50, expiresAtMs: null });
      assert.ok(later, 'the first key has expired by then');
      const notes = await openServerStore(store.url);
      context.after(() => notes.close());
      await notes.writeUses(new Map([[again.hash, 60]]));
      assert.deepEqual(await store.deskKeys(account.id), [added, { ...later, lastUsedAtMs: 60 }]);
    });

    test('keys of the desk are revoked by name or by id, of their own account only', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      const added = await store.addDeskKey({ ...KEY, accountId: account.id });
      assert.ok(added);
      assert.equal(await store.revokeDeskKeys(account.id + 1, { id: added.id }, 20), 0);
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'Ada' }, 20), 0);
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'Noor' }, 20), 1);
      assert.equal(await store.revokeDeskKeys(account.id, { id: added.id }, 21), 0);
      assert.equal((await store.findDeskKey(KEY.hash))?.key.revokedAtMs, 20);
    });

    test('a key has the name of another one in any case and with any spaces', async (context) => {
      const store = await storeWith(context, acme([]));
      const account = await store.findAccount('acme');
      assert.ok(account);
      const key = { ...KEY, accountId: account.id, label: 'Zo\u00eb Smit' };
      const again = { ...key, hash: keyHash('c'), label: ' zoe\u0308  SMIT ' };
      assert.ok(await store.addDeskKey(key));
      assert.equal(await store.addDeskKey(again), undefined);
      assert.ok(await store.addDeskKey({ ...again, createdAtMs: 50, expiresAtMs: null }));
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'Zo\u00eb' }, 20), 0);
      // By this clock, both are live.
      assert.equal(await store.revokeDeskKeys(account.id, { name: 'ZO\u00cb smit' }, 20), 2);
    });

    for (const role of DESK_ROLES)
      test(`a token opens no desk and a key of a ${role} no API, whatever is asked and done`, async (context) => {
        const store = await storeWith(context, acme([]));
        const account = await store.findAccount('acme');
        assert.ok(account);
        const token = await store.addToken({ ...TOKEN, accountId: account.id });
        // With the same label, and as long a life.
        const key = await store.addDeskKey({ ...TOKEN, hash: KEY.hash, role, accountId: account.id });
        assert.ok(key);
        const ask = (tokenHash: string) => ({ tokenHash, slug: 'acme', held: undefined });
        const opens = async () =>
          (await store.freshness([ask(HASH), ask(KEY.hash)], NOW_MS)).map((told) => told.token?.id);
        assert.deepEqual(await opens(), [token.id, undefined]);
        assert.equal(await store.findDeskKey(HASH), undefined);

        assert.deepEqual([await store.tokens(), await store.tokens(account.id)], [[token], [token]]);
        assert.deepEqual(await store.deskKeys(account.id), [key]);
        assert.equal((await store.describeAccount(account.id)).tokens, 1);

        assert.equal(await store.revokeToken(key.id, 7), false);
        assert.equal(await store.revokeDeskKeys(account.id, { id: token.id }, 7), 0);
        assert.equal(await store.revokeDeskKeys(account.id, { name: token.label }, 7), 1);
        assert.deepEqual(await store.tokens(), [token]);

        const copied = await store.readAccount('acme', ({ tokens }) => Array.fromAsync(tokens()));
        const [record, ...others] = copied?.flat() ?? [];
        assert.ok(record);
        assert.deepEqual([record.hash, others], [HASH, []]);
        await store.stage(async (stage) => {
          const { tokens } = stage;
          assert.equal((await tokens.compare(account.id, [])).tally.removed, 1);
          const asToken = [{ ...record, hash: KEY.hash }];
          assert.equal(await tokens.otherOwner(account.id, asToken), 'acme');
          await assert.rejects(
            stage.merge(async () => tokens.write(account.id, await tokens.compare(account.id, asToken))),
            StoreFailure,
          );
        });
        assert.deepEqual(await opens(), [token.id, undefined]);
        assert.deepEqual(await store.deskKeys(account.id), [{ ...key, revokedAtMs: 7 }]);
      });

    test('without a live token, an account that exists is answered like one that does not', async (context) => {
      const store = await storeWith(context, acme([shift('2026-12-01')]));
      await change(store, { account: { slug: 'poor' } });
      const account = await store.findAccount('acme');
      const poor = await store.findAccount('poor');
      assert.ok(account && poor);
      const hashOf = (letter: string) => letter.repeat(64);
      const add = (letter: string, accountId: number, expiresAtMs: number | null) =>
        store.addToken({ ...TOKEN, accountId, hash: hashOf(letter), expiresAtMs });
      await add('a', account.id, null);
      await add('b', account.id, 1_000);
      const { id } = await add('c', account.id, null);
      await store.revokeToken(id, 7);
      await add('d', poor.id, null);

      const held = { accountId: account.id, history: (await stateOf(store)).history, revision: 1 };
      /** Which of the tokens get an answer about the account. The others must get nothing, whatever they ask for. */
      async function liveAt(nowMs: number): Promise<string> {
        const letters = [...'abcde'];
        const questions = ['acme', 'nobody', 'poor'].map((slug) =>
          letters.map((letter) => ({ tokenHash: hashOf(letter), slug, held })),
        );
        const answers = await Promise.all(questions.map((some) => store.freshness(some, nowMs)));
        const live = letters.filter((_, i) => answers[0]?.[i]?.account !== undefined);
        letters.forEach((letter, i) => {
          for (const some of answers) {
            if (!live.includes(letter)) assert.deepEqual(some[i], { token: undefined, account: undefined });
          }
        });
        return live.join('');
      }
      assert.equal(await liveAt(999), 'ab');
      // Nothing was written since: time alone changes the answer, whichever way a clock is set.
      assert.equal(await liveAt(1_000), 'a');
      assert.equal(await liveAt(1_001), 'a');
      assert.equal(await liveAt(999), 'ab');
    });

    test('many questions are answered in their order', async (context) => {
      const store = await storeWith(context, acme([]));
      await store.addToken({ ...TOKEN, accountId: (await stateOf(store)).account.id });
      const slugs = ['acme', 'nobody', 'acme', '', 'other'];
      const answers = await store.freshness(
        slugs.map((slug) => ({ tokenHash: HASH, slug, held: undefined })),
        NOW_MS,
      );
      assert.deepEqual(
        answers.map((answer) => answer.account && stateIn(answer).account.slug),
        ['acme', undefined, 'acme', undefined, undefined],
      );
      assert.deepEqual(await store.freshness([], NOW_MS), []);
    });

    test('freshness tells an account as a whole, unless it is as the caller holds it', async (context) => {
      const store = await storeWith(
        context,
        acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]),
      );
      const first = await stateOf(store);
      const { id } = first.account;
      await store.addToken({ ...TOKEN, accountId: id });
      const ask = async (held: HeldVersion | undefined) =>
        (await store.freshness([{ tokenHash: HASH, slug: 'acme', held }], NOW_MS))[0]?.account;
      const { history, revision } = first;
      assert.deepEqual(await ask(undefined), first);
      assert.equal(await ask({ accountId: id, history, revision }), 'unchanged');
      await change(store, { shifts: [{ id: 2, starred: true }] });
      const second = await stateOf(store);
      assert.deepEqual(stampedAfter(second, revision), ['2027-01']);
      assert.deepEqual(await ask({ accountId: id, history, revision }), second);
      assert.deepEqual(await ask({ accountId: id, history, revision: Number.MAX_SAFE_INTEGER }), second);
      assert.deepEqual(await ask({ accountId: id + 1, history, revision: second.revision }), second);
    });

    const FULL = {
      account: ACME,
      groups: [KITCHEN, { ...KITCHEN, id: 2, name: 'Bar' }],
      locations: [{ id: 7, name: 'Harbour', address: '' }],
      people: [{ id: 3, name: 'Ada' }],
      shifts: [
        shift('2026-12-01', { id: 1 }),
        shift('2027-01-01', { id: 2, group_id: 2 }),
        shift('2027-02-01', { id: 3, location_id: 7 }),
        shift('2027-03-01', { id: 4, person_id: 3 }),
      ],
    };
    /** What a change of each column stamps is in every-column.test.ts. */
    const stamps: [string, object, string[]][] = [
      ['a changed shift stamps its month', { shifts: [{ id: 1, remarks: 'x' }] }, ['2026-12']],
      ['a moved shift stamps both', { shifts: [{ id: 1, date: '2027-02-03' }] }, ['2026-12', '2027-02']],
      ['a new shift stamps its month', { shifts: [shift('2030-06-06', { id: 9 })] }, ['2030-06']],
      ['a renamed group stamps the months of its shifts', { groups: [{ id: 2, name: 'Pub' }] }, ['2027-01']],
      ['a new group stamps nothing', { groups: [{ id: 8, name: 'New' }] }, []],
      ['another name stamps nothing', { account: { slug: 'acme', name: 'Other' } }, []],
      ['the same again stamps nothing', FULL, []],
    ];
    test('imports stamp the months whose listing they change', async (context) => {
      const store = await newStore(context);
      for (const [sentence, part, expected] of stamps) {
        await importDocument(store, FULL, { replace: true, dryRun: false });
        const { revision } = await stateOf(store);
        await change(store, part);
        assert.deepEqual(await stampedSince(store, revision), expected, sentence);
        const after = await stateOf(store);
        assert.ok(after.months.every(({ stamp }) => stamp <= after.revision));
        if (expected.length > 0) assert.ok(after.revision > revision);
      }
    });

    test('a large import stamps the months that it touches and no others, and small ones still do afterwards', async (context) => {
      const shifts = Array.from({ length: 12_000 }, (_, i) =>
        shift(i % 2 === 0 ? '2026-12-01' : '2027-01-01', { id: i + 1 }),
      );
      const store = await storeWith(context, acme(shifts));
      const before = await stateOf(store);
      assert.deepEqual(await stampedSince(store, 0), ['2026-12', '2027-01']);
      const moved = shifts.filter(({ id }) => id % 2 === 0).map(({ id }) => ({ id, date: '2027-02-01' }));
      await change(store, { shifts: moved });
      assert.deepEqual(await stampedSince(store, before.revision), ['2027-01', '2027-02']);
      const after = await stateOf(store);
      assert.ok(after.months.every(({ stamp }) => stamp <= after.revision));
      await change(store, { shifts: [{ id: 1, remarks: 'x' }] });
      assert.deepEqual(await stampedSince(store, after.revision), ['2026-12']);
    });

    test('a month that lost its last shift is stamped and stays known', async (context) => {
      const store = await storeWith(context, FULL);
      const { account, revision } = await stateOf(store);
      await store.stage(async (stage) => {
        await stage.add('shifts', [{ id: 2 }, { id: 3 }, { id: 4 }]);
        const shifts = await stage.compare('shifts', removingFrom(account.id));
        await stage.merge(() => shifts.remove(account.id));
      });
      assert.deepEqual(await stampedSince(store, revision), ['2026-12']);
    });

    test('the days that are chosen are read, with the shifts of active groups and what they refer to', async (context) => {
      const store = await storeWith(context, {
        ...FULL,
        groups: [KITCHEN, { id: 2, name: 'Bar', active: false }],
        shifts: [
          shift('2026-12-31', { id: 1 }),
          shift('2027-01-01', { id: 2, group_id: 2 }),
          shift('2027-01-31', { id: 3, location_id: 7, person_id: 3, remarks: 'r', cancelled: true }),
          shift('2027-02-01', { id: 4 }),
          shift('2027-02-02', { id: 5 }),
          shift('2027-02-04', { id: 6 }),
          shift('2027-02-05', { id: 7 }),
          shift('2027-02-28', { id: 8 }),
        ],
      });
      const read = new Map<Month, readonly Shift[]>();
      const pieces = new Map<number, number[]>();
      const [december, january, february] = ['2026-12', '2027-01', '2027-02'].map(parseMonth);
      await store.read('acme', async ({ state, shifts }) => {
        assert.equal(state.account.slug, 'acme');
        assert.deepEqual(
          state.months.map(({ month }) => month),
          [december, january, february],
        );
        for (const month of [january as Month, parseMonth('2030-01')])
          read.set(month, [...(await shifts({ month, days: ALL_DAYS }))]);
        for (const days of [0b1010, 0b1111 << 27]) {
          const found = await shifts({ month: february as Month, days });
          pieces.set(
            days,
            Array.from(found, ({ id }) => id),
          );
        }
      });
      assert.deepEqual(
        pieces,
        new Map([
          [0b1010, [5, 6]],
          [0b1111 << 27, [8]],
        ]),
      );
      assert.deepEqual(
        read,
        new Map<Month, Shift[]>([
          [
            parseMonth('2027-01'),
            [
              {
                id: 3,
                date: '2027-01-31',
                startTime: '09:00',
                endTime: '17:00',
                endDate: '2027-01-31',
                groupId: 1,
                groupName: 'Kitchen',
                location: { id: 7, name: 'Harbour', address: '' },
                personName: 'Ada',
                publishDate: '2000-01-01',
                remarks: 'r',
                starred: false,
                cancelled: true,
                noshow: false,
              },
            ],
          ],
          [parseMonth('2030-01'), []],
        ]),
      );
    });

    test('there is nothing to read of an account that does not exist', async (context) => {
      const store = await newStore(context);
      const read = store.read('nobody', async () => assert.fail('there is nothing to work on'));
      assert.equal(await read, undefined);
    });

    /** Without inactive groups, and with many groups, shifts are counted in another way. */
    for (const [inactive, others] of [
      [0, 0],
      [1, 0],
      [0, 120],
      [1, 120],
    ] as const)
      test(`the shifts of a month that pass a filter are counted by day, with ${inactive} of an inactive group and ${others} other groups`, async (context) => {
        const otherGroups = Array.from({ length: others }, (_, i) => ({ id: 100 + i, name: `Other ${i}` }));
        const store = await storeWith(context, {
          ...FULL,
          // The inactive one has the highest id, beyond the 100 groups that a count looks at.
          groups: [
            KITCHEN,
            { id: 2, name: 'Bar' },
            ...otherGroups,
            { id: 900, name: 'Cellar', active: false },
          ],
          shifts: [
            ...otherGroups.map(({ id }) => shift('2027-03-01', { group_id: id })),
            shift('2027-01-31'),
            shift('2027-02-01', { location_id: 7 }),
            shift('2027-02-01', { group_id: 2 }),
            ...Array.from({ length: inactive }, () => shift('2027-02-01', { group_id: 900 })),
            shift('2027-02-28', { publish_date: '2026-11-15' }),
            shift('2027-02-28', { publish_date: '2026-11-16', location_id: 7 }),
            shift('2027-03-01'),
          ],
        });
        const month = parseMonth('2027-02');
        const today = parseDate('2026-11-15') as Day;
        const cases: [RowFilter, first: number, last: number][] = [
          [{ includeUnpublished: false }, 2, 1],
          [{ includeUnpublished: true }, 2, 2],
          [{ includeUnpublished: true, groupIds: new Set([1]) }, 1, 2],
          [{ includeUnpublished: true, groupIds: new Set([2, 900, 99]) }, 1, 0],
          [{ includeUnpublished: true, locationIds: new Set([7]) }, 1, 1],
          [{ includeUnpublished: false, groupIds: new Set([1, 2]), locationIds: new Set([7, 8]) }, 1, 0],
        ];
        await store.read('acme', async ({ countDays }) => {
          const counts = await countDays(cases.map(([rows]) => ({ month, rows, today })));
          cases.forEach(([, first, last], i) => {
            const { matching, rows } = counts[i] as DayCounts;
            assert.deepEqual([matching[0], matching[27], matching.length, rows], [first, last, 31, 4]);
            assert.equal(
              matching.reduce((sum, count) => sum + count),
              first + last,
            );
          });
        });
      });

    test('reads and questions at the same moment do not get in each other’s way', async (context) => {
      const store = await storeWith(context, acme([shift('2026-12-01')]));
      const isOther = Promise.withResolvers<void>();
      const first = store.read('acme', async ({ state, shifts }) => {
        await isOther.promise;
        const [found] = await shifts({ month: parseMonth('2026-12'), days: ALL_DAYS });
        return [state.account.slug, found?.date];
      });
      const second = store.read('acme', async ({ state }) => state.account.slug);
      const question = store.freshness([{ tokenHash: HASH, slug: 'acme', held: undefined }], NOW_MS);
      isOther.resolve();
      assert.deepEqual(await first, ['acme', '2026-12-01']);
      assert.equal(await second, 'acme');
      assert.equal((await question).length, 1);
    });

    test('work that fails ends the read, and the next one works', async (context) => {
      const store = await storeWith(context, acme([]));
      const failing = store.read('acme', async () => {
        throw new Error('on purpose');
      });
      await assert.rejects(failing, /on purpose/);
      assert.equal(await store.read('acme', async ({ state }) => state.account.slug), 'acme');
    });

    test('processes that start at once on a new database migrate it once, and all of them work', async (context) => {
      const url = await newDatabaseUrl(context, kind);
      const script = `
      const { openStore } = await import(${JSON.stringify(new URL('../../src/store/open.ts', import.meta.url).href)});
      const store = await openStore(${JSON.stringify(url)}, { missing: 'create' });
      await store.accounts();
      await store.close();`;
      const children = Array.from({ length: often(2, 10) }, () =>
        spawn(process.execPath, ['--input-type=module', '-e', script], {
          stdio: ['ignore', 'ignore', 'inherit'],
        }),
      );
      const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
      assert.deepEqual(
        codes,
        children.map(() => 0),
      );
    });
  });

/** Nothing is removed, and all is known. */
function comparedWith(accountId: number | undefined): CompareOptions {
  return { accountId, unknown: new Set(), removal: undefined, removesReferred: false, isSheet: false };
}

function removingFrom(accountId: number): CompareOptions {
  return { ...comparedWith(accountId), removal: { days: undefined } };
}
