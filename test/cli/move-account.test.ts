/** An account moves to another database, or comes back from a backup, with its tokens. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { TOKEN_FIELDS, type TokenRecord } from '../../src/store/admin/tokens.ts';
import { watchBackends } from '../support/backends.ts';
import { command } from '../support/cli-in-process.ts';
import { type Cleanup, DATABASES, newFolder, postgresProgram, runSql } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startLine } from '../support/line.ts';
import { refused } from '../support/outcome.ts';
import { type Service, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const NOW = '2026-11-15T12:00:00Z';
const ALL = '?date_from=1000-01-01&published=false';
const OTHERS = DATABASES.toReversed();
const [EARLY, LATE] = [Date.parse('2027-01-01T00:00:00Z'), Date.parse('2028-01-01T00:00:00Z')];

/** A token as the database has it, and its text. */
function token(label: string, fields: Partial<TokenRecord> = {}) {
  const secret = makeToken();
  const record: TokenRecord = {
    hash: hashToken(secret),
    hint: secret.slice(0, 14),
    label,
    created_at: Date.parse('2026-01-02T03:04:05.678Z'),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    ...fields,
  };
  return { secret, record };
}

const start = (t: Cleanup, database: (typeof DATABASES)[number]) => startService(t, { database, now: NOW });

/** Gives an account tokens of any kind, as a program would. */
async function giveTokens(t: Cleanup, { databaseUrl }: Service, tokens: readonly TokenRecord[]) {
  const quoted = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value ?? 'NULL'));
  const rows = tokens.map((one) => `(1, ${TOKEN_FIELDS.map((name) => quoted(one[name])).join(', ')})`);
  const insert = `INSERT INTO tokens (account_id, ${TOKEN_FIELDS.join(', ')}) VALUES ${rows.join(', ')}`;
  if (databaseUrl.startsWith('sqlite:')) runSql(databaseUrl, insert);
  else await (await postgresProgram(t, databaseUrl)).query(insert);
}

const copied = (from: Pick<Service, 'databaseUrl'>, to: Service, ...options: string[]) =>
  command(from.databaseUrl, 'account', 'copy', 'acme', '--to', to.databaseUrl, ...options);

/** Everything that is copied. */
async function contentsOf({ store, databaseUrl }: Service) {
  const { stdout } = await command(databaseUrl, 'export', 'acme');
  const tokens = await store.readAccount('acme', async (reading) =>
    (await Array.fromAsync(reading.tokens())).flat(),
  );
  return { document: stdout, tokens };
}

for (const [i, kind] of DATABASES.slice(0, often(1, 2)).entries())
  describe(`Into ${kind}`, () => {
    test('an account moves with its tokens, and no reader is told that nothing has changed', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      await from.import(acme([shift('2026-12-01', { id: 9007199254740991 }), shift('2026-12-02')]));
      const nowMs = Date.parse(NOW);
      const live = token('website', { last_used_at: nowMs - 3_600_000 });
      const revoked = token('old', { revoked_at: nowMs - 1_000 });
      const expired = token('trial', { expires_at: nowMs - 1_000 });
      const lasting = token('bell \u0007', { expires_at: nowMs + 1_000, hint: '' });
      await giveTokens(
        t,
        from,
        [live, revoked, expired, lasting].map(({ record }) => record),
      );
      await command(from.databaseUrl, 'desk', 'invite', 'acme', '--name', 'Noor');
      const seen = await from.get('acme', ALL, live.secret);

      const { code, stdout, stderr } = await copied(from, to);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /\ntokens +4 +0 +0 +0\n/);

      assert.deepEqual(await contentsOf(to), await contentsOf(from));
      assert.deepEqual(await to.store.deskKeys(1), [], 'who may open the desk there is another matter');
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

    test('an account that is larger than imports allow moves, too', async (t) => {
      const [from, to] = await Promise.all([start(t, 'sqlite'), start(t, kind)]);
      await from.import(acme([]));
      runSql(
        from.databaseUrl,
        `WITH RECURSIVE numbers (id) AS (SELECT 100 UNION ALL SELECT id + 1 FROM numbers WHERE id < 5200)
        INSERT INTO groups (account_id, id, name) SELECT 1, id, 'Group ' || id FROM numbers`,
      );
      const { code, stderr } = await copied(from, to);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.deepEqual(await contentsOf(to), await contentsOf(from));
    });

    test('a second copy brings what was written since, and nothing else', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      await from.import(acme([shift('2026-12-01', { id: 1 })]));
      await giveTokens(t, from, [token('website').record]);
      await copied(from, to);
      await from.import(acme([shift('2026-12-01', { id: 1, remarks: 'new' })]));
      await command(from.databaseUrl, 'token', 'revoke', '1');
      const secret = await from.token('acme');
      const preview = await copied(from, to, '--replace', '--dry-run', '--show');
      assert.match(preview.stdout, /^~ shift 1 {2}.*: remarks "" → "new"$/m);
      assert.match(preview.stdout, /^~ token shiftfeed_.{4}… {2}website: revoked_at none → \S+Z$/m);
      assert.match(preview.stdout, /^\+ token without a label$/m);
      assert.equal((await to.get('acme', ALL, secret)).status, 401);
      await copied(from, to, '--replace');
      assert.deepEqual(await contentsOf(to), await contentsOf(from));
      assert.equal((await to.get('acme', ALL, secret)).status, 200);
      const again = await copied(from, to, '--replace', '--dry-run', '--show');
      assert.match(again.stdout, /^Nothing was written: [\s\S]*\nshifts +0 +0 +0 +1\ntokens +0 +0 +0 +2\n/);
    });

    test('no token lives longer by a copy, and one that it lacks is revoked', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      for (const service of [from, to]) await service.import(acme([]));
      const revoked = token('revoked', { revoked_at: EARLY });
      const ending = token('ending', { expires_at: EARLY, last_used_at: LATE });
      const endless = token('endless', { last_used_at: EARLY });
      const absent = token('absent');
      const before = [revoked, ending, endless, absent].map(({ record }) => record);
      const ends = { expires_at: LATE, revoked_at: LATE, last_used_at: LATE };
      await giveTokens(t, to, before);
      await giveTokens(t, from, [
        { ...revoked.record, revoked_at: null, label: 'renamed' },
        { ...ending.record, expires_at: LATE, last_used_at: EARLY },
        { ...endless.record, ...ends },
      ]);
      const preview = await copied(from, to, '--replace', '--dry-run', '--show');
      assert.match(preview.stdout, /^~ token shiftfeed_.{4}… {2}revoked: label "revoked" → "renamed"$/m);
      assert.match(preview.stdout, /^- token shiftfeed_.{4}… {2}absent$/m);
      assert.match((await copied(from, to, '--replace')).stdout, /\ntokens +0 +2 +1 +1\n/);
      const after = new Map((await contentsOf(to)).tokens?.map((one) => [one.hash, one]));
      assert.deepEqual(after.get(revoked.record.hash), { ...revoked.record, label: 'renamed' });
      assert.deepEqual(after.get(ending.record.hash), ending.record);
      assert.deepEqual(after.get(endless.record.hash), { ...endless.record, ...ends });
      assert.notEqual(after.get(absent.record.hash)?.revoked_at, null);
      assert.equal((await to.get('acme', ALL, absent.secret)).status, 401);
    });

    test('a token of another account, or an account that is there already, is refused', async (t) => {
      const [from, to] = await Promise.all([start(t, OTHERS[i] ?? kind), start(t, kind)]);
      await from.import(acme([]));
      const { record, secret } = token('one');
      await giveTokens(t, from, [record]);
      await to.import({ account: { ...ACME, slug: 'globex' } });
      await giveTokens(t, to, [record]);
      const nothing = 'Nothing was copied: there is a problem.\n  ';
      const taken = refused(`${nothing}one of its tokens is there already, of the account globex`);
      assert.deepEqual(await copied(from, to), taken);
      assert.equal(await to.store.findAccount('acme'), undefined);
      await to.import(acme([]));
      assert.deepEqual(await copied(from, to, '--replace'), taken);
      assert.equal((await to.get('globex', ALL, secret)).status, 200);
      await to.store.removeAccount(1);
      assert.deepEqual(
        await copied(from, to),
        refused(
          `${nothing}the account acme is there already; if it is to become the same, tokens included, give --replace`,
        ),
      );
    });
  });

test('from a backup, an account comes back as it was, whether it was removed or changed', async (t) => {
  const service = await start(t, 'sqlite');
  await service.import(acme([shift('2026-12-01'), shift('2027-01-01')]));
  const { record, secret } = token('first');
  await giveTokens(t, service, [record]);
  const backup = { databaseUrl: `sqlite:${join(await newFolder(t), 'backup.db')}` };
  runSql(service.databaseUrl, `VACUUM INTO '${backup.databaseUrl.slice('sqlite:'.length)}'`);
  const before = await service.get('acme', ALL, secret);
  const unchanged = { headers: { 'if-none-match': before.headers.get('etag') ?? '' } };
  const body = await before.text();

  await service.import(acme([shift('2026-12-01')]), { replace: true });
  assert.equal((await copied(backup, service, '--replace')).code, 0);
  const restored = await service.get('acme', ALL, secret, unchanged);
  assert.equal(restored.status, 200);
  assert.equal(await restored.text(), body);

  assert.equal((await command(service.databaseUrl, 'account', 'remove', 'acme', '--yes')).code, 0);
  assert.equal((await service.get('acme', ALL, secret)).status, 401);
  assert.equal((await copied(backup, service)).code, 0);
  const back = await service.get('acme', ALL, secret, unchanged);
  assert.equal(back.status, 200);
  assert.equal(await back.text(), body);
});

test('a copy waits for a revocation that is under way, and keeps it', async (t) => {
  const [from, to] = await Promise.all([start(t, 'sqlite'), start(t, 'postgres')]);
  await from.import(acme([]));
  const { record, secret } = token('website');
  await giveTokens(t, from, [record]);
  await copied(from, to);
  runSql(from.databaseUrl, "UPDATE tokens SET label = 'renamed'");
  const program = await postgresProgram(t, to.databaseUrl);
  const backends = await watchBackends(t, to.databaseUrl);
  await program.query('BEGIN; UPDATE tokens SET revoked_at = 1');
  const copying = copied(from, to, '--replace');
  await backends.whenWaiting(1);
  await program.query('COMMIT');
  assert.equal((await copying).code, 0);
  assert.partialDeepStrictEqual((await contentsOf(to)).tokens, [{ label: 'renamed', revoked_at: 1 }]);
  assert.equal((await to.get('acme', ALL, secret)).status, 401);
});

test('a copy that is written does not mind how the reading of its source ends', async (t) => {
  const [from, to] = await Promise.all([start(t, 'postgres'), start(t, 'postgres')]);
  await from.import(acme([shift('2026-12-01')]));
  await to.import(acme([]));
  const line = await startLine(t, from.databaseUrl);
  const program = await postgresProgram(t, to.databaseUrl);
  const backends = await watchBackends(t, to.databaseUrl);
  await program.query('BEGIN; SELECT 1 FROM accounts FOR UPDATE');
  const copying = copied({ databaseUrl: line.url }, to, '--replace');
  // By then, all was read.
  await backends.whenWaiting(1);
  await line.cut();
  await program.query('ROLLBACK');
  assert.equal((await copying).code, 0);
  assert.equal((await contentsOf(to)).document, (await contentsOf(from)).document);
});

test('a copy does not take a token that another account is given at the same moment', async (t) => {
  const [from, to] = await Promise.all([start(t, 'sqlite'), start(t, 'postgres')]);
  await from.import(acme([]));
  const { record, secret } = token('website');
  await giveTokens(t, from, [record]);
  await to.import({ account: { ...ACME, slug: 'globex' } });
  const program = await postgresProgram(t, to.databaseUrl);
  const backends = await watchBackends(t, to.databaseUrl);
  await program.query(
    `BEGIN; INSERT INTO tokens (account_id, hash, created_at) VALUES (1, '${record.hash}', 1)`,
  );
  const copying = copied(from, to);
  await backends.whenWaiting(1);
  await program.query('COMMIT');
  assert.deepEqual(
    await copying,
    refused('Another account was given one of these tokens meanwhile: nothing was copied, try again.'),
  );
  assert.equal(await to.store.findAccount('acme'), undefined);
  assert.equal((await to.get('globex', ALL, secret)).status, 200);
});

test('the URL may come from a file, and has to be given', async (t) => {
  const [from, to] = await Promise.all([start(t, 'sqlite'), start(t, 'sqlite')]);
  await from.import(acme([]));
  const file = join(await newFolder(t), 'to.url');
  await writeFile(file, `${to.databaseUrl}\n`);
  const args = ['account', 'copy', 'acme'];
  assert.equal((await command(from.databaseUrl, ...args, '--to-file', file)).code, 0);
  assert.ok(await to.store.findAccount('acme'));
  for (const [options, sentence] of [
    [[], 'Say with --to or --to-file which database it is copied to.'],
    [['--to', 'sqlite:x.db', '--show'], '--show is for --dry-run: give both.'],
    [['--to', 'x.db'], '--to x.db is not a database URL: did you mean sqlite:x.db?'],
  ] as const)
    assert.deepEqual(await command(from.databaseUrl, ...args, ...options), refused(sentence, 2));
});
