import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigProblems, gzip, LinksProblem, openGateway, openLinkList, readLinks } from '@shiftfeed/gateway';
import { often } from '../../support/strength.ts';
import { NOW, openPersonal, SECRET, SHIFTS } from './personal.ts';
import { fakeUpstream, makeShift, optionsFor, visitTo } from './upstream.ts';

const FORMS = ['', '/shifts', '/shifts.ics'] as const;
const PERSONAL = { group_ids: 'all', personal: true } as const;
const MINUTE_MS = 60_000;

test('a personal link shows the shifts of one person in every form, and nobody else', async () => {
  const { get, pathOf } = openPersonal();
  const path = await pathOf('Noor');
  assert.match(path, /^\/kitchen\/me\/[\w-]{22,}$/);
  for (const form of FORMS) {
    const response = await get(path + form);
    assert.equal(response.status, 200, form);
    const text = await response.text();
    assert.match(text, /PlaceOfNoor/);
    assert.match(text, /Cancelled|"cancelled":true/);
    assert.doesNotMatch(text, /PlaceOfSam|PlaceOfNobody|\bSam\b/);
  }
  assert.deepEqual(await idsAt(get, `${path}/shifts`), [7001, 7004, 7005]);
  assert.deepEqual(await idsAt(get, `${await pathOf('Sam')}/shifts`), [7002]);
});

test('names leave the gateway only where person is shown, and then only one', async () => {
  const hidden = openPersonal();
  const shown = openPersonal({}, { kitchen: { ...PERSONAL, show: ['person', 'open'] } });
  for (const form of FORMS) {
    const own = await (await hidden.get((await hidden.pathOf('Sam')) + form)).text();
    assert.doesNotMatch(own, /"person"|>Sam<|: Sam/);
    const everybody = await (await hidden.get(`/kitchen${form}`)).text();
    assert.doesNotMatch(everybody, /"person"|\b(?:Noor|NOOR|Sam)\b/);
    const named = await (await shown.get((await shown.pathOf('Sam')) + form)).text();
    assert.match(named, /\bSam\b/);
    assert.doesNotMatch(named, /noor/i);
  }
});

test('the same name in another case, spacing or Unicode form has the same link', async () => {
  const { pathOf } = openPersonal();
  const path = await pathOf('Zoë de Vries');
  for (const name of ['zoë DE vries', ' Zoë  de\tVries ', 'Zoe\u0308 de Vries']) {
    assert.equal(await pathOf(name), path, name);
  }
  assert.notEqual(await pathOf('Zoe de Vries'), path);
});

test('a link is always the same: it follows from secret, feed, name and number alone', async () => {
  // Written down, so that an update cannot end all links unseen.
  const feeds = { kitchen: PERSONAL, bar: PERSONAL };
  const { pathOf } = openPersonal({}, feeds);
  assert.equal(
    await pathOf('Noor'),
    '/kitchen/me/Nxsyb51s8g02Mcm5u8dG9cxQbQoH9CcD2SdBlalqsnY3NDZudvI0J16s_gYkxNM9',
  );
  const others = [
    await pathOf('Noor', 'bar'),
    await pathOf('Sam'),
    await openPersonal({ linkNumbers: { noor: 2 } }).pathOf('Noor'),
    await openPersonal({ linksSecret: `${SECRET}2` }).pathOf('Noor'),
  ];
  assert.equal(new Set([await pathOf('Noor'), ...others]).size, 5);
  // As text, with a line break behind it, or as bytes.
  for (const linksSecret of [`${SECRET}\n`, new TextEncoder().encode(SECRET), () => SECRET]) {
    assert.equal(await openPersonal({ linksSecret }).pathOf('Noor'), await pathOf('Noor'));
  }
});

test('a link does not tell how long a name is, and long names have one', async () => {
  const { pathOf } = openPersonal();
  assert.equal((await pathOf('Al')).length, (await pathOf('Maximiliane Musterfrau')).length);
  const long = 'ऋ'.repeat(200);
  const upstream = fakeUpstream({ shifts: [makeShift({ person: { name: long } })] });
  const gateway = openPersonal({}, undefined, upstream);
  assert.equal((await gateway.get(await gateway.pathOf(long))).status, 200);
  assert.deepEqual([await pathOf('  '), await pathOf('x'.repeat(2000))], ['', '']);
});

test('somebody without shifts just now has an empty page, and 503 while there is no copy, as feeds have', async () => {
  const { get, pathOf, upstream } = openPersonal();
  const path = await pathOf('On Holiday');
  assert.deepEqual(await idsAt(get, `${path}/shifts`), []);
  assert.match(await (await get(path)).text(), /No shifts from November 15, 2026 to/);
  const away = openPersonal({}, undefined, fakeUpstream());
  away.upstream.instead = () => new Response('', { status: 500 });
  assert.equal(upstream.instead, undefined);
  for (const form of FORMS) {
    const response = await away.get(path + form);
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'], form);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal((await away.get(`${path}x${form}`)).status, 404);
  }
});

test('a link that is wrong is answered as any unknown address, to the byte, whatever is asked', async () => {
  const feeds = {
    kitchen: { ...PERSONAL, origins: ['*'] },
    bar: PERSONAL,
    open: { group_ids: 'all' },
  } as const;
  const { get, pathOf } = openPersonal({ linkNumbers: { Sam: 2 } }, feeds);
  const path = await pathOf('Noor');
  const link = path.slice('/kitchen/me/'.length);
  const paths = [
    `/bar/me/${link}`,
    `/open/me/${link}`,
    `/none/me/${link}`,
    `/kitchen/you/${link}`,
    `/kitchen/me`,
    `/kitchen/me/`,
    `/kitchen/me/x`,
    `/kitchen/me/%20`,
    `${path}/board`,
    `${path}/shifts/x`,
    `/kitchen${path}`,
    `${path.slice(0, -1)}`,
    `${path}A`,
    `${path}=`,
    await openPersonal().pathOf('Sam'),
  ];
  for (const headers of [{}, { accept: 'text/html', 'accept-language': 'nl', origin: 'https://a.example' }]) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      const expected = await told(await get('/nothing', headers, method));
      for (const wrong of paths.flatMap((one) => [one, `${one}/shifts`, `${one}/shifts.ics?date_from=x`])) {
        assert.deepEqual(await told(await get(wrong, headers, method)), expected, `${method} ${wrong}`);
      }
    }
  }
  assert.equal((await get(await pathOf('Sam'))).status, 200);
});

test('a link has one spelling, also where its last letter has bits to spare', async () => {
  const { get, pathOf } = openPersonal();
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // A link of one block has no bits to spare, one of two has two, one of three has four.
  for (const length of [20, 50, 80]) {
    const path = await pathOf('x'.repeat(length));
    const isTaken = async (letter: string) => (await get(path.slice(0, -1) + letter)).status === 200;
    const taken = await Promise.all([...letters].map(isTaken));
    assert.equal(taken.filter(Boolean).length, 1, `${length} bytes`);
  }
});

test('links of names of every length open', async () => {
  const { get, pathOf } = openPersonal();
  const names = Array.from({ length: 100 }, (_, i) => 'x'.repeat(i + 1));
  const closed: string[] = [];
  for (const name of names) if ((await get(`${await pathOf(name)}/shifts`)).status !== 200) closed.push(name);
  assert.deepEqual(closed, []);
});

test('personal answers go to no cache, search engine, frame or other website', async () => {
  const { get, pathOf } = openPersonal(
    {},
    { kitchen: { ...PERSONAL, origins: ['https://www.example.org'] } },
  );
  const path = await pathOf('Noor');
  const origin = { origin: 'https://www.example.org' };
  for (const form of FORMS) {
    for (const [target, method, status] of [
      [path + form, 'GET', 200],
      [path + form, 'HEAD', 200],
      [path + form, 'OPTIONS', 204],
      [path + form, 'POST', 405],
      [`${path}${form}?x=1`, 'GET', 400],
    ] as const) {
      const { headers, status: found } = await get(target, origin, method);
      assert.equal(found, status, target);
      assert.match(headers.get('cache-control') ?? 'private', /^private, max-age=\d+$|^no-store$|^private$/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('x-robots-tag') ?? '', /noindex/);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  }
  assert.match(await (await get(path)).text(), /<meta name="robots" content="noindex">/);
  assert.equal((await get('/kitchen', origin)).headers.get('x-robots-tag'), null);
});

test('personal shifts are narrowed, tagged and compressed as those of feeds', async () => {
  const many = Array.from({ length: 40 }, (_, i) => makeShift({ id: i + 1, person: { name: 'Noor' } }));
  const upstream = fakeUpstream({ shifts: [...SHIFTS, ...many] });
  const { get, pathOf } = openPersonal({ compressors: { gzip } }, undefined, upstream);
  const path = `${await pathOf('Noor')}/shifts`;
  assert.deepEqual(await idsAt(get, `${path}?date_from=2026-11-17&date_to=2026-11-30`), [7004]);
  assert.deepEqual(await idsAt(get, `${path}?group_ids=2`), [7005]);
  const packed = await get(path, { 'accept-encoding': 'gzip' });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  const etag = packed.headers.get('etag') ?? '';
  assert.equal((await get(path, { 'if-none-match': etag })).status, 304);
});

test('the calendar of a person blocks their time, and has other identities than that of the feed', async () => {
  const { get, pathOf } = openPersonal({ baseUrl: 'https://gw.example.org' });
  const everybody = await (await get('/kitchen/shifts.ics')).text();
  const own = await (await get(`${await pathOf('Noor')}/shifts.ics`)).text();
  assert.match(own, /UID:kitchen\.me-7001@gw\.example\.org\r\n/);
  assert.equal(own.match(/TRANSP:OPAQUE/g)?.length, 3);
  assert.match(own, /SUMMARY:Kitchen\r\nLOCATION:PlaceOfNoor\r\nCATEGORIES:Kitchen\r\nSTATUS:CONFIRMED/);
  assert.match(own, /SUMMARY:Cancelled: Kitchen/);
  assert.match(everybody, /UID:kitchen-7001@gw\.example\.org\r\n/);
  assert.match(everybody, /TRANSP:TRANSPARENT/);
  assert.doesNotMatch(everybody, /OPAQUE/);
  // Once more, from what is remembered of each event.
  assert.equal(await (await get('/kitchen/shifts.ics?date_from=2026-11-01')).text(), everybody);
});

test('a shift that is given to somebody else moves to their link, also where names are not shown', async () => {
  let nowMs = Date.parse(NOW);
  const { get, pathOf, upstream } = openPersonal({ clock: () => nowMs });
  const [noor, sam] = [`${await pathOf('Noor')}/shifts`, `${await pathOf('Sam')}/shifts`];
  assert.deepEqual(await idsAt(get, sam), [7002]);
  upstream.shifts = SHIFTS.map((shift) =>
    shift.id === 7001 ? { ...shift, person: { name: 'Sam' } } : shift,
  );
  nowMs += 2 * MINUTE_MS;
  await get(noor);
  await new Promise(setImmediate);
  assert.deepEqual(await idsAt(get, noor), [7004, 7005]);
  assert.deepEqual(await idsAt(get, sam), [7001, 7002]);
});

test('another number ends the old link within max_age, and another secret ends all', async () => {
  let nowMs = Date.parse(NOW);
  let numbers: Record<string, number> = {};
  let secret = SECRET;
  const reads: number[] = [];
  const options = {
    clock: () => nowMs,
    linkNumbers: () => numbers,
    linksSecret: async () => {
      reads.push(nowMs);
      return secret;
    },
  };
  const gateway = openPersonal(options, { kitchen: { ...PERSONAL, max_age: 30 } });
  const status = async (path: string) => (await gateway.get(path)).status;
  const [noor, sam] = [await gateway.pathOf('Noor'), await gateway.pathOf('Sam')];
  reads.length = 0;
  assert.deepEqual([await status(noor), await status(sam)], [200, 200]);
  numbers = { NOOR: 2 };
  nowMs += 29_000;
  assert.equal(await status(noor), 200);
  // Visitors share a reading.
  assert.equal(reads.length, 1);
  nowMs += 1_000;
  assert.deepEqual(await Promise.all([status(noor), status(sam)]), [404, 200]);
  assert.equal(reads.length, 2);
  const second = await gateway.pathOf('Noor');
  assert.equal(await status(second), 200);
  secret = `other ${SECRET}`;
  nowMs += 30_000;
  assert.deepEqual([await status(second), await status(sam)], [404, 404]);
});

test('a number whose name nobody has, or that went down, is told once and without the name', async () => {
  let nowMs = Date.parse(NOW);
  let numbers: Record<string, number> = { ' NOOR': 2, Nor: 3, Sam: 4 };
  const told: string[] = [];
  const feeds = { kitchen: PERSONAL, bar: { ...PERSONAL, group_ids: [2] } };
  const { get, pathOf } = openPersonal(
    {
      clock: () => nowMs,
      linkNumbers: () => numbers,
      onLinksDoubt(problem) {
        assert.ok(problem instanceof LinksProblem && problem.of === 'numbers');
        told.push(problem.message);
        throw new Error('of the listener');
      },
    },
    feeds,
  );
  const toldAfter = async (next: Record<string, number>) => {
    told.length = 0;
    numbers = next;
    nowMs += 10 * MINUTE_MS;
    assert.equal((await get(await pathOf('Sam'))).status, 200);
    return [...told];
  };
  const nobodyHas = (entry: number) =>
    `Nobody in the personal feeds has name ${entry} of the numbers of links just now: if it is misspelt, the link that it was meant to end still works.`;
  const isLower = (what: string) =>
    `A number of links is lower than it was, so an older link works again: ${what}.`;
  assert.deepEqual(await toldAfter(numbers), [], 'the feed bar was not read yet');
  await get('/bar/shifts');
  assert.deepEqual(told, [nobodyHas(2)]);
  assert.deepEqual(await toldAfter(numbers), []);
  assert.deepEqual(await toldAfter({ Robin: 2, Sam: 4, Noor: 1, nor: 3 }), [
    isLower('that of name 3 went down'),
    nobodyHas(1),
  ]);
  assert.deepEqual(await toldAfter({ Sam: 5, Noor: 1, Robin: 2 }), [
    isLower('name 4 of before has none any more'),
  ]);
  assert.deepEqual(await toldAfter({ Sam: 5, Noor: 1, Nor: 3 }), [
    isLower('name 3 of before has none any more'),
    nobodyHas(3),
  ]);
});

test('a secret that cannot be read for a while leaves links as they were for a day', async () => {
  let nowMs = Date.parse(NOW);
  let isAway = false;
  const failures: unknown[] = [];
  const { get, pathOf } = openPersonal({
    clock: () => nowMs,
    linksSecret() {
      if (isAway) throw new Error('away');
      return SECRET;
    },
    onLinksFailure(error) {
      failures.push(error);
      throw new Error('of the listener');
    },
  });
  const path = await pathOf('Noor');
  assert.equal((await get(path)).status, 200);
  isAway = true;
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual([(await get(path)).status, (await get(`${path}x`)).status], [200, 404]);
  assert.equal(failures.length, 1);
  nowMs += 25 * 60 * MINUTE_MS;
  assert.deepEqual(
    [(await get(path)).status, (await get(`${path}x`)).status, (await get('/none/me/x')).status],
    [503, 503, 404],
  );
  isAway = false;
  nowMs += MINUTE_MS;
  await get(path);
  await new Promise(setImmediate);
  assert.equal((await get(path)).status, 200);
});

test('many people take no more memory than answers may', async () => {
  const people = Array.from({ length: often(400, 2_000) }, (_, i) =>
    makeShift({ id: i + 1, person: { name: `P${i}` } }),
  );
  const bounded = { linksSecret: SECRET, maxBodiesBytes: 100_000 };
  const options = optionsFor(fakeUpstream({ shifts: people }), PERSONAL, bounded);
  const gateway = openGateway(options);
  const list = await openLinkList(options);
  const [feed] = list.feeds;
  assert.ok(feed);
  for (const person of await list.people(feed)) {
    const path: string = `${await list.path(feed, person)}/shifts`;
    assert.equal((await gateway.answer(visitTo(path))).status, 200);
    assert.ok(gateway.bodyBytes() <= 100_000);
  }
});

test('people are listed by the spelling of the upstream, each once, in the days that are shown', async () => {
  const shifts = [
    ...SHIFTS,
    makeShift({ id: 1, date: '2026-11-14', end_date: '2026-11-16', person: { name: 'Began Before' } }),
    makeShift({ id: 2, date: '2027-02-14', person: { name: 'One Day Later' } }),
    makeShift({ id: 3, person: { name: '  ' } }),
  ];
  const list = await openLinkList({
    config: { upstream: 'https://up.example/acme', time_zone: 'UTC', feeds: { kitchen: PERSONAL } },
    token: 'shiftfeed_x',
    linksSecret: SECRET,
    clock: () => Date.parse(NOW),
    fetch: fakeUpstream({ shifts, timeZone: undefined }).fetch,
  });
  const [feed] = list.feeds;
  assert.ok(feed);
  assert.deepEqual(await list.people(feed), ['Noor', 'Sam']);
});

test('without personal, nothing below /me is there, and no secret is needed', async () => {
  const { get } = openPersonal({ linksSecret: undefined }, { kitchen: { group_ids: 'all' } });
  assert.equal((await get('/kitchen/shifts')).status, 200);
  assert.equal((await get(await openPersonal().pathOf('Noor'))).status, 404);
});

const WRONG: readonly [what: string, options: object, message: RegExp][] = [
  ['a short secret', { linksSecret: 'x'.repeat(31) }, /at least 32 bytes/],
  ['a secret of spaces', { linksSecret: ' '.repeat(64) }, /at least 32 bytes/],
  ['no secret', {}, /at least 32 bytes/],
  ['numbers in a list', { linksSecret: SECRET, linkNumbers: [2] }, /must be an object/],
  ['a number of zero', { linksSecret: SECRET, linkNumbers: { a: 1, Hidden: 0 } }, /that of name 2 is not/],
  ['a fraction', { linksSecret: SECRET, linkNumbers: { Hidden: 1.5 } }, /that of name 1 is not/],
  [
    'a name twice',
    { linksSecret: SECRET, linkNumbers: { Hidden: 2, 'HIDDEN ': 3 } },
    /name 2 was there before/,
  ],
];
for (const [what, options, message] of WRONG) {
  test(`${what} is told without a name or the secret`, async () => {
    await assert.rejects(readLinks(options, ['kitchen']), (error) => {
      assert.ok(error instanceof LinksProblem);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /hidden|K3vX/i);
      return true;
    });
  });
}

test('a personal feed without a secret is an error of the configuration, by place', () => {
  assert.throws(
    () => openPersonal({ linksSecret: undefined }),
    (error) => error instanceof ConfigProblems && error.problems[0]?.place === 'feeds.kitchen.personal',
  );
});

type Get = ReturnType<typeof openPersonal>['get'];

async function idsAt(get: Get, path: string): Promise<number[]> {
  const response = await get(path);
  assert.equal(response.status, 200, path);
  const { shifts } = (await response.json()) as { shifts: { id: number }[] };
  return shifts.map(({ id }) => id);
}

async function told(response: Response): Promise<unknown> {
  return [response.status, [...response.headers], await response.text()];
}
