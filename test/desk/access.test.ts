import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { rawClient } from '../support/raw-client.ts';
import { type Desk, openDesk, type Visitor, visitorWith } from './desk.ts';

const other = { ...acme([shift('2026-11-18')]), account: { slug: 'other', name: 'Other', time_zone: 'UTC' } };

describe('Who may open the desk', () => {
  let desk: Desk;
  let planner: Visitor;
  let owner: Visitor;
  const ends: (() => unknown)[] = [];

  before(async () => {
    desk = await openDesk({ after: (end: () => unknown) => void ends.push(end) } as never);
    await desk.import(acme([shift('2026-11-18')]));
    await desk.import(other);
    planner = await desk.visitor(await desk.key('acme', 'Noor'));
    owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));
  });
  after(async () => {
    for (const end of ends) await end();
  });

  const post = (path: string, headers: Record<string, string>, body = '{}') =>
    fetch(`${desk.url}/api/${path}`, { method: 'POST', headers, body });

  test('without a key, every address of the desk says the same', async () => {
    const paths = [
      'session',
      'history',
      'shifts',
      'tokens',
      'settings',
      'keys',
      'imports/x',
      'acme',
      'nothing',
    ];
    for (const path of paths) {
      const response = await fetch(`${desk.url}/api/${path}`);
      assert.equal(response.status, 401, path);
      assert.deepEqual(await response.json(), { error: 'Sign in: open the link that you were given.' });
    }
    const page = await fetch(desk.url);
    const text = await page.text();
    assert.match(text, /Sign in/);
    assert.doesNotMatch(text, /acme|Import/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  });

  test('a key becomes a cookie that scripts cannot read and other sites cannot use', async () => {
    const key = await desk.key('acme', 'Cookie');
    const response = await post('session', { origin: desk.url }, JSON.stringify({ key }));
    assert.match(
      response.headers.get('set-cookie') ?? '',
      /^shiftfeed_desk=shiftfeed_desk_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/,
    );
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    assert.equal((await fetch(desk.url, { headers: { cookie } })).status, 200);
    assert.equal((await visitorWith(desk.url, cookie).get('session')).name, 'Cookie');
    const out = await visitorWith(desk.url, cookie).send('DELETE', 'session');
    assert.match(out.headers.get('set-cookie') ?? '', /^shiftfeed_desk=; .*Max-Age=0$/);
  });

  test('a cookie lives as long as its key, whatever the key is called', async () => {
    const DAY_MS = 86_400_000;
    for (const [name, days, seconds] of [
      ['desk', 90, 7_776_000],
      ['For ever', undefined, 34_560_000],
      ['Longer than browsers keep it', 1_000, 34_560_000],
    ] as const) {
      const expiresAtMs = days === undefined ? null : desk.nowMs + days * DAY_MS;
      const key = await desk.key('acme', name, 'planner', expiresAtMs);
      const response = await post('session', { origin: desk.url }, JSON.stringify({ key }));
      assert.match(response.headers.get('set-cookie') ?? '', new RegExp(`; Max-Age=${seconds}$`), name);
    }
  });

  test('a link takes nobody away from where they are signed in without their word', async () => {
    await desk.import({ ...other, account: { ...other.account, slug: 'third', name: 'Third' } });
    const [mine, own, theirs] = [
      await desk.key('acme', 'Cleo'),
      await desk.key('acme', 'Cleo at home', 'owner'),
      await desk.key('third', 'Cleo'),
    ];
    const { cookie } = await desk.visitor(mine);
    const open = (body: object, from = cookie) =>
      post('session', { origin: desk.url, cookie: from }, JSON.stringify(body));
    for (const [key, sentence] of [
      [theirs, 'You are signed in to Acme (acme) as Cleo. This link opens Third (third) as Cleo.'],
      [own, 'You are signed in to Acme (acme) as Cleo. This link opens Acme (acme) as Cleo at home.'],
    ] as const) {
      for (const instead of [undefined, false, 'true']) {
        const asked = await open({ key, instead });
        assert.equal(asked.status, 409);
        assert.deepEqual(await asked.json(), { error: sentence });
        assert.equal(asked.headers.get('set-cookie'), null);
      }
      assert.equal((await open({ key, instead: true })).status, 204);
    }
    assert.equal((await open({ key: mine })).status, 204);
    assert.equal((await open({ key: theirs }, 'shiftfeed_desk=shiftfeed_desk_yesterday')).status, 204);
  });

  test('browsers with the cookie of yesterday see how to sign in, however often, and a fresh link works', async (context) => {
    const own = await openDesk(context, { account: 'acme' });
    const cookie = 'shiftfeed_desk=shiftfeed_desk_yesterday';
    for (let i = 0; i < 12; i++) {
      const page = await fetch(own.url, { headers: { cookie } });
      assert.equal(page.status, 200);
      assert.match(await page.text(), /Sign in/);
      assert.equal((await visitorWith(own.url, cookie).send('GET', 'session')).status, 401);
    }
    const fresh = await own.visitor(own.link?.split('#key=')[1] ?? '');
    assert.equal((await fresh.get('session')).role, 'owner');
  });

  test('files and pages can only be read, and no answer can be taken for another kind', async () => {
    for (const path of ['/', '/desk/main.js', '/desk/page.css', '/desk/shift-calendar.js', '/healthz']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await fetch(desk.url + path, { method, headers: { origin: desk.url } });
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.equal(response.headers.get('allow'), 'GET, HEAD');
        await response.arrayBuffer();
      }
      const read = await fetch(desk.url + path, { method: 'HEAD' });
      assert.equal(read.status, 200, path);
    }
    for (const path of ['/', '/desk/main.js', '/healthz', '/nothing', '/api/session', '/api/nothing']) {
      for (const { cookie } of [{ cookie: '' }, owner]) {
        const response = await fetch(desk.url + path, { headers: { cookie } });
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path);
      }
    }
  });

  test('a request for two hosts is refused', async () => {
    for (const path of ['/', '/api/session', '/desk/main.js', '/healthz']) {
      const { answer } = await rawClient(
        desk.url,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
      );
      assert.match(await answer, /^HTTP\/1\.1 400 .*"The request has more than one Host header\."/s, path);
    }
  });

  test('behind https, the cookie is bound to the host and never sent in the clear', async (context) => {
    const secure = await openDesk(context, { baseUrl: 'https://desk.example.org', account: 'acme' });
    assert.match(secure.link ?? '', /^https:\/\/desk\.example\.org\/#key=shiftfeed_desk_/);
    const key = secure.link?.split('#key=')[1];
    const send = (origin: string) => {
      const body = JSON.stringify({ key });
      return fetch(`${secure.url}/api/session`, { method: 'POST', headers: { origin }, body });
    };
    assert.equal((await send(secure.url)).status, 403);
    const response = await send('https://desk.example.org');
    assert.equal(
      response.headers.get('set-cookie'),
      `__Host-shiftfeed_desk=${key}; HttpOnly; SameSite=Strict; Path=/; Secure`,
    );
  });

  test('whoever started it with an account is its owner, even of one that does not exist yet', async (context) => {
    const own = await openDesk(context, { account: 'fresh' });
    const key = own.link?.split('#key=')[1] ?? '';
    const session = await (await own.visitor(key)).get('session');
    assert.deepEqual(session, {
      name: 'desk',
      role: 'owner',
      account: { slug: 'fresh', name: 'fresh', time_zone: 'UTC', exists: false, today: '2026-11-18' },
    });
    assert.deepEqual(await own.store.accounts(), []);
  });

  test('what writes has to come from the pages of the desk', async () => {
    const { cookie } = owner;
    for (const origin of ['http://evil.example', 'null', `${desk.url}.evil.example`, 'https://127.0.0.1']) {
      assert.equal((await post('undo', { cookie, origin })).status, 403, origin);
      assert.equal((await post('session', { origin })).status, 403, origin);
    }
    assert.equal((await post('undo', { cookie })).status, 403);
    for (const [method, path] of [
      ['PATCH', 'settings'],
      ['PATCH', 'people/1'],
      ['DELETE', 'people/1'],
      ['DELETE', 'keys/1'],
      ['DELETE', 'session'],
      ['PUT', 'settings'],
    ] as const) {
      for (const origin of [undefined, 'http://evil.example']) {
        const headers = { cookie, ...(origin && { origin }) };
        const body = method === 'PATCH' ? '{"name":"Evil"}' : undefined;
        const response = await fetch(`${desk.url}/api/${path}`, { method, headers, body: body ?? null });
        assert.equal(response.status, 403, `${method} ${path} from ${origin}`);
      }
    }
    assert.equal((await owner.get('settings')).account.name, 'Acme');
    const byName = desk.url.replace('127.0.0.1', 'localhost');
    assert.equal((await post('undo', { cookie, origin: byName }, '{"entry":99}')).status, 409);
  });

  test('a planner cannot do what only an owner may', async () => {
    for (const [method, path] of [
      ['GET', 'tokens'],
      ['POST', 'tokens'],
      ['DELETE', 'tokens/1'],
      ['GET', 'settings'],
      ['PATCH', 'settings'],
      ['GET', 'people'],
      ['PATCH', 'groups/1'],
      ['DELETE', 'people/1'],
      ['GET', 'keys'],
      ['POST', 'keys'],
      ['DELETE', 'keys/1'],
    ] as const) {
      const response = await planner.send(method, path, method === 'GET' ? undefined : {});
      assert.equal(response.status, 403, `${method} ${path}`);
    }
    assert.equal((await desk.store.deskKeys(1)).filter(({ revokedAtMs }) => revokedAtMs !== null).length, 0);
  });

  test('a key that is revoked or has expired ends with the next request', async () => {
    const revoked = await desk.visitor(await desk.key('acme', 'Gone'));
    const expiring = await desk.visitor(await desk.key('acme', 'Soon', 'planner', desk.nowMs + 1_000));
    assert.equal((await revoked.send('GET', 'history')).status, 200);
    const account = await desk.store.findAccount('acme');
    await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Gone' }, desk.nowMs);
    assert.equal((await revoked.send('GET', 'history')).status, 401);
    assert.equal((await expiring.send('GET', 'history')).status, 200);
    desk.nowMs += 1_000;
    assert.equal((await expiring.send('GET', 'history')).status, 401);
  });

  test('an account sees itself only', async () => {
    const stranger = await desk.visitor(await desk.key('other', 'Stranger', 'owner'));
    const [account, theirs] = [await desk.store.findAccount('acme'), await desk.store.findAccount('other')];
    assert.ok(account && theirs);
    const token = await desk.store.addToken({
      accountId: account.id,
      hash: 'c'.repeat(64),
      label: '',
      createdAtMs: 1,
      expiresAtMs: null,
    });
    assert.equal((await stranger.send('DELETE', `tokens/${token.id}`)).status, 404);
    assert.equal((await stranger.send('DELETE', 'keys/1')).status, 404);
    assert.equal((await stranger.get('session')).account.slug, 'other');
    const { keys } = await stranger.get('keys');
    assert.deepEqual(
      keys.map(({ name }: { name: string }) => name),
      ['Stranger'],
    );
  });

  test('accounts that swap their names keep their files', async (context) => {
    const own = await openDesk(context);
    await own.import(acme([shift('2026-11-18')]));
    await own.import(other);
    const [mine, theirs] = [await own.store.findAccount('acme'), await own.store.findAccount('other')];
    const visitors = [
      await own.visitor(await own.key('acme', 'Noor')),
      await own.visitor(await own.key('other', 'Bo')),
    ];
    const id = await visitors[0]?.upload('plan.csv', 'date\n');
    await visitors[0]?.resultOf(id ?? '');
    await own.store.renameAccount(mine?.id ?? 0, 'acme-north');
    await own.store.renameAccount(theirs?.id ?? 0, 'acme');
    for (const visitor of visitors) assert.equal((await visitor.send('GET', `imports/${id}`)).status, 404);
  });

  test('wrong keys are slowed down by address, and a right one is not', async (context) => {
    const own = await openDesk(context, { account: 'acme' });
    const send = (key: string) =>
      fetch(`${own.url}/api/session`, {
        method: 'POST',
        headers: { origin: own.url },
        body: JSON.stringify({ key }),
      });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await send(`shiftfeed_desk_${i}`)).status);
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    assert.equal((await send(own.link?.split('#key=')[1] ?? '')).status, 204);
    assert.doesNotMatch(own.log.join('\n'), /shiftfeed_desk_/);
  });

  test('bodies that are too large, no JSON, or never end are refused, and others notice nothing', async () => {
    const large = await planner.send('POST', 'undo', 'x'.repeat(300_000));
    assert.equal(large.status, 413);
    assert.equal((await planner.send('POST', 'undo', '[1')).status, 400);
    const { port } = new URL(desk.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/undo HTTP/1.1\r\nHost: x\r\nOrigin: ${desk.url}\r\nCookie: ${planner.cookie}\r\nContent-Length: 100\r\n\r\n{`,
    );
    assert.equal((await planner.send('GET', 'history')).status, 200);
    socket.destroy();
    assert.equal((await planner.send('GET', 'history')).status, 200);
  });
});
