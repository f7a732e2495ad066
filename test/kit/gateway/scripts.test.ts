import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import { STYLES_HASH } from '@shiftfeed/common/calendar/styles';
import { LANGUAGES } from '@shiftfeed/common/languages/languages';
import { createGateway, type GatewayOptions } from '@shiftfeed/gateway';
import { WORDS } from '../../../kit/gateway/src/page/language.ts';
import { fakeUpstream, makeShift, optionsFor } from './upstream.ts';

const SCRIPTS = browserFiles();
const PATHS = ['/shift-calendar.js', '/shift-calendar-grids.js', '/shift-calendar-board.js'];

test('the scripts of the calendar are served, for pages of every origin', async () => {
  const get = start();
  assert.deepEqual(
    SCRIPTS.map(({ name }) => `/${name}`),
    PATHS,
  );
  for (const [i, path] of PATHS.entries()) {
    const response = await get(path);
    assert.equal(response.status, 200);
    const { 'content-length': length, etag, ...headers } = Object.fromEntries(response.headers);
    assert.deepEqual(headers, {
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    assert.deepEqual(await response.bytes(), SCRIPTS[i]?.bytes);
    assert.equal(length, String(SCRIPTS[i]?.bytes.length));

    const again = await get(path, { 'if-none-match': etag ?? '' });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('access-control-allow-origin'), '*');
    const head = await get(path, {}, 'HEAD');
    assert.deepEqual([...head.headers], [...response.headers]);
    assert.equal(await head.text(), '');
    assert.equal((await get(path, {}, 'OPTIONS')).status, 204);
    assert.equal((await get(path, {}, 'POST')).status, 405);
  }
});

test('a script is compressed once, however many visitors come', async () => {
  let compressions = 0;
  const get = start({
    compressors: {
      async gzip(body) {
        compressions++;
        return gzipSync(body);
      },
    },
  });
  for (let i = 0; i < 3; i++) {
    const response = await get('/shift-calendar.js', { 'accept-encoding': 'gzip' });
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    assert.deepEqual(new Uint8Array(gunzipSync(await response.bytes())), SCRIPTS[0]?.bytes);
  }
  assert.equal(compressions, 1);
});

test('the page has the calendar with the list in it, and a policy that lets it work and nothing else', async () => {
  const get = start({ pathPrefix: '/rota', baseUrl: 'https://www.example.org/rota' });
  const response = await get('/rota/kitchen?group_ids=1', { 'accept-language': 'nl' });
  const page = await response.text();
  assert.match(page, /<script type="module" src="\/rota\/shift-calendar\.js"><\/script>/);
  assert.match(
    page,
    /<shift-calendar src="\/rota\/kitchen\/shifts\?group_ids=1" locale="nl" legend search subscribe="https:\/\/www\.example\.org\/rota\/kitchen\/shifts\.ics\?group_ids=1" maps><template shadowrootmode="open">.*Kitchen.*<\/template><\/shift-calendar>/s,
  );
  assert.equal(
    response.headers.get('content-security-policy'),
    "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; connect-src 'self'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'; " +
      `img-src data:; style-src 'self' '${STYLES_HASH}'; frame-ancestors 'none'`,
  );
  assert.equal((await get('/rota/shift-calendar.js')).status, 200);
  assert.equal((await get('/shift-calendar.js')).status, 404);
});

test('the calendar begins at the first day that a query asks for, as far as it is shown', async () => {
  const get = start();
  const page = await (await get('/kitchen?date_from=2026-11-01&date_to=2026-11-30')).text();
  assert.match(
    page,
    / src="\/kitchen\/shifts\?date_from=2026-11-01&amp;date_to=2026-11-30" .* date="2026-11-15"/,
  );
});

test('the page and the calendar speak the same languages, each in its own words', async () => {
  const page = await (await start()('/kitchen', { 'accept-language': 'es-MX' })).text();
  assert.match(page, /<shift-calendar src="\/kitchen\/shifts" locale="es-MX" /);
  assert.deepEqual(Object.keys(WORDS).sort(), Object.keys(LANGUAGES).sort());
  for (const language of ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'nl', 'pl', 'pt']) {
    assert.ok(language in LANGUAGES, language);
  }
  // What a visitor reads in the list must not change its name when the calendar takes its place.
  for (const [language, words] of Object.entries(WORDS)) {
    for (const mark of ['open', 'cancelled', 'noshow', 'starred'] as const) {
      assert.equal(words[mark], LANGUAGES[language]?.[mark], `${language}, ${mark}`);
    }
  }
  for (const words of [WORDS, LANGUAGES]) {
    const sentences = Object.values(words).map((one) => Object.values(one).join());
    assert.equal(new Set(sentences).size, sentences.length);
  }
});

test('without scripts, their addresses are empty and the page has none', async () => {
  const get = start({ scripts: [] });
  for (const path of PATHS) assert.equal((await get(path)).status, 404);
  const response = await get('/kitchen');
  assert.doesNotMatch(await response.text(), /<script| part="toolbar">/);
  assert.doesNotMatch(response.headers.get('content-security-policy') ?? '', /script-src|connect-src/);
});

test('a page that may be framed has a script that tells its height to these origins, also without the calendar', async () => {
  for (const origins of [['*'], ['https://a.example', 'https://b.example']]) {
    const feeds = { kitchen: { group_ids: 'all', origins } };
    const get = start({ scripts: [], config: { upstream: 'https://up.example/acme', feeds } });
    const response = await get('/kitchen');
    const tag = `<script defer src="/gateway-frame.js" data-origins="${origins.join(' ')}"></script>`;
    assert.deepEqual((await response.text()).match(/<script.*/g), [tag]);
    assert.equal(
      response.headers.get('content-security-policy'),
      "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; require-trusted-types-for 'script'; " +
        `trusted-types 'none'; img-src data:; style-src 'self' '${STYLES_HASH}'; frame-ancestors ${origins.join(' ')}`,
    );
    const script = await get('/gateway-frame.js');
    assert.equal(script.status, 200);
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  }
});

test('a feed cannot have the address of a file, nor a script that of a feed', () => {
  assert.throws(
    () =>
      createGateway({
        config: { upstream: 'https://up.example/acme', feeds: { 'shift-calendar.js': { group_ids: 'all' } } },
        token: 'shiftfeed_x',
      }),
    /feeds\."shift-calendar\.js": the name of a feed is a part of its address/,
  );
  for (const name of ['kitchen', 'kitchen/shifts.js', '', 'gateway.css', 'gateway-frame.js']) {
    const scripts = [{ name, contentType: 'text/javascript', bytes: new Uint8Array() }];
    assert.throws(() => start({ scripts }), /is not the name of a script: expected one such as "app\.js"/);
  }
});

function start(options: Partial<GatewayOptions> = {}) {
  const upstream = fakeUpstream({ shifts: [makeShift()] });
  const handler = createGateway(optionsFor(upstream, {}, { scripts: SCRIPTS, ...options }));
  return (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    handler(new Request(`https://gw.example.org${target}`, { method, headers }));
}
