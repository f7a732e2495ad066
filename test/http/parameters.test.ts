import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { DatabaseKind } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';

/** What is here is decided by code that both share. */
const database = often<DatabaseKind>('sqlite', 'postgres');
describe(`Parameters, on ${database}`, async () => {
  const service = await startService({ after }, { database, now: '2026-11-15T12:00:00Z' });
  const groups = [1, 2, 3].map((id) => ({ id, name: `Group ${id}` }));
  const locations = [7, 8].map((id) => ({ id, name: `Location ${id}` }));
  const shifts = [
    shift('2026-12-01', { id: 1, group_id: 1, location_id: 7 }),
    shift('2026-12-02', { id: 2, group_id: 2, location_id: 8 }),
    shift('2027-01-03', { id: 3, group_id: 3, location_id: null }),
    shift('2027-02-04', { id: 4, group_id: 1, location_id: 8 }),
  ];
  await service.import({ account: ACME, groups, locations, shifts });
  const token = await service.token('acme');

  const accepted: [string, string, number[]][] = [
    ['group_ids keeps the shifts of these groups', '?group_ids=1,3', [1, 3, 4]],
    ['location_ids keeps the shifts at these locations', '?location_ids=8', [2, 4]],
    ['groups and locations are both asked for', '?group_ids=1&location_ids=8', [4]],
    ['an id that no group has matches nothing', '?group_ids=9007199254740991', []],
    ['a list may be repeated', '?months=12&months=1', [1, 2, 3]],
    ['a list may be written with brackets', '?months[]=12&months[]=2', [1, 2, 4]],
    ['brackets may be percent-encoded', '?months%5B%5D=12&months%5B%5D=2', [1, 2, 4]],
    [
      'the ways to write a list may be mixed, and are united',
      '?months=1&months[]=2&months=12,1',
      [1, 2, 3, 4],
    ],
    ['a list may be written with indices', '?months[0]=12&months[1]=2', [1, 2, 4]],
    [
      'indices may have gaps, repeat, and be in any order',
      '?months[7]=12&months[7]=1&months[0]=2',
      [1, 2, 3, 4],
    ],
    ['indices may be percent-encoded', '?months%5B0%5D=1&group_ids%5B12%5D=3', [3]],
    ['a comma may be percent-encoded', '?months=1%2C2', [3, 4]],
    ['spaces around a value are ignored', '?months=%201%20,%202&day=%202027-01-03%20', [3]],
    ['a plus sign is a space', '?months=+1+,2', [3, 4]],
    ['leading zeros are allowed', '?months=01,0000002&page=01', [3, 4]],
    ['order and duplicates do not matter', '?group_ids=3,1,3,1', [1, 3, 4]],
    ['an empty query is no query', '?', [1, 2, 3, 4]],
    ['stray separators are no parameters', '?&&', [1, 2, 3, 4]],
  ];
  for (const [sentence, query, expected] of accepted) {
    test(sentence, async () => {
      const found = await service.list('acme', query, token);
      assert.deepEqual(
        found.shifts.map(({ id }) => id),
        expected,
      );
      assert.equal(found.meta.total, expected.length);
    });
  }

  test('ids of one and of two digits are found beside each other', async () => {
    const ids = [9, 10];
    await service.import({
      account: { ...ACME, slug: 'digits' },
      groups: ids.map((id) => ({ id, name: `Group ${id}` })),
      locations: ids.map((id) => ({ id, name: `Location ${id}` })),
      shifts: ids.map((id) => shift('2026-12-01', { id, group_id: id, location_id: id })),
    });
    const digits = await service.token('digits');
    for (const name of ['group_ids', 'location_ids'])
      for (const wanted of [[9], [10], ids]) {
        const { shifts: found } = await service.list('digits', `?${name}=${wanted}`, digits);
        assert.deepEqual(
          found.map(({ id }) => id),
          wanted,
        );
      }
  });

  const LISTS = ['group_ids', 'months', 'years', 'weeks', 'days', 'location_ids'];
  const INTEGERS = ['page', 'per_page'];
  const DATES = ['day', 'date_from', 'date_to'];
  const ALL = [...LISTS, ...INTEGERS, ...DATES, 'published'];
  const TOO_LARGE = '9007199254740992';
  const OUT_OF_RANGE: Readonly<Record<string, readonly string[]>> = {
    group_ids: ['0', TOO_LARGE],
    location_ids: ['0', TOO_LARGE],
    months: ['0', '13'],
    years: ['999', '10000'],
    weeks: ['0', '54'],
    days: ['0', '8'],
    page: ['0', TOO_LARGE],
    per_page: ['0', TOO_LARGE],
  };
  const NO_DATES = [
    '2026-02-30',
    '2026-13-01',
    '20261115',
    '15-11-2026',
    '2026-11-15T00:00',
    '0999-01-01',
    'today',
    '1',
  ];
  const NO_INTEGERS = ['x', '-1', '1.0', '1e3', '0x1', '١', '1;2', '1 2', 'null', '%zz', '%FF'];

  /** Each of these values, for each of these parameters, and a part of the sentence: the value, if nothing is said. */
  const wrong = (names: readonly string[], texts: readonly string[], part?: string) =>
    names.flatMap((name) =>
      texts.map((text): [string, string, string] => [name, `?${name}=${text}`, part ?? `"${text}"`]),
    );
  const refused: [string, string, string][] = [
    ...ALL.map((name): [string, string, string] => [name, `?${name}`, 'empty value']),
    ...wrong(ALL, ['', '%20'], 'empty value'),
    ...wrong(LISTS, ['1111,,1112', ',1111', '1111,', '1111, ,1112'], 'empty value'),
    ...wrong([...LISTS, ...INTEGERS], NO_INTEGERS, 'expected '),
    ...Object.entries(OUT_OF_RANGE).flatMap(([name, texts]) => wrong([name], texts)),
    ...wrong(DATES, NO_DATES),
    ...wrong(['published'], ['yes', 'TRUE', 'no', '2', 'on']),
    ...[...INTEGERS, ...DATES, 'published'].map((name): [string, string, string] => {
      const value = DATES.includes(name) ? '2026-11-15' : '1';
      return [name, `?${name}=${value}&${name}=${value}`, '2 times'];
    }),
  ];
  test(`each of ${refused.length} wrong values is 400, and the sentence names the parameter and what is expected`, async () => {
    for (const [name, query, part] of refused) {
      const response = await service.get('acme', query, token);
      const body = await response.text();
      assert.equal(response.status, 400, `${query} ${body}`);
      const { error } = JSON.parse(body);
      assert.deepEqual(Object.keys(JSON.parse(body)), ['error']);
      assert.ok(error.startsWith(`${name} `), `${query}: ${error}`);
      assert.ok(error.includes(part), `${query}: ${error}`);
      assert.match(error, /; expected .+\.$/, query);
    }
  });

  const sentences: [string, string][] = [
    ['?months=13', 'months has the value "13"; expected whole numbers from 1 to 12, separated by commas.'],
    [
      '?date_from=x',
      'date_from has the value "x"; expected a date YYYY-MM-DD from 1000-01-01 to 9999-12-31.',
    ],
    [
      '?days=0',
      'days has the value "0"; expected whole numbers from 1 to 7 (1 is Sunday), separated by commas.',
    ],
    ['?published=maybe', 'published has the value "maybe"; expected true, false, 1 or 0.'],
    ['?page=1&page=2', 'page was given 2 times; expected a whole number from 1 to 9007199254740991, once.'],
    ['?mnths=1', 'Unknown parameter "mnths": did you mean "months"?'],
    ['?group_id=1', 'Unknown parameter "group_id": did you mean "group_ids"?'],
    ['?Months=1', 'Unknown parameter "Months": did you mean "months"?'],
    ['?week=1', 'Unknown parameter "week": did you mean "weeks"?'],
    ['?from=2026-01-01', 'Unknown parameter "from": did you mean "date_from"?'],
    ['?day[]=2026-01-01', 'Unknown parameter "day[]": did you mean "day"?'],
    ['?day[0]=2026-01-01', 'Unknown parameter "day[0]": did you mean "day"?'],
    ['?months[x]=1', 'Unknown parameter "months[x]": did you mean "months"?'],
    ['?months[0][1]=1', 'Unknown parameter "months[0][1]": did you mean "months"?'],
    ...(
      [
        ['day', 'date'],
        ['group_ids', 'groups', 'group', 'groupIds'],
        ['location_ids', 'location'],
        ['weeks', 'week'],
        ['years', 'year'],
        ['months', 'month'],
        ['days', 'weekday'],
        ['date_from', 'from', 'start', 'start_date', 'startDate'],
        ['date_to', 'to', 'end', 'until'],
        ['per_page', 'limit', 'perPage', 'pageSize', 'page_size', 'size'],
        ['page', 'offset'],
      ] as const
    ).flatMap(([meant, ...written]) =>
      written.map(
        (name) => [`?${name}=1`, `Unknown parameter "${name}": did you mean "${meant}"?`] as [string, string],
      ),
    ),
    ['?per_page=0', 'per_page has the value "0"; expected a whole number from 1 to 500.'],
    [
      '?day=2026-11-31',
      'day has the value "2026-11-31", a day that does not exist; expected a date YYYY-MM-DD from 1000-01-01 to 9999-12-31.',
    ],
    [
      '?access_token=secret',
      'Unknown parameter "access_token": known are group_ids, months, years, weeks, days, location_ids, day, ' +
        'date_from, date_to, published, page, per_page.',
    ],
    [
      '?months=13&day=x',
      'months has the value "13"; expected whole numbers from 1 to 12, separated by commas. ' +
        'day has the value "x"; expected a date YYYY-MM-DD from 1000-01-01 to 9999-12-31.',
    ],
  ];
  for (const [query, error] of sentences) {
    test(`${query} is answered in words a person can act on`, async () => {
      const response = await service.get('acme', query, token);
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), { error });
    });
  }

  test('names that every object has are unknown parameters like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal((await service.get('acme', `?${name}=1`, token)).status, 400, name);
    }
  });

  test('a long value is cut short, and many problems are counted', async () => {
    const long = await (await service.get('acme', `?months=${'9'.repeat(3000)}`, token)).text();
    assert.ok(long.length < 200, long);
    const many = await (await service.get('acme', `?months=${Array(200).fill('x').join(',')}`, token)).text();
    assert.match(many, /And 190 more\./);
  });

  test('pages cut the listing; per_page above 500 is cut to 500 and meta says what was applied', async () => {
    const meta = async (query: string) => (await service.list('acme', query, token)).meta;
    assert.deepEqual(await meta(''), { total: 4, page: 1, per_page: 500, total_pages: 1 });
    assert.deepEqual(await meta('?per_page=3'), { total: 4, page: 1, per_page: 3, total_pages: 2 });
    assert.deepEqual(await meta('?per_page=3&page=2'), { total: 4, page: 2, per_page: 3, total_pages: 2 });
    assert.deepEqual(await meta('?per_page=501'), { total: 4, page: 1, per_page: 500, total_pages: 1 });
    assert.equal((await meta(`?per_page=${Number.MAX_SAFE_INTEGER}`)).per_page, 500);
  });

  test('a page past the end is empty, and so is the first page of nothing', async () => {
    const past = await service.list('acme', '?per_page=3&page=3', token);
    assert.deepEqual(past, { shifts: [], meta: { total: 4, page: 3, per_page: 3, total_pages: 2 } });
    const farPast = await service.list('acme', `?page=${Number.MAX_SAFE_INTEGER}`, token);
    assert.deepEqual(farPast.shifts, []);
    const nothing = await service.list('acme', '?day=2030-01-01', token);
    assert.deepEqual(nothing, { shifts: [], meta: { total: 0, page: 1, per_page: 500, total_pages: 0 } });
  });

  test('more than 500 shifts take more than one page', async () => {
    const many = Array.from({ length: 1001 }, (_, i) => shift('2026-12-24', { id: i + 1 }));
    await service.import({ ...acme(many), account: { ...ACME, slug: 'many' } });
    const bearer = await service.token('many');
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => service.list('many', `?page=${page}`, bearer)),
    );
    assert.deepEqual(
      pages.map((page) => page.shifts.length),
      [500, 500, 1, 0],
    );
    assert.deepEqual(
      pages.flatMap((page) => page.shifts.map(({ id }) => id)),
      many.map(({ id }) => id),
    );
  });
});
