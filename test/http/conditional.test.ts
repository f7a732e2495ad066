import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Cleanup, type DatabaseKind, postgresProgram, runSql } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { putClockBack, startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

const PLAIN = { 'accept-encoding': 'identity' };

/** What is here is decided by code that both share. */
const database = often<DatabaseKind>('sqlite', 'postgres');
describe(`Conditional requests, on ${database}`, async () => {
  const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });
  await service.import(
    acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2, publish_date: '2026-11-16' })]),
  );
  const token = await service.token('acme');

  const get = (query: string, headers: Record<string, string> = {}, bearer = token) =>
    service.get('acme', query, bearer, { headers: { ...PLAIN, ...headers } });
  const tagOf = async (query: string, headers: Record<string, string> = {}) => {
    const response = await get(query, headers);
    await response.text();
    const tag = response.headers.get('etag');
    assert.ok(tag);
    return tag;
  };

  test('a response has a strong tag and says how it may be kept', async () => {
    const response = await get('');
    assert.match(response.headers.get('etag') ?? '', /^"[\w-]+"$/);
    assert.equal(response.headers.get('cache-control'), 'private, no-cache');
    assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding, Authorization, Origin');
  });

  test('who has the page already gets 304 without a body, and without a length that would not be that of the page', async () => {
    const tag = await tagOf('');
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, `"a",W/"b",${tag} ,"c"`, '*', ' * ']) {
      const response = await get('', { 'if-none-match': header });
      assert.equal(response.status, 304, header);
      assert.equal(response.headers.get('content-length'), null);
      assert.equal(await response.text(), '');
      assert.equal(response.headers.get('etag'), tag);
      assert.equal(response.headers.get('cache-control'), 'private, no-cache');
      assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding, Authorization, Origin');
    }
    for (const header of ['"other"', tag.slice(1, -1), '""', `"${tag}"x`.replaceAll('"', "'")]) {
      assert.equal((await get('', { 'if-none-match': header })).status, 200, header);
    }
  });

  test('304 comes after the token, the account and the parameters', async () => {
    const headers = { 'if-none-match': '*' };
    assert.equal((await get('', headers, 'dead')).status, 401);
    assert.equal((await service.get('nowhere', '', token, { headers })).status, 404);
    assert.equal((await get('?months=13', headers)).status, 400);
  });

  test('the tag follows from what is asked, however it is written, and not from the token', async () => {
    const same = [await tagOf('?months=1,12'), await tagOf('?months[]=12&months=01&months=1&page=1')];
    assert.equal(new Set(same).size, 1);
    const other = await get('?months=1,12', {}, await service.token('acme'));
    assert.equal(other.headers.get('etag'), same[0]);
    const different = [
      '?months=12',
      '?months=1',
      '?months=1,12&per_page=1',
      '?months=1,12&page=2',
      '?months=1,12&published=false',
    ];
    const tags = await Promise.all(different.map((query) => tagOf(query)));
    assert.equal(new Set([...tags, ...same]).size, different.length + 1);
  });

  test('a change in a month that is shown changes the tag, one elsewhere keeps it', async () => {
    const december = await tagOf('?months=12');
    const january = await tagOf('?months=1');
    await service.import({ account: { slug: 'acme' }, shifts: [{ id: 2, remarks: 'changed' }] });
    assert.equal(await tagOf('?months=12'), december);
    assert.notEqual(await tagOf('?months=1'), january);
    assert.equal((await get('?months=12', { 'if-none-match': december })).status, 304);
    assert.equal((await get('?months=1', { 'if-none-match': january })).status, 200);
  });

  test('a 304 reads no shifts', async (context) => {
    const now = '2026-11-15T12:00:00Z';
    // With no memory at all, whoever reads has to load.
    const forgetful = await startService(context, { database, now, cacheBudgetBytes: 3 });
    await forgetful.import(acme([shift('2026-12-01', { id: 1 })]));
    const bearer = await forgetful.token('acme');
    const tag = (await forgetful.get('acme', '', bearer)).headers.get('etag') ?? '';
    assert.equal(forgetful.counts().monthsLoaded, 1);
    const headers = { 'if-none-match': tag };
    assert.equal((await forgetful.get('acme', '', bearer, { headers })).status, 304);
    assert.equal(forgetful.counts().monthsLoaded, 1);
  });

  test('Shiftfeed-Revision tells a reader of many pages that the data moved in between', async () => {
    const revision = async () => (await get('')).headers.get('shiftfeed-revision');
    const before = await revision();
    assert.match(before ?? '', /^\d+$/);
    assert.equal(await revision(), before);
    await service.import({ account: { slug: 'acme' }, shifts: [{ id: 1, starred: true }] });
    assert.notEqual(await revision(), before);
  });
});

test('two accounts never share an entity tag, even with the same months at the same revisions', async (context) => {
  const twins = await startService(context, { now: '2026-11-15T12:00:00Z' });
  for (const slug of ['one', 'two'])
    await twins.import({
      ...acme([shift('2026-12-01', { id: 1, remarks: slug })]),
      account: { ...ACME, slug },
    });
  runSql(twins.databaseUrl, 'UPDATE accounts SET revision = 1000; UPDATE months SET revision = 1000');
  const tags = await Promise.all(
    ['one', 'two'].map(async (slug) => {
      const response = await twins.get(slug, '', await twins.token(slug));
      return response.headers.get('etag');
    }),
  );
  assert.notEqual(tags[0], tags[1]);
});

const DECEMBER = '?years=2026&months=12';
const JANUARY = '?years=2027&months=1';

describe(`The state of a listing, on ${database}`, async () => {
  const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });
  await service.import(
    acme([
      shift('2026-12-01', { id: 1 }),
      shift('2026-12-02', { id: 2 }),
      shift('2026-12-31', { id: 3 }),
      shift('2027-01-01', { id: 4, publish_date: '2026-11-16' }),
    ]),
  );
  const token = await service.token('acme');

  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const response = await service.get('acme', query, token, { headers });
    await response.text();
    return response;
  };
  const tagOf = async (query: string) => (await ask(query)).headers.get('shiftfeed-listing') ?? '';

  test('all pages, sizes, encodings and ways to ask for one listing have one tag, and so have their 304s', async () => {
    const tag = await tagOf(DECEMBER);
    assert.match(tag, /^[\w-]{20,}$/);
    for (const query of ['&page=2', '&per_page=1&page=3', '&per_page=2', '&page=99', '&published=true']) {
      assert.equal(await tagOf(DECEMBER + query), tag, query);
    }
    for (const encoding of ['gzip', 'br', 'zstd']) {
      const headers = { 'accept-encoding': `${encoding}, identity;q=0` };
      assert.equal((await ask(DECEMBER, headers)).headers.get('shiftfeed-listing'), tag, encoding);
    }
    const { headers } = await ask(`${DECEMBER}&per_page=1`);
    for (const known of [headers.get('etag') ?? '', '*']) {
      const unchanged = await ask(`${DECEMBER}&per_page=1`, { 'if-none-match': known });
      assert.equal(unchanged.status, 304);
      for (const name of ['shiftfeed-listing', 'last-modified', 'shiftfeed-revision']) {
        assert.equal(unchanged.headers.get(name), headers.get(name), name);
      }
    }
    const others = [JANUARY, '', `${DECEMBER}&group_ids=1`, `${DECEMBER}&days=2`];
    const tags = await Promise.all(others.map(tagOf));
    assert.equal(new Set([...tags, tag]).size, others.length + 1);
  });

  test('a write to months that a query does not touch keeps its tag, and one to those that it touches changes it', async () => {
    const before = { december: await tagOf(DECEMBER), january: await tagOf(JANUARY) };
    await service.import({ account: { slug: 'acme' }, shifts: [{ id: 4, remarks: 'changed' }] });
    assert.equal(await tagOf(DECEMBER), before.december);
    assert.notEqual(await tagOf(JANUARY), before.january);

    const march = await tagOf('?years=2027&months=3');
    await service.import(acme([shift('2027-03-01', { id: 5 })]));
    assert.equal(await tagOf(DECEMBER), before.december);
    assert.notEqual(await tagOf('?years=2027&months=3'), march);
  });

  test('an import that changes nothing keeps the tag, one that only reorders or renames what is shown changes it', async () => {
    const before = await tagOf(DECEMBER);
    await service.import({ account: { slug: 'acme' }, shifts: [{ id: 1, starred: false }] });
    assert.equal(await tagOf(DECEMBER), before);
    await service.import({ account: { slug: 'acme', sort: 'group' } });
    const reordered = await tagOf(DECEMBER);
    assert.notEqual(reordered, before);
    await service.import({ account: { slug: 'acme' }, groups: [{ id: 1, name: 'Pantry' }] });
    assert.notEqual(await tagOf(DECEMBER), reordered);
  });

  test('midnight changes the tag, because it may publish shifts', async (context) => {
    putClockBack(context, service);
    const before = await tagOf(JANUARY);
    const countOf = async () => (await service.list('acme', JANUARY, token)).meta.total;
    assert.equal(await countOf(), 0);
    service.nowMs += 12 * 3_600_000;
    assert.equal(await countOf(), 1);
    assert.notEqual(await tagOf(JANUARY), before);
  });

  test('Last-Modified is the last write to the months that are touched, and never a time to come', async (context) => {
    const now = '2026-11-15T12:00:00Z';
    const written = await startService(context, { database, now });
    await written.import(
      acme(['2026-12-01', '2027-01-01', '2027-03-01', '2027-04-01'].map((date) => shift(date))),
    );
    await stampMonths(context, written.databaseUrl, {
      '2026-12': '2026-10-01T08:30:59.999Z',
      '2027-01': '2026-10-02T00:00:00Z',
      '2027-03': '2026-12-24T00:00:00Z',
      '2027-04': '2026-11-15T12:00:02Z',
    });
    const bearer = await written.token('acme');
    const lastModified = async (query: string) =>
      (await written.get('acme', query, bearer)).headers.get('last-modified');
    assert.equal(await lastModified(DECEMBER), 'Thu, 01 Oct 2026 08:30:59 GMT');
    assert.equal(await lastModified(JANUARY), 'Fri, 02 Oct 2026 00:00:00 GMT');
    assert.equal(await lastModified('?date_from=2026-12-01&date_to=2027-01-31'), await lastModified(JANUARY));
    assert.equal(await lastModified('?years=2027&months=3'), 'Sun, 15 Nov 2026 12:00:00 GMT');
    assert.equal(await lastModified('?years=1999'), null);

    // A database whose clock is ahead: two processes agree as soon as that time has come.
    assert.equal(await lastModified('?years=2027&months=4'), 'Sun, 15 Nov 2026 12:00:00 GMT');
    written.nowMs += 5_000;
    assert.equal(await lastModified('?years=2027&months=4'), 'Sun, 15 Nov 2026 12:00:02 GMT');
  });

  test('If-Modified-Since is ignored, because what midnight publishes does not move Last-Modified', async () => {
    const lastModified = (await ask(DECEMBER)).headers.get('last-modified') ?? '';
    assert.equal((await ask(DECEMBER, { 'if-modified-since': lastModified })).status, 200);
  });
});

/** Says when months were last written to. */
async function stampMonths(
  context: Cleanup,
  url: string,
  times: Readonly<Record<string, string>>,
): Promise<void> {
  const statements = Object.entries(times)
    .map(([month, at]) => `UPDATE months SET revision = ${Date.parse(at) * 1000} WHERE month = '${month}'`)
    .join(';');
  if (url.startsWith('sqlite:')) {
    runSql(url, statements);
  } else {
    await (await postgresProgram(context, url)).query(statements);
  }
}
