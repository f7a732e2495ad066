import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { DatabaseKind } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { putClockBack, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const NOW = '2026-11-15T12:00:00Z';
const INVALID = { error: 'Invalid or expired API token' };

/** What is here is decided by code that both share. */
const database = often<DatabaseKind>('sqlite', 'postgres');
describe(`Who may read, on ${database}`, async () => {
  const service = await startService({ after }, { database, now: NOW });
  await service.import(acme([shift('2026-11-20', { remarks: 'seen' })]));
  await service.import({ account: { slug: 'other', premium: true } });
  await service.import({ account: { slug: 'free' } });
  const token = await service.token('acme');

  test('a live token of the account lists its shifts', async () => {
    const { shifts } = await service.list('acme', '', token);
    assert.deepEqual(
      shifts.map(({ remarks }) => remarks),
      ['seen'],
    );
  });

  const unauthorised: [string, (live: string) => string | undefined, boolean][] = [
    ['no Authorization header', () => undefined, false],
    ['another scheme', (live) => `Basic ${live}`, false],
    ['a scheme without a token', () => 'Bearer', false],
    ['a scheme with only spaces', () => 'Bearer   ', false],
    ['the bare token', (live) => live, false],
    ['two tokens', (live) => `Bearer ${live} ${live}`, false],
    ['a token that was never made', () => 'Bearer shiftfeed_nope', true],
    ['a live token with one more letter', (live) => `Bearer ${live}x`, true],
    ['a live token in capitals', (live) => `Bearer ${live.toUpperCase()}`, true],
  ];
  for (const [what, header, wasSent] of unauthorised) {
    test(`${what} is refused with 401 and ${wasSent ? 'says that the token is invalid' : 'only a challenge'}`, async () => {
      const authorization = header(token);
      const init = authorization === undefined ? {} : { headers: { authorization } };
      const response = await service.get('acme', '', undefined, init);
      assert.equal(response.status, 401);
      assert.deepEqual(await response.json(), INVALID);
      const challenge = response.headers.get('www-authenticate') ?? '';
      assert.match(challenge, /^Bearer\b/);
      assert.equal(challenge.includes('error="invalid_token"'), wasSent);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });
  }

  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    test(`the scheme may be written ${scheme}`, async () => {
      const headers = { authorization: `${scheme} ${token}` };
      assert.equal((await service.get('acme', '', undefined, { headers })).status, 200);
    });
  }

  test('a token lives until it expires, and not a moment longer', async (context) => {
    putClockBack(context, service);
    const expiring = await service.token('acme', service.nowMs + 1000);
    assert.equal((await service.get('acme', '', expiring)).status, 200);
    service.nowMs += 999;
    assert.equal((await service.get('acme', '', expiring)).status, 200);
    service.nowMs += 1;
    const response = await service.get('acme', '', expiring);
    assert.equal(response.status, 401);
    assert.deepEqual(await response.json(), INVALID);
  });

  test('a revoked token is refused from the next request on, and the others live on', async () => {
    const doomed = await service.token('acme');
    assert.equal((await service.get('acme', '', doomed)).status, 200);
    const account = await service.store.findAccount('acme');
    const last = (await service.store.tokens(account?.id ?? 0)).at(-1);
    await service.store.revokeToken(last?.id ?? 0, service.nowMs);
    assert.equal((await service.get('acme', '', doomed)).status, 401);
    assert.equal((await service.get('acme', '', token)).status, 200);
  });

  test('tokens sleep while their account is not premium, and wake when it is again', async () => {
    const premium = (value: boolean) => service.import({ account: { slug: 'other', premium: value } });
    const sleeper = await service.token('other');
    assert.equal((await service.get('other', '', sleeper)).status, 200);
    await premium(false);
    assert.equal((await service.get('other', '', sleeper)).status, 401);
    await premium(true);
    assert.equal((await service.get('other', '', sleeper)).status, 200);
  });

  test('a live token for an account that does not exist gets 404', async () => {
    const response = await service.get('nowhere', '', token);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { error: 'There is no account "nowhere".' });
  });

  test('a live token of another account gets 401', async () => {
    const response = await service.get('other', '', token);
    assert.equal(response.status, 401);
    assert.deepEqual(await response.json(), INVALID);
  });

  test('without a live token, accounts that exist and accounts that do not look the same', async () => {
    const bodies = new Set<string>();
    for (const slug of ['acme', 'nowhere', 'free']) {
      for (const bearer of [undefined, 'dead']) {
        for (const query of ['', '?months=13', '?nonsense=1']) {
          const response = await service.get(slug, query, bearer);
          bodies.add(`${response.status} ${await response.text()}`);
        }
      }
    }
    assert.deepEqual([...bodies], [`401 ${JSON.stringify(INVALID)}`]);
  });

  test('checks go in order: path and method, token, account, parameters', async () => {
    const status = async (path: string, init: RequestInit) => (await service.fetch(path, init)).status;
    const headers = { authorization: `Bearer ${token}` };
    assert.equal(await status('/acme/api/v2/shifts?months=13', {}), 404);
    assert.equal(await status('/acme/api/v1/shifts?months=13', { method: 'POST' }), 405);
    assert.equal(await status('/acme/api/v1/shifts?months=13', {}), 401);
    assert.equal(await status('/nowhere/api/v1/shifts?months=13', { headers }), 404);
    assert.equal(await status('/acme/api/v1/shifts?months=13', { headers }), 400);
  });

  const paths: [string, string, number][] = [
    ['a trailing slash is the same resource', '/acme/api/v1/shifts/', 200],
    ['a percent-encoded name is the decoded name', '/%61cme/api/v1/shifts', 200],
    ['a name in capitals is another name', '/ACME/api/v1/shifts', 404],
    ['a name with an encoded slash is another name', '/acme%2F/api/v1/shifts', 404],
    ['a name with an encoded null byte is another name', '/acme%00/api/v1/shifts', 404],
    ['a very long name is just unknown', `/${'a'.repeat(5000)}/api/v1/shifts`, 404],
    ['the path is compared exactly', '/acme/API/v1/shifts', 404],
    ['a doubled slash is another path', '/acme//api/v1/shifts', 404],
    ['an empty name is no path', '//api/v1/shifts', 404],
    ['an account alone is no path', '/acme', 404],
    ['more path is no path', '/acme/api/v1/shifts/1', 404],
  ];
  for (const [sentence, path, status] of paths) {
    test(sentence, async () => {
      const response = await service.fetch(path, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(response.status, status);
      if (status !== 200) assert.match(await response.text(), /^{"error":".+"}$/);
    });
  }

  test('shifts of an inactive group are never listed, those of a private group always', async () => {
    const groups = [
      { id: 1, name: 'Kitchen' },
      { id: 2, name: 'Gone', active: false },
      { id: 3, name: 'Secret', private: true },
    ];
    const shifts = [1, 2, 3].map((group_id) => shift('2026-11-20', { id: group_id, group_id }));
    await service.import({ account: { ...ACME, slug: 'groups' }, groups, shifts });
    const bearer = await service.token('groups');
    const names = async (query: string) =>
      (await service.list('groups', query, bearer)).shifts.map(({ group }) => group.name);
    assert.deepEqual(await names(''), ['Kitchen', 'Secret']);
    assert.deepEqual(await names('?group_ids=2'), []);
    assert.deepEqual(await names('?group_ids=2,3'), ['Secret']);
  });
});
