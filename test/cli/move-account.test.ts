/** An account moves to another database, or comes back from a backup, with its tokens. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import type { TokenRecord } from '../../src/store/admin/tokens.ts';
import { watchBackends } from '../support/backends.ts';
import { start as startCommand } from '../support/cli.ts';
import { command } from '../support/cli-in-process.ts';
import { type Cleanup, DATABASES, newFolder, postgresProgram, runSql } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { refused } from '../support/outcome.ts';
import { type Service, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const NOW = '2026-11-15T12:00:00Z';
const ALL = '?date_from=1000-01-01&published=false';
const OTHERS = DATABASES.toReversed();

/** A token as a document has it, and its text. */
function token(label: string, fields: Partial<Record<keyof TokenRecord, string | null>> = {}) {
  const secret = makeToken();
  const given = {
    hash: hashToken(secret),
    hint: secret.slice(0, 14),
    label,
    created_at: '2026-01-02T03:04:05.678Z',
  };
  return { secret, given: { ...given, expires_at: null, revoked_at: null, last_used_at: null, ...fields } };
}

const start = (t: Cleanup, database: (typeof DATABASES)[number]) => startService(t, { database, now: NOW });

async function fileWith(t: Cleanup, document: object | string): Promise<string> {
  const file = join(await newFolder(t), 'acme.json');
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}

async function importInto(
  { databaseUrl }: Service,
  t: Cleanup,
  document: object | string,
  ...options: string[]
) {
  return command(databaseUrl, 'import', await fileWith(t, document), ...options);
}

async function exported({ databaseUrl }: Pick<Service, 'databaseUrl'>): Promise<string> {
  const { code, stdout, stderr } = await command(databaseUrl, 'export', 'acme', '--with-tokens');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return stdout;
}

async function tokensIn(service: Service): Promise<Record<string, unknown>[]> {
  return JSON.parse(await exported(service)).tokens;
}

/** Imports, and expects these problems and no others. Nothing may have changed. */
async function assertProblems(
  service: Service,
  t: Cleanup,
  document: object,
  options: string[],
  ...lines: string[]
) {
  const before = await service.store.tokens();
  const many = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
  assert.deepEqual(
    await importInto(service, t, document, ...options),
    refused(
      [`Nothing was imported: the document has ${many}.`, ...lines.map((line) => `  ${line}`)].join('\n'),
    ),
  );
  assert.deepEqual(await service.store.tokens(), before);
}

for (const [i, kind] of DATABASES.slice(0, often(1, 2)).entries())
  describe(`Into ${kind}`, () => {
    test('an account moves with its tokens, and no reader is told that nothing has changed', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      const live = token('website', { last_used_at: '2026-11-01T10:00:00.000Z' });
      const revoked = token('old', { revoked_at: '2026-10-01T00:00:00.000Z' });
      const expired = token('trial', { expires_at: '2026-11-15T11:59:59.000Z' });
      const lasting = token('bell \u0007', { expires_at: '2026-11-15T12:00:01.000Z', hint: '' });
      const tokens = [live, revoked, expired, lasting].map(({ given }) => given);
      const shifts = [shift('2026-12-01', { id: 9007199254740991 }), shift('2026-12-02')];
      assert.equal((await importInto(from, t, acme(shifts, { tokens }), '--with-tokens')).code, 0);
      const seen = await from.get('acme', ALL, live.secret);

      const document = await exported(from);
      const { code, stdout, stderr } = await importInto(to, t, document, '--with-tokens');
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /\ntokens +4 +0 +0 +0\n/);

      assert.equal(await exported(to), document);
      // Both databases call the account by the same number.
      const [here, there] = await Promise.all([from, to].map(({ store }) => store.findAccount('acme')));
      assert.equal(here?.id, there?.id);
      const etag = seen.headers.get('etag') ?? '';
      const moved = await to.get('acme', ALL, live.secret, { headers: { 'if-none-match': etag } });
      assert.equal(moved.status, 200);
      assert.equal(await moved.text(), await seen.text());
      const revisionOf = ({ headers }: Response) => Number(headers.get('shiftfeed-revision'));
      assert.ok(revisionOf(moved) > revisionOf(seen));
      for (const [{ secret }, status] of [
        [revoked, 401],
        [expired, 401],
        [lasting, 200],
      ] as const)
        assert.equal((await to.get('acme', ALL, secret)).status, status);
    });

    test('a second copy brings what was written since, and nothing else', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      const tokens = [token('website').given];
      await importInto(from, t, acme([shift('2026-12-01', { id: 1 })], { tokens }), '--with-tokens');
      await importInto(to, t, await exported(from), '--with-tokens');
      await from.import(acme([shift('2026-12-01', { id: 1, remarks: 'new' })]));
      await command(from.databaseUrl, 'token', 'revoke', '1');
      const secret = await from.token('acme');
      const options = ['--with-tokens', '--replace'];
      const preview = await importInto(to, t, await exported(from), ...options, '--dry-run', '--show');
      assert.match(preview.stdout, /^~ shift 1 {2}.*: remarks "" → "new"$/m);
      assert.match(preview.stdout, /^~ token shiftfeed_.{4}… {2}website: revoked_at none → \S+Z$/m);
      assert.match(preview.stdout, /^\+ token without a label$/m);
      assert.equal((await to.get('acme', ALL, secret)).status, 401);
      await importInto(to, t, await exported(from), ...options);
      assert.equal(await exported(to), await exported(from));
      assert.equal((await to.get('acme', ALL, secret)).status, 200);
      const again = await importInto(to, t, await exported(from), ...options, '--dry-run', '--show');
      assert.match(again.stdout, /^Nothing was written: [\s\S]*\nshifts +0 +0 +0 +1\ntokens +0 +0 +0 +2\n/);
    });

    test('no token lives longer by an import, and one that the document lacks is revoked', async (t) => {
      const service = await start(t, kind);
      const [early, late] = ['2027-01-01T00:00:00.000Z', '2028-01-01T00:00:00.000Z'];
      const revoked = token('revoked', { revoked_at: early });
      const ending = token('ending', { expires_at: early, last_used_at: late });
      const endless = token('endless', { last_used_at: early });
      const absent = token('absent');
      const before = [revoked, ending, endless, absent].map(({ given }) => given);
      await importInto(service, t, acme([], { tokens: before }), '--with-tokens');
      const tokens = [
        { ...revoked.given, revoked_at: null, label: 'renamed' },
        { ...ending.given, expires_at: late, last_used_at: early },
        { hash: endless.given.hash, expires_at: late, revoked_at: late, last_used_at: late },
      ];
      const options = ['--with-tokens', '--replace'];
      const preview = await importInto(service, t, acme([], { tokens }), ...options, '--dry-run', '--show');
      assert.match(preview.stdout, /^~ token shiftfeed_.{4}… {2}revoked: label "revoked" → "renamed"$/m);
      assert.match(preview.stdout, /^- token shiftfeed_.{4}… {2}absent$/m);
      const { stdout } = await importInto(service, t, acme([], { tokens }), ...options);
      assert.match(stdout, /\ntokens +0 +2 +1 +1\n/);
      const after = new Map((await tokensIn(service)).map((one) => [one.hash, one]));
      assert.deepEqual(after.get(revoked.given.hash), { ...revoked.given, label: 'renamed' });
      assert.deepEqual(after.get(ending.given.hash), ending.given);
      const ends = { expires_at: late, revoked_at: late, last_used_at: late };
      assert.deepEqual(after.get(endless.given.hash), { ...endless.given, ...ends });
      assert.notEqual(after.get(absent.given.hash)?.revoked_at, null);
      assert.equal((await service.get('acme', ALL, absent.secret)).status, 401);
    });

    test('a token of another account, a repeated one, or an account that is there already is refused', async (t) => {
      const service = await start(t, kind);
      const [one, two] = [token('one').given, token('two').given];
      const globex = { account: { ...ACME, slug: 'globex' } };
      await importInto(service, t, { ...globex, tokens: [one] }, '--with-tokens');
      const isOther = 'the database has this token already, for the account globex';
      await assertProblems(
        service,
        t,
        acme([], { tokens: [two, one, two] }),
        ['--with-tokens'],
        `tokens[1]: ${isOther}`,
        'tokens[2]: has the same hash as tokens[0]',
      );
      await service.import(acme([]));
      const whole = ['--with-tokens', '--replace'];
      await assertProblems(service, t, acme([], { tokens: [one] }), whole, `tokens[0]: ${isOther}`);
      await assertProblems(
        service,
        t,
        acme([], { tokens: [two] }),
        ['--with-tokens'],
        'the account acme is there already; if it is to become what the document says, tokens included, give --replace',
      );
      await assertProblems(
        service,
        t,
        acme([]),
        whole,
        'tokens: is missing: "shiftfeed export --with-tokens" writes documents that have them',
      );
    });

    test('tokens are only taken when that is asked for', async (t) => {
      const service = await start(t, kind);
      const { given, secret } = token('website');
      const { code, stdout, stderr } = await importInto(service, t, acme([], { tokens: [given] }));
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /token/);
      assert.equal(stderr, 'shiftfeed: Left out 1 token of the document: --with-tokens takes them, too.\n');
      assert.deepEqual(await service.store.tokens(), []);
      assert.equal((await service.get('acme', ALL, secret)).status, 401);
      // The other way round, an account without tokens is nothing special.
      const none = await importInto(service, t, await exported(service), '--with-tokens', '--replace');
      assert.match(none.stdout, /\ntokens +0 +0 +0 +0\n/);
    });
  });

describe('From a backup', () => {
  test('an account comes back as it was, whether it was removed or changed', async (t) => {
    const service = await start(t, 'sqlite');
    const [first, second] = [token('first'), token('second')];
    const tokens = [first, second].map(({ given }) => given);
    await importInto(
      service,
      t,
      acme([shift('2026-12-01'), shift('2027-01-01')], { tokens }),
      '--with-tokens',
    );
    const backup = join(await newFolder(t), 'backup.db');
    runSql(service.databaseUrl, `VACUUM INTO '${backup}'`);
    const document = await exported({ databaseUrl: `sqlite:${backup}` });
    const before = await service.get('acme', ALL, first.secret);
    const { headers } = before;
    const body = await before.text();

    const unchanged = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    await service.import(acme([shift('2026-12-01')]), { replace: true });
    assert.equal((await importInto(service, t, document, '--replace')).code, 0);
    const restored = await service.get('acme', ALL, first.secret, unchanged);
    assert.equal(restored.status, 200);
    assert.equal(await restored.text(), body);
    assert.ok(Number(restored.headers.get('shiftfeed-revision')) > Number(headers.get('shiftfeed-revision')));

    assert.equal((await command(service.databaseUrl, 'account', 'remove', 'acme', '--yes')).code, 0);
    assert.equal((await service.get('acme', ALL, first.secret)).status, 401);
    assert.equal((await importInto(service, t, document, '--with-tokens')).code, 0);
    const back = await service.get('acme', ALL, second.secret, unchanged);
    assert.equal(back.status, 200);
    assert.equal(await back.text(), body);
    assert.equal(await exported(service), document);
  });
});

test('an import waits for a revocation that is under way, and keeps it', async (t) => {
  const service = await start(t, 'postgres');
  const { given, secret } = token('website');
  const document = acme([], { tokens: [{ ...given, label: 'renamed' }] });
  await importInto(service, t, acme([], { tokens: [given] }), '--with-tokens');
  const program = await postgresProgram(t, service.databaseUrl);
  const backends = await watchBackends(t, service.databaseUrl);
  await program.query('BEGIN; UPDATE tokens SET revoked_at = 1');
  const imported = importInto(service, t, document, '--with-tokens', '--replace');
  await backends.whenWaiting(1);
  await program.query('COMMIT');
  assert.equal((await imported).code, 0);
  assert.partialDeepStrictEqual(await tokensIn(service), [
    { label: 'renamed', revoked_at: '1970-01-01T00:00:00.001Z' },
  ]);
  assert.equal((await service.get('acme', ALL, secret)).status, 401);
});

test('an import does not take a token that another account is given at the same moment', async (t) => {
  const service = await start(t, 'postgres');
  const { given, secret } = token('website');
  await service.import({ account: { ...ACME, slug: 'globex' } });
  const program = await postgresProgram(t, service.databaseUrl);
  const backends = await watchBackends(t, service.databaseUrl);
  const values = `SELECT id, '${given.hash}', 1 FROM accounts WHERE slug = 'globex'`;
  await program.query(`BEGIN; INSERT INTO tokens (account_id, hash, created_at) ${values}`);
  const imported = importInto(service, t, acme([], { tokens: [given] }), '--with-tokens');
  await backends.whenWaiting(1);
  await program.query('COMMIT');
  assert.deepEqual(
    await imported,
    refused('Another account was given one of these tokens meanwhile: nothing was imported, try again.'),
  );
  assert.equal(await service.store.findAccount('acme'), undefined);
  assert.equal((await service.get('globex', ALL, secret)).status, 200);
});

describe('A token that cannot be read', async () => {
  const secret = makeToken();
  const hash = hashToken(secret);
  const cases: [name: string, tokens: unknown, problem: string][] = [
    [
      'in place of a hash',
      [{ hash: secret }],
      'tokens[0].hash: this is not the SHA-256 of a token, 64 digits from 0-9 and a-f',
    ],
    ['in place of an object', [{ hash }, secret], 'tokens[1]: is not an object that describes a token'],
    ['in place of a list', secret, 'tokens: is not an array'],
    ['under another key', [{ token: secret }], 'tokens[0].token: there is no such key; did you mean "hash"?'],
    ['without a hash', [{ label: 'x' }], 'tokens[0].hash: is missing'],
    [
      'on a day that does not exist',
      [{ hash, created_at: '2026-02-30T00:00:00Z' }],
      'tokens[0].created_at: "2026-02-30T00:00:00Z" is not an instant such as 2027-12-31T12:00:00.000Z, from 1970 on',
    ],
  ];
  for (const [name, tokens, problem] of cases) {
    test(`${name} is refused, and not shown`, async (t) => {
      const url = `sqlite:${join(await newFolder(t), 'none.db')}`;
      for (const options of [[], ['--with-tokens']]) {
        const file = await fileWith(t, acme([], { tokens }));
        assert.deepEqual(
          await command(url, 'import', file, ...options),
          refused(`Nothing was imported: the document has a problem.\n  ${problem}`),
        );
        assert.ok(!problem.includes(secret));
      }
    });
  }
});

describe('--with-tokens', () => {
  const cases: [args: string[], sentence: string][] = [
    [
      ['import', 'plan.csv', '--account', 'acme'],
      '--with-tokens is for JSON documents: a sheet has no tokens.',
    ],
    [
      ['import', 'plan.json', '--replace', '--from', '2027-01-01'],
      '--with-tokens takes an account as a whole: leave out --from and --to.',
    ],
    [['import', 'plan.json', '--watch'], '--with-tokens is for a single import: leave out --watch.'],
    [['export', 'acme', '--format', 'csv'], 'A CSV has no tokens: leave out --with-tokens or --format csv.'],
  ];
  for (const [args, sentence] of cases)
    test(`shiftfeed ${args.join(' ')} does not go with it`, async () => {
      assert.deepEqual(await command('sqlite:none.db', ...args, '--with-tokens'), refused(sentence, 2));
    });

  test('tells when other users may read the file that it is written to', async (t) => {
    const service = await start(t, 'sqlite');
    await importInto(service, t, acme([], { tokens: [token('website').given] }), '--with-tokens');
    const complaints = await Promise.all([0o600, 0o640].map((mode) => exportToFile(t, service, mode)));
    assert.deepEqual(complaints, [
      '',
      'shiftfeed: Others may see this document, or change it before it is imported, and its tokens decide who may read ' +
        'the account: send it to "shiftfeed import", or to a file that only you can read (umask 077).\n',
    ]);
  });
});

/** Returns what the command complains about. */
async function exportToFile(t: TestContext, { databaseUrl }: Service, mode: number): Promise<string> {
  const file = await open(join(await newFolder(t), 'acme.json'), 'w', mode);
  t.after(() => file.close());
  const args = ['export', 'acme', '--with-tokens', '--database', databaseUrl];
  const child = startCommand(args, { stdio: ['ignore', file.fd, 'pipe'] });
  const complaints = text(child.stderr ?? assert.fail());
  assert.deepEqual(await once(child, 'close'), [0, null]);
  return complaints;
}
