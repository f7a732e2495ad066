import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { daysOfWeek, readWeek } from '@shiftfeed/common/picked-week';
import { problemsByControl } from '../../src/http/explorer/listing.ts';
import { PARAMETER_NAMES, parseQuery } from '../../src/http/listing/query.ts';
import { ACME, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const NOW = '2026-11-15T12:00:00Z';
const PAGE = join(import.meta.dirname, '../../src/http/explorer');
const LOOK = join(PAGE, '../look');
const service = await startService({ after }, { now: NOW });

/** The page is for people: the description of the API, to which other responses are held, does not speak of it. */
function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, { redirect: 'manual', ...init });
}

describe('the explorer', () => {
  test('is the page at /, and leads to the reference and back', async () => {
    const page = await get('/');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await page.text();
    assert.match(html, /<title>Shiftfeed explorer<\/title>/);
    assert.match(html, /href="docs"/);
    assert.match(await (await get('/docs')).text(), /href="\.\/"/);
  });

  test('has nothing inline, and no names by which a form would put its fields into an address', async () => {
    const html = await (await get('/')).text();
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    assert.doesNotMatch(html, /\sname="(?!viewport|color-scheme)/);
  });

  test('serves each of its scripts, the two of the calendar, how that counts weeks and how the client listens', async () => {
    const scripts = [PAGE, LOOK]
      .flatMap((folder) => readdirSync(folder))
      .filter((name) => name.endsWith('.ts'));
    const own = scripts.map((name) => name.replace(/ts$/, 'js'));
    for (const name of [
      ...own,
      'shift-calendar.js',
      'shift-calendar-grids.js',
      'picked-week.js',
      'listen.js',
    ]) {
      const response = await get(`/explorer/${name}`);
      assert.equal(response.status, 200, name);
      assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.doesNotMatch(await response.text(), /\bimport type|\.ts'/, name);
    }
  });

  test('has a strict policy, tags and HEAD on every file', async () => {
    for (const path of ['/', '/explorer/page.css', '/explorer/main.js', '/explorer/shift-calendar.js']) {
      const headers = { 'accept-encoding': 'identity' };
      const response = await get(path, { headers });
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
      assert.match(policy, /connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      const etag = response.headers.get('etag') ?? '';
      assert.equal((await get(path, { headers: { ...headers, 'if-none-match': etag } })).status, 304);
      const head = await get(path, { method: 'HEAD', headers });
      assert.equal(head.headers.get('content-length'), String((await response.bytes()).length));
    }
  });

  test('can only be read', async () => {
    for (const path of ['/', '/explorer/main.js']) {
      const response = await get(path, { method: 'POST' });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
  });

  test('lies under the path prefix, with a slash at the end, where its relative links are right', async (context) => {
    const prefixed = await startService(context, { now: NOW, app: { pathPrefix: '/plan/v' } });
    const at = (path: string) => fetch(prefixed.url + path, { redirect: 'manual' });
    assert.equal((await at('/plan/v/')).status, 200);
    assert.equal((await at('/plan/v/explorer/main.js')).status, 200);
    const redirect = await at('/plan/v?a=b');
    assert.equal(redirect.status, 308);
    const target = new URL(redirect.headers.get('location') ?? '', 'https://example.org/outer/plan/v');
    assert.equal(target.href, 'https://example.org/outer/plan/v/');
    assert.equal((await at('/')).status, 404);
  });

  test('is not there without pages, nor is the reference, and the sentence does not lead there', async (context) => {
    const bare = await startService(context, { now: NOW, app: { hasPages: false } });
    for (const path of ['/', '/docs', '/explorer/main.js', '/docs/page.css']) {
      const response = await bare.fetch(path);
      assert.equal(response.status, 404, path);
      const { error } = (await response.json()) as { error: string };
      assert.match(error, /^There is nothing at this address: .* \/openapi\.json describes the API\.$/);
    }
    assert.equal((await bare.fetch('/openapi.json')).status, 200);
  });
});

describe('a sentence of the API', () => {
  const sentenceOf = (query: string): string => {
    try {
      parseQuery(query);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error(`${query} is right`);
  };

  for (const name of PARAMETER_NAMES) {
    test(`about ${name} stands beside its control`, () => {
      for (const query of [`${name}=x`, `${name}=`, `weird=1&${name}=x`, `group_id=1&${name}=x`]) {
        const problems = problemsByControl(400, sentenceOf(query));
        assert.deepEqual([...problems.keys()], [name], query);
        assert.match(problems.get(name) ?? '', new RegExp(`^${name} has .*\\.$`));
      }
    });
  }

  test('about several stands beside each, and several about one stand together', () => {
    const problems = problemsByControl(400, sentenceOf('day=2026-02-30&weeks=54,99&days=1. day has 2'));
    assert.deepEqual([...problems.keys()], ['day', 'weeks', 'days']);
    assert.match(
      problems.get('day') ?? '',
      /^day has the value "2026-02-30", a day that does not exist; .*31\.$/,
    );
    assert.match(problems.get('weeks') ?? '', /"54".*\. weeks has the value "99"/);
    assert.deepEqual([...problemsByControl(400, sentenceOf('page=1&page=2')).keys()], ['page']);
  });

  test('about who asks stands beside the token or the account, and others beside none', () => {
    assert.deepEqual([...problemsByControl(401, 'Invalid or expired API token').keys()], ['token']);
    assert.deepEqual([...problemsByControl(404, 'There is no account "x".').keys()], ['account']);
    assert.equal(problemsByControl(503, 'day has a rest.').size, 0);
  });
});

test('weeks are those of ISO 8601, over centuries', () => {
  let day = Temporal.PlainDate.from('1999-12-20');
  for (let i = 0; i < 20_000; i += 3) {
    const read = readWeek(day.toString());
    assert.deepEqual(read, { year: day.yearOfWeek, week: day.weekOfYear });
    const monday = day.subtract({ days: day.dayOfWeek - 1 });
    assert.deepEqual(read && daysOfWeek(read), [monday.toString(), monday.add({ days: 6 }).toString()]);
    day = day.add({ days: 3 });
  }
  assert.deepEqual(readWeek('2026-W53'), { year: 2026, week: 53 });
  assert.equal(readWeek(''), undefined);
});

/** What the page refers to beside its own headings, as a browser would resolve it. */
async function addressesIn(pageUrl: string): Promise<string[]> {
  const html = await (await get('/docs')).text();
  const found = [...html.matchAll(/(?:href|src)="(?!data:|#)([^"]+)"/g)].map(([, address = '']) => address);
  return [...new Set(found.map((address) => new URL(address, pageUrl).href))];
}

describe('/docs', () => {
  test('loads nothing and leads nowhere but to what the service itself has', async () => {
    const addresses = await addressesIn(`${service.url}/docs`);
    assert.ok(addresses.length > 20);
    for (const address of addresses) {
      assert.ok(address.startsWith(`${service.url}/`), address);
      assert.equal((await fetch(address)).status, 200, address);
    }
  });

  test('has no script and nothing inline, and every link within it leads to a heading', async () => {
    const html = await (await get('/docs')).text();
    assert.doesNotMatch(html, /<script|<style|\sstyle=|\son\w+=/);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    assert.equal(new Set(ids).size, ids.length);
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    for (const id of links) assert.ok(ids.includes(id), id);
  });

  test('has the manual, with every heading among its contents, once', async () => {
    const html = await (await get('/docs')).text();
    const manual = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const [contents = ''] = /<nav class="contents"[\s\S]+?<\/nav>/.exec(html) ?? [];
    for (const [, heading = ''] of manual.matchAll(/^##+ (.+)$/gm))
      assert.equal(contents.split(`>${heading}</a>`).length, 2, heading);
    assert.equal(html.split('>Rate limits</a>').length, 2);
    assert.match(html, /<td><code>location_ids<\/code><\/td>/);
  });

  test('leads from each request of an example to the explorer, but for those that only a shell can ask', async () => {
    const html = await (await get('/docs')).text();
    const manual = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const requests = [...manual.matchAll(/^\$ curl .*?"\$SHIFTS\??(.*?)"/gm)].map(([, query = '']) => query);
    const fixed = requests.filter((query) => !query.includes('$') && !query.endsWith('='));
    assert.ok(fixed.length > requests.length - 4);
    const links = [...html.matchAll(/<a href="\.\/#([^"]+)" target="explorer">/g)].map(
      ([, query = '']) => query,
    );
    assert.deepEqual(
      links.map((query) => query.replaceAll('&amp;', '&')),
      fixed.map((query) => query || 'page=1'),
    );
  });
});

test('what is installed runs no scripts of its own', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  const withScript = Object.entries<LockedPackage>(packages).filter(
    ([, { hasInstallScript, dev }]) => hasInstallScript && !dev,
  );
  assert.deepEqual(withScript, []);
});

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
}

test('the page also works under a path of a larger site', async () => {
  for (const address of await addressesIn('https://www.example.org/shifts/docs')) {
    assert.ok(address.startsWith('https://www.example.org/shifts/'), address);
  }
});

test('/docs/ leads to /docs, where the addresses in the page are right', async () => {
  const response = await get('/docs/');
  assert.equal(response.status, 308);
  const target = new URL(response.headers.get('location') ?? '', `${service.url}/shifts/docs/`);
  assert.equal(target.href, `${service.url}/shifts/docs`);
});

const TYPES: [string, string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
];
for (const [path, type] of TYPES) {
  test(`${path} has its type, its tag, its HEAD, and lets nobody else in`, async () => {
    const headers = { 'accept-encoding': 'identity' };
    const response = await get(path, { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);

    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    assert.equal((await get(path, { headers: { ...headers, 'if-none-match': etag } })).status, 304);

    const head = await get(path, { method: 'HEAD', headers });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String((await response.bytes()).length));
  });
}

test('the page is sent compressed to whoever accepts that, and is the same when it is unpacked', async () => {
  const plain = await get('/docs', { headers: { 'accept-encoding': 'identity' } });
  const text = await plain.text();
  for (const encoding of ['gzip', 'br', 'zstd']) {
    const packed = await get('/docs', { headers: { 'accept-encoding': encoding } });
    assert.equal(packed.headers.get('content-encoding'), encoding);
    assert.ok(Number(packed.headers.get('content-length')) < text.length / 2);
    assert.equal(await packed.text(), text);
  }
});

test('an account may have the name of a path that the service has for itself', async () => {
  for (const slug of ['docs', 'explorer', 'healthz', 'readyz', 'openapi']) {
    await service.import({
      account: { ...ACME, slug },
      groups: [KITCHEN],
      shifts: [shift('2026-12-01', { id: 1, remarks: slug })],
    });
    const { shifts } = await service.list(slug, '', await service.token(slug));
    assert.deepEqual(
      shifts.map(({ remarks }) => remarks),
      [slug],
    );
    assert.equal((await service.fetch(`/${slug}/api/v1/shifts`, { method: 'POST' })).status, 405);
  }
});

test('whoever asks for what is not there is told of the page', async () => {
  for (const path of ['/docs/nothing', '/explorer', '/nothing']) {
    const response = await service.fetch(path);
    assert.equal(response.status, 404);
    assert.match(await response.text(), / \/docs /);
  }
});
