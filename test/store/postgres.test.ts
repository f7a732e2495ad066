import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { StoreFailure } from '../../src/store/failure.ts';
import { openStore } from '../../src/store/open.ts';
import { connect, SERVER_CONNECTION } from '../../src/store/postgres/connection.ts';
import { watchBackends } from '../support/backends.ts';
import { newDatabaseUrl, openWithFeed, postgresClient } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { listen } from '../support/listening.ts';
import { stampedAfter, toldState } from '../support/told-state.ts';
import { until } from '../support/until.ts';

const HASH = 'a'.repeat(64);
const DOCUMENT = acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]);

describe('By another program, on PostgreSQL', () => {
  /** What both databases do alike is in every-column.test.ts. */
  const statements: [string, string, string[]][] = [
    ['a TRUNCATE stamps every month', 'TRUNCATE shiftfeed.shifts', ['2026-12', '2027-01']],
    [
      'several statements in one transaction are seen together',
      "BEGIN; DELETE FROM shiftfeed.shifts WHERE id = 1; UPDATE shiftfeed.shifts SET remarks = 'x' WHERE id = 2; COMMIT",
      ['2026-12', '2027-01'],
    ],
  ];
  for (const [sentence, sql, expected] of statements) {
    test(sentence, async (context) => {
      const { store, program } = await prepare(context);
      const account = await store.findAccount('acme');
      assert.ok(account);
      const { revision } = await store.describeAccount(account.id);
      await store.addToken({
        accountId: account.id,
        hash: HASH,
        label: '',
        createdAtMs: 0,
        expiresAtMs: null,
      });
      await program.query(sql);
      assert.deepEqual(stampedAfter(await toldState(store, HASH), revision), expected);
    });
  }

  test('a statement of a thousand rows stamps all its months with one revision', async (context) => {
    const { store, program } = await prepare(context);
    const account = await store.findAccount('acme');
    assert.ok(account);
    await program.query(
      `INSERT INTO shiftfeed.shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
      SELECT $1, n, date '2026-12-01' + n % 300, '09:00', '17:00', date '2026-12-01' + n % 300, 1, '2026-01-01'
      FROM generate_series(1000, 1999) AS n`,
      [account.id],
    );
    const { revision } = await store.describeAccount(account.id);
    const { rows } = await program.query('SELECT DISTINCT revision FROM shiftfeed.months');
    assert.deepEqual(rows, [{ revision: String(revision) }]);
  });

  for (const [table, column, what] of [
    ['groups', 'group_id', 'group'],
    ['locations', 'location_id', 'location'],
    ['people', 'person_id', 'person'],
  ] as const) {
    test(`a ${what} that is renamed while a shift of it comes in stamps the month of that shift, too`, async (context) => {
      const { store, program, url } = await prepare(context);
      const account = await store.findAccount('acme');
      assert.ok(account);
      const backends = await watchBackends(context, url);
      const other = await postgresClient(context, url);
      const { rows: made } = await program.query(
        `INSERT INTO shiftfeed.${table} (account_id, id, name) VALUES ($1, 5, 'Five') RETURNING id`,
        [account.id],
      );
      const columns = 'account_id, id, date, start_time, end_time, end_date, publish_date, group_id';
      const day = "'2030-06-06', '09:00', '17:00', '2030-06-06', '2026-01-01'";
      await other.query(
        column === 'group_id'
          ? `BEGIN; INSERT INTO shiftfeed.shifts (${columns}) VALUES (${account.id}, 9, ${day}, ${made[0].id})`
          : `BEGIN; INSERT INTO shiftfeed.shifts (${columns}, ${column}) VALUES (${account.id}, 9, ${day}, 1, ${made[0].id})`,
      );
      const renaming = program.query(`UPDATE shiftfeed.${table} SET name = 'Other' WHERE id = 5`);
      // The rename waits for the account, which the insert holds; only then does it look which months it touches.
      await backends.whenWaiting(1);
      await other.query('COMMIT');
      await renaming;
      const { rows } = await program.query(
        'SELECT month FROM shiftfeed.months WHERE revision = (SELECT revision FROM shiftfeed.accounts)',
      );
      assert.deepEqual(rows, [{ month: '2030-06' }]);
    });
  }

  for (const slug of ['acme', 'new']) {
    test(`two writers of the account ${slug} come one after the other, so that neither completes from the past`, async (context) => {
      const { store, url } = await prepare(context);
      const backends = await watchBackends(context, url);
      const order: string[] = [];
      const held = Promise.withResolvers<void>();
      const found = Promise.withResolvers<void>();
      const write = (name: string, isFirst: boolean) =>
        store.write(async (transaction) => {
          const account = await transaction.lockAccount(slug);
          order.push(`${name} finds ${account?.name}`);
          if (isFirst) {
            found.resolve();
            await held.promise;
          }
          const settings = { slug, premium: true, timeZone: 'UTC', sort: 'time' } as const;
          await transaction.saveAccount({ ...settings, name });
          return true;
        });
      const first = write('First', true);
      await found.promise;
      const second = write('Second', false);
      await backends.whenWaiting(1).finally(held.resolve);
      await Promise.all([first, second]);
      const before = slug === 'acme' ? 'Acme' : 'undefined';
      assert.deepEqual(order, [`First finds ${before}`, 'Second finds First']);
    });
  }

  test('a deleted account takes everything of it along', async (context) => {
    const { store, program } = await prepare(context);
    await program.query("DELETE FROM shiftfeed.accounts WHERE slug = 'acme'");
    for (const table of ['groups', 'shifts', 'months']) {
      assert.equal((await program.query(`SELECT 1 FROM shiftfeed.${table}`)).rowCount, 0, table);
    }
    assert.equal(await store.findAccount('acme'), undefined);
  });
});

describe('A PostgreSQL database', () => {
  test('that a newer Shiftfeed wrote is left alone', async (context) => {
    const { url, program } = await prepare(context);
    await program.query('UPDATE shiftfeed.schema_version SET version = 999');
    await assert.rejects(openStore(url, { missing: 'fail' }), /written by a newer Shiftfeed \(schema 999/);
  });

  test('lets the errors of others pass, whatever their words', async (context) => {
    const { store } = await prepare(context);
    class Unreadable extends Error {}
    const error = new Unreadable('connections.json could not be read: the thread was terminated');
    await assert.rejects(
      store.stage(() => Promise.reject(error)),
      error,
    );
  });

  const failures: [string, (url: URL) => void, StoreFailure['kind'], RegExp][] = [
    [
      'does not exist',
      (url) => Object.assign(url, { pathname: '/nowhere' }),
      'unusable',
      /There is no database at \S+\/nowhere/,
    ],
    [
      'has another password',
      (url) => Object.assign(url, { password: 'wrong' }),
      'locked-out',
      /refused the password, or there is no such user: check the URL\.$/,
    ],
    [
      'has no such user',
      (url) => Object.assign(url, { username: 'nobody' }),
      'locked-out',
      /refused the password, or there is no such user: check the URL\.$/,
    ],
    [
      'asks for a password that the URL lacks',
      (url) => Object.assign(url, { password: '' }),
      'locked-out',
      /asks for a password, and the URL has none\.$/,
    ],
    ['is on no server', (url) => Object.assign(url, { port: '1' }), 'unavailable', /cannot be reached/],
    [
      'has no TLS although it is asked for',
      (url) => Object.assign(url, { search: '?sslmode=verify-full' }),
      'unavailable',
      /cannot be reached: it offers no TLS, which the URL asks for\.$/,
    ],
    [
      'knows none of the options',
      (url) => Object.assign(url, { search: '?options=-c%20nonsense%3D1' }),
      'unusable',
      /refuses what options= of the URL says: unrecognized configuration parameter "nonsense"\.$/,
    ],
    [
      'is the primary where a standby is asked for',
      (url) => Object.assign(url, { search: '?target_session_attrs=standby' }),
      'unavailable',
      /cannot be used: it is the primary, and its URL has target_session_attrs=standby\.$/,
    ],
  ];
  for (const [what, spoil, kind, sentence] of failures) {
    test(`that ${what} is a sentence without the password`, async (context) => {
      const url = new URL(await newDatabaseUrl(context, 'postgres'));
      spoil(url);
      await assert.rejects(openStore(url.href, { missing: 'fail' }), (error) => {
        assert.ok(error instanceof StoreFailure, String(error));
        assert.equal(error.kind, kind);
        assert.match(error.message, sentence);
        assert.doesNotMatch(error.message, /secret|wrong/);
        return true;
      });
    });
  }

  const refusals: [what: string, message: string, kind: StoreFailure['kind'], sentence: string][] = [
    [
      'by pg_hba.conf',
      'no pg_hba.conf entry for host "192.0.2.1", user "u", database "d", no encryption',
      'unavailable',
      'does not let this user in from here until its administrator allows it: ',
    ],
    ['because there is no such user', 'role "u" does not exist', 'locked-out', 'does not let this user in: '],
  ];
  for (const [what, message, kind, sentence] of refusals) {
    test(`that lets nobody in ${what} is a sentence that says so`, async (t) => {
      const fields = ['SFATAL', 'C28000', `M${message}`, ''].map((field) => `${field}\0`).join('');
      const refusal = packet('E', fields);
      const name = `127.0.0.1:${await listen(
        t,
        createServer((socket) => socket.once('data', () => socket.end(refusal))),
      )}/d`;
      await assert.rejects(
        connect(`postgres://u:secret@${name}`, SERVER_CONNECTION).ask({ text: 'SELECT 1' }),
        { kind, message: `The database ${name} ${sentence}${message}.` },
      );
    });
  }

  test('a connection that cannot be opened without a password is closed', async (t) => {
    const asksForPassword = packet('R', '\0\0\0\x0aSCRAM-SHA-256\0\0');
    const goesOn = packet('R', '\0\0\0\x0br=x,s=eA==,i=4096');
    let open = 0;
    const server = createServer((socket) => {
      open++;
      socket
        .once('close', () => open--)
        .once('data', () => {
          socket.write(asksForPassword);
          socket.once('data', () => socket.write(goesOn));
        });
    });
    const connection = connect(`postgres://u@127.0.0.1:${await listen(t, server)}/d`, SERVER_CONNECTION);
    for (let i = 0; i < 10; i++) await assert.rejects(connection.ask({ text: 'SELECT 1' }));
    await until('all are closed', () => open === 0);
  });
});

/** A message of PostgreSQL's protocol. */
function packet(kind: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(kind), length, Buffer.from(content)]);
}

async function prepare(context: TestContext) {
  const url = await newDatabaseUrl(context, 'postgres');
  const store = await openWithFeed(url);
  context.after(() => store.close());
  await importDocument(store, DOCUMENT, { replace: false, dryRun: false });
  return { url, store, program: await postgresClient(context, url) };
}
