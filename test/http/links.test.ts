import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ListedShift } from '../../src/listing/shift.ts';
import { runSql } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
const shifts = Array.from({ length: 150 }, (_, i) => shift(`2026-12-${10 + (i % 20)}`, { id: i + 1 }));
await service.import(acme(shifts));
const token = await service.token('acme');

async function linksOf(query: string): Promise<Record<string, string>> {
  const response = await service.get('acme', query, token);
  const links = (response.headers.get('link') ?? '')
    .split(', ')
    .map((link) => /^<([^>]+)>; rel="(\w+)"$/.exec(link));
  return Object.fromEntries(links.map((match) => [match?.[2], match?.[1]]));
}

const PATH = '/acme/api/v1/shifts';

test('the first page links to the first, next and last', async () => {
  assert.deepEqual(await linksOf('?per_page=40'), {
    first: `${PATH}?per_page=40&page=1`,
    next: `${PATH}?per_page=40&page=2`,
    last: `${PATH}?per_page=40&page=4`,
  });
});

test('a page in the middle keeps all filters, however the page itself is written', async () => {
  for (const page of ['page=2', 'p%61ge=02']) {
    const rest = (number: number) => `${PATH}?months%5B%5D=12&page=${number}&per_page=40&months=1%2C2`;
    assert.deepEqual(await linksOf(`?months[]=12&${page}&per_page=40&months=1%2C2`), {
      first: rest(1),
      prev: rest(1),
      next: rest(3),
      last: rest(4),
    });
  }
});

test('the last page has no next, a page past the end leads back, and nothing at all is one page', async () => {
  assert.deepEqual(Object.keys(await linksOf('?per_page=40&page=4')), ['first', 'prev', 'last']);
  assert.equal((await linksOf('?per_page=40&page=9')).prev, `${PATH}?per_page=40&page=4`);
  assert.deepEqual(await linksOf('?day=2030-01-01'), {
    first: `${PATH}?day=2030-01-01&page=1`,
    last: `${PATH}?day=2030-01-01&page=1`,
  });
});

test('who follows the links alone through 50 pages reads the whole list', async () => {
  const read: ListedShift[] = [];
  let pages = 0;
  for (let url: string | undefined = `${PATH}?per_page=3`; url !== undefined; pages++) {
    const query: string = url.slice(PATH.length);
    read.push(...(await service.list('acme', query, token)).shifts);
    url = (await linksOf(query)).next;
  }
  assert.equal(pages, 50);
  assert.deepEqual(read, (await service.list('acme', '', token)).shifts);
});

test('X-Request-Id is taken from the request if it is harmless, else made, on every answer', async () => {
  const idOf = async (path: string, id?: string) => {
    const headers = { ...(id === undefined ? {} : { 'x-request-id': id }), authorization: `Bearer ${token}` };
    return (await service.fetch(path, { headers })).headers.get('x-request-id');
  };
  for (const path of [PATH, `${PATH}?months=13`, '/nowhere', '/x/api/v1/shifts']) {
    assert.equal(await idOf(path, 'abc-123'), 'abc-123', path);
    assert.match((await idOf(path)) ?? '', /^[0-9a-f]{32}$/, path);
    assert.match((await idOf(path, '<script>')) ?? '', /^[0-9a-f]{32}$/, path);
    assert.match((await idOf(path, 'x'.repeat(129))) ?? '', /^[0-9a-f]{32}$/, path);
  }
});

test('a token that was sent as X-Request-Id is not repeated', async () => {
  for (const sent of [token, `id-${token}`, token.toUpperCase()]) {
    const response = await service.get('acme', '', token, { headers: { 'x-request-id': sent } });
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
  }
});

test('links of long queries are left out rather than making the headers too large, next at last', async () => {
  const idsOf = (count: number) => Array.from({ length: count }, (_, i) => 1_000_000 + i).join(',');
  const relsOf = async (count: number) =>
    Object.keys(await linksOf(`?group_ids=1,${idsOf(count)}&per_page=40&page=2`));
  assert.deepEqual(await relsOf(1), ['first', 'prev', 'next', 'last']);
  assert.deepEqual(await relsOf(300), ['prev', 'next']);
  assert.deepEqual(await relsOf(600), ['next']);
  const response = await service.get('acme', `?group_ids=1,${idsOf(1_500)}&per_page=40&page=2`, token);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('link'), null);
});

test('after an account was renamed, links lead to its new name', async (context) => {
  const renamed = await startService(context, { now: '2026-11-15T12:00:00Z' });
  await renamed.import(acme(shifts));
  const bearer = await renamed.token('acme');
  const linkOf = async (slug: string) =>
    (await renamed.get(slug, '?per_page=40', bearer)).headers.get('link') ?? '';
  assert.match(await linkOf('acme'), /^<\/acme\//);
  runSql(renamed.databaseUrl, "UPDATE accounts SET slug = 'apex'");
  assert.doesNotMatch(await linkOf('apex'), /acme/);
  assert.match(await linkOf('apex'), /^<\/apex\//);
});
