import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { hashToken } from '../../src/feed/access/token.ts';
import { openServerStore } from '../../src/store/open.ts';
import { importer } from '../import/importer.ts';
import { command } from '../support/cli-in-process.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { printed, refused } from '../support/outcome.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

describe('token create', () => {
  test('prints the token alone, and the database has only its hash', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const { code, stdout, stderr } = await command(url, 'token', 'create', 'acme');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^shiftfeed_[\w-]{43}\n$/);

    const token = stdout.trim();
    const bytes = await filesBeside(url);
    assert.ok(bytes.includes(hashToken(token)));
    assert.ok(!bytes.includes(token.replace('shiftfeed_', '')));
  });

  test('is JSON for scripts, with the id that revokes the token', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const args = ['token', 'create', 'acme', '--label', 'app', '--expires', '2999-01-01T00:00Z', '--json'];
    const { token, ...rest } = JSON.parse((await command(url, ...args)).stdout);
    assert.match(token, /^shiftfeed_[\w-]{43}$/);
    assert.deepEqual(rest, { id: 1, account: 'acme', label: 'app', expires_at: '2999-01-01T00:00:00.000Z' });
    const [listed] = JSON.parse((await command(url, 'token', 'list', 'acme', '--json')).stdout);
    assert.equal(listed.hint, token.slice(0, 'shiftfeed_'.length + 4));
    const revoked = await command(url, 'token', 'revoke', '1', '--json');
    assert.deepEqual(JSON.parse(revoked.stdout), { id: 1, state: 'revoked' });
  });

  const expiries: [expires: string, timeZone: string, instant: string][] = [
    ['2099-06-30', 'Asia/Tokyo', '2099-06-30T15:00:00Z'],
    ['2099-06-30', 'America/New_York', '2099-07-01T04:00:00Z'],
    ['2099-12-31T12:00+02:00', 'Asia/Tokyo', '2099-12-31T10:00:00Z'],
  ];
  for (const [expires, timeZone, instant] of expiries) {
    test(`--expires ${expires} in ${timeZone} is ${instant}`, async (t) => {
      const { url, run, store, account } = await importer(t);
      await run({ account: { ...ACME, time_zone: timeZone } });
      const args = ['token', 'create', 'acme', '--label', 'web site', '--expires', expires];
      assert.equal((await command(url, ...args)).code, 0);
      assert.partialDeepStrictEqual(await store.tokens((await account()).id), [
        {
          label: 'web site',
          expiresAtMs: Temporal.Instant.from(instant).epochMilliseconds,
          revokedAtMs: null,
        },
      ]);
    });
  }

  const HOUR_MS = 60 * 60 * 1000;
  for (const [expires, hours] of [
    ['12h', 12],
    ['30d', 30 * 24],
    ['4w', 4 * 7 * 24],
    ['99999w', 99_999 * 7 * 24],
  ] as const) {
    test(`--expires ${expires} is ${hours} hours from now in any time zone`, async (t) => {
      const { url, run, store, account } = await importer(t);
      await run({ account: { ...ACME, time_zone: 'America/New_York' } });
      const earliestMs = Date.now() + hours * HOUR_MS;
      assert.equal((await command(url, 'token', 'create', 'acme', '--expires', expires)).code, 0);
      const latestMs = Date.now() + hours * HOUR_MS;
      const [token] = await store.tokens((await account()).id);
      assert.ok(token?.expiresAtMs && token.expiresAtMs >= earliestMs && token.expiresAtMs <= latestMs);
    });
  }

  const refusals: [name: string, args: string[], code: number, sentence: RegExp][] = [
    [
      'a date in the past',
      ['--expires', '2020-01-31'],
      2,
      /The expiry 2020-02-01T00:00:00.000Z is in the past\./,
    ],
    [
      'an instant in the past',
      ['--expires', '2020-01-31T12:00Z'],
      2,
      /The expiry 2020-01-31T12:00:00.000Z is/,
    ],
    [
      'no date',
      ['--expires', 'tomorrow'],
      2,
      /Expected a date such as 2027-12-31, an instant such as 2027-12-31T12:00:00Z, or a time from now such as 12h, 30d or 4w\.\n$/,
    ],
    ['no time at all', ['--expires', '0d'], 2, /Expected a date such as/],
    ['a unit that is not known', ['--expires', '6m'], 2, /Expected a date such as/],
    ['a time of two units', ['--expires', '1d12h'], 2, /Expected a date such as/],
    ['no real date', ['--expires', '2099-02-30'], 2, /Expected a date such as/],
    ['an instant without an offset', ['--expires', '2099-01-01T12:00'], 2, /Expected a date such as/],
    ['a label of 201 characters', ['--label', 'x'.repeat(201)], 2, /Expected at most 200 characters\./],
  ];
  for (const [name, args, code, sentence] of refusals) {
    test(`refuses ${name}`, async (t) => {
      const { url, run, store, account } = await importer(t);
      await run(acme([]));
      const finished = await command(url, 'token', 'create', 'acme', ...args);
      assert.partialDeepStrictEqual(finished, { code, stdout: '' });
      assert.match(finished.stderr, /^shiftfeed: .*\n$/);
      assert.match(finished.stderr, sentence);
      assert.deepEqual(await store.tokens((await account()).id), []);
    });
  }

  for (const args of [
    ['token', 'create', 'acme'],
    ['desk', 'invite', 'acme', '--name', 'Noor'],
  ])
    test(`refuses a date of an account whose time zone is not known: ${args.join(' ')}`, async (t) => {
      const { url, run } = await importer(t);
      await run(acme([]));
      using database = new DatabaseSync(url.replace('sqlite:', ''));
      database.exec(`UPDATE accounts SET time_zone = 'Foo/Bar'`);
      assert.deepEqual(
        await command(url, ...args, '--expires', '2999-12-31'),
        refused(
          'The account acme has the time zone "Foo/Bar", which does not exist, so nobody knows when that day ends: ' +
            'change the time zone, or give an instant such as 2027-12-31T12:00:00Z.',
          2,
        ),
      );
    });

  test('refuses an account that is not premium, and says what to do', async (t) => {
    const { url, run, store, account } = await importer(t);
    await run({ account: { ...ACME, premium: false } });
    assert.deepEqual(
      await command(url, 'token', 'create', 'acme'),
      refused(
        'The account acme is not premium, and only premium accounts have tokens: ' +
          '"shiftfeed account set acme --premium true" changes that.',
      ),
    );
    assert.deepEqual(await store.tokens((await account()).id), []);
  });
});

describe('token list', () => {
  /** A token in each state. The instants are so far away that the present does not matter. */
  async function withTokens(context: Parameters<typeof importer>[0], premium: boolean) {
    const { url, run, store, account } = await importer(context);
    await run({ account: { ...ACME, premium } });
    await run({ account: { ...ACME, slug: 'other' } });
    const at = (instant: string) => Temporal.Instant.from(instant).epochMilliseconds;
    const common = { accountId: (await account()).id, createdAtMs: at('2001-02-03T04:05:06Z') };
    const hash = (digit: string) => digit.repeat(64);
    await store.addToken({
      ...common,
      hash: hash('a'),
      hint: 'shiftfeed_Ab3d',
      label: 'web site',
      expiresAtMs: at('2999-01-01T00:00Z'),
    });
    await store.addToken({ ...common, hash: hash('b'), label: '', expiresAtMs: at('2002-01-01T00:00Z') });
    const revoked = await store.addToken({ ...common, hash: hash('c'), label: 'app', expiresAtMs: null });
    await store.revokeToken(revoked.id, at('2003-01-01T00:00Z'));
    const other = { ...common, accountId: (await account('other')).id, hash: hash('d') };
    await store.addToken({ ...other, label: 'of another account', expiresAtMs: null });
    const uses = await openServerStore(url);
    await uses.writeUses(new Map([[hash('a'), at('2026-11-15T14:00Z')]]));
    return url;
  }

  test('is a table of the tokens of that account', async (t) => {
    const url = await withTokens(t, true);
    assert.deepEqual(
      await command(url, 'token', 'list', 'acme'),
      printed(
        'ID  TOKEN            LABEL     STATE    CREATED                   EXPIRES                   LAST USED',
        ' 1  shiftfeed_Ab3d…  web site  live     2001-02-03T04:05:06.000Z  2999-01-01T00:00:00.000Z  2026-11-15T14:00Z',
        ' 2                             expired  2001-02-03T04:05:06.000Z  2002-01-01T00:00:00.000Z  not noted',
        ' 3                   app       revoked  2001-02-03T04:05:06.000Z  never                     not noted',
      ),
    );
  });

  test('without an account is of all accounts', async (t) => {
    const url = await withTokens(t, true);
    const { stdout } = await command(url, 'token', 'list');
    const lines = stdout.split('\n');
    assert.match(lines[0] ?? '', /^ID {2}ACCOUNT {2}TOKEN /);
    assert.match(lines[1] ?? '', /^ 1 {2}acme {5}shiftfeed_Ab3d… {2}web site /);
    assert.match(lines[4] ?? '', /^ 4 {2}other {21}of another account {2}live /);
    const json = JSON.parse((await command(url, 'token', 'list', '--json')).stdout);
    assert.deepEqual(
      json.map(({ id, account }: { id: number; account: string }) => [id, account]),
      [
        [1, 'acme'],
        [2, 'acme'],
        [3, 'acme'],
        [4, 'other'],
      ],
    );
    const { url: empty } = await importer(t);
    const none = await command(empty, 'token', 'list');
    assert.equal(none.stdout, 'There are no tokens yet: "shiftfeed token create" makes one.\n');
  });

  test('is JSON for scripts, without the hashes', async (t) => {
    const url = await withTokens(t, true);
    const { stdout } = await command(url, 'token', 'list', 'acme', '--json');
    const created_at = '2001-02-03T04:05:06.000Z';
    assert.deepEqual(JSON.parse(stdout), [
      {
        id: 1,
        account: 'acme',
        hint: 'shiftfeed_Ab3d',
        label: 'web site',
        state: 'live',
        created_at,
        expires_at: '2999-01-01T00:00:00.000Z',
        revoked_at: null,
        last_used_at: '2026-11-15T14:00Z',
      },
      {
        id: 2,
        account: 'acme',
        hint: '',
        label: '',
        state: 'expired',
        created_at,
        expires_at: '2002-01-01T00:00:00.000Z',
        revoked_at: null,
        last_used_at: null,
      },
      {
        id: 3,
        account: 'acme',
        hint: '',
        label: 'app',
        state: 'revoked',
        created_at,
        expires_at: null,
        revoked_at: '2003-01-01T00:00:00.000Z',
        last_used_at: null,
      },
    ]);
  });

  test('says that the tokens of an account without premium are asleep', async (t) => {
    const url = await withTokens(t, false);
    const { stdout } = await command(url, 'token', 'list', 'acme');
    assert.match(stdout, /^ 1 .* web site {2}asleep /m);
    assert.match(stdout, /^ 2 .* expired /m);
  });

  test('says so when there are none', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    const table = await command(url, 'token', 'list', 'acme');
    assert.equal(table.stdout, 'acme has no tokens: "shiftfeed token create acme" makes one.\n');
    const json = await command(url, 'token', 'list', 'acme', '--json');
    assert.deepEqual(JSON.parse(json.stdout), []);
  });

  const many = often(5_000, 200_000);
  test(`shows ${many} tokens, too`, async (t) => {
    const { url, run, account } = await importer(t);
    await run(acme([]));
    const database = new DatabaseSync(url.replace('sqlite:', ''));
    database.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
      INSERT INTO tokens (account_id, hash, label, created_at, expires_at)
      SELECT ${(await account()).id}, printf('%064x', i), 'number ' || i, 0, NULL FROM n`);
    database.close();
    const { code, stdout, stderr } = await command(url, 'token', 'list', 'acme');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, many + 1);
    assert.match(lines.at(-1) ?? '', new RegExp(`^${many} .*number ${many} {2}live `));
  });
});

describe('token revoke', () => {
  test('of an id that there is not is a sentence', async (t) => {
    const { url } = await importer(t);
    assert.deepEqual(
      await command(url, 'token', 'revoke', '42'),
      refused('There is no token 42: "shiftfeed token list" shows the ids.'),
    );
  });

  test('twice does no harm', async (t) => {
    const { url, run } = await importer(t);
    await run(acme([]));
    await command(url, 'token', 'create', 'acme');
    for (const _ of ['first', 'second']) {
      assert.deepEqual(await command(url, 'token', 'revoke', '1'), printed('Token 1 is revoked.'));
    }
  });
});

test('a running server heeds each command from the next request on', async (t) => {
  const service = await startService(t, { now: '2026-11-15T12:00:00Z' });
  await service.import(acme([shift('2026-12-01')]));
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(service.databaseUrl, ...args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const token = await run('token', 'create', 'acme');
  const status = async () => (await service.get('acme', '', token)).status;
  assert.equal(await status(), 200);
  await run('account', 'set', 'acme', '--premium', 'false');
  assert.equal(await status(), 401);
  await run('account', 'set', 'acme', '--premium', 'true');
  assert.equal(await status(), 200);
  await run('token', 'revoke', '1');
  assert.equal(await status(), 401);
});

/** The bytes of the database with its log and whatever else lies in its folder. */
async function filesBeside(url: string): Promise<Buffer> {
  const folder = dirname(url.replace('sqlite:', ''));
  const names = await readdir(folder);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
}
