import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAccount, checkRecord } from '../../src/import/check.ts';
import type { Given, GivenAccount } from '../../src/import/fields.ts';
import type { Table } from '../../src/store/records.ts';
import { problemsOfText, readText } from './reading.ts';

const ID = 'a whole number from 1 to 9007199254740991';
const DATE = 'a date YYYY-MM-DD from 1000-01-01 to 9999-12-31';
const TIME = 'a time HH:MM from 00:00 to 23:59';
const NAME = 'a text of 1 to 200 characters without control characters';
const ADDRESS = 'a text of at most 1000 characters without control characters';
const REMARKS = 'a text of at most 10000 characters without control characters';
const ZONE = 'an IANA time zone such as Europe/Amsterdam';
const SLUG = '1 to 63 lower-case letters, digits and hyphens, starting with a letter or digit';
const SORT = '"time" or "group"';
const FLAG = 'true or false';

const ASTRAL = '😀';
const LONE_SURROGATE = '\ud83d';

describe('a bad value is named with its place and what was expected', () => {
  const badIds = [0, -1, 1.5, -1.5, 2 ** 53, '1', true, {}, []];
  const badDates = ['2026-02-30', '0999-12-31', '2026-1-1', '2026-01-01T00:00', '10000-01-01', '', 20260101];
  const badTimes = ['24:00', '9:00', '09:60', '09:00:00', '09:00\n', '', 900, null];
  const badNames = [
    '',
    'x'.repeat(201),
    ASTRAL.repeat(201),
    'bell\u0007',
    'nul\u0000',
    LONE_SURROGATE,
    7,
    null,
  ];
  const badFlags = ['true', 0, 1, null];
  const tables: [path: string, expected: string, badValues: readonly unknown[]][] = [
    ['account', 'an object that describes the account', [null, 'acme', []]],
    [
      'account.slug',
      SLUG,
      [null, '', 'Acme', '-acme', 'a_b', 'a b', 'a/b', 'café', 'x'.repeat(64), 'acme\n', 5],
    ],
    ['account.name', NAME, badNames],
    ['account.premium', FLAG, badFlags],
    ['account.time_zone', ZONE, ['', 'Mars/Olympus', '+01:00', '-05', 'Europe', null, 1]],
    ['account.sort', SORT, ['', 'date', 'Time', null, 1]],
    ['groups', 'an array', [{}, 'x', 1]],
    ['groups[0]', 'an object that describes a group', [null, 1, []]],
    ['groups[0].id', ID, [...badIds, null]],
    ['groups[0].name', NAME, badNames],
    ['groups[0].active', FLAG, badFlags],
    ['groups[0].private', FLAG, badFlags],
    ['locations', 'an array', [{}, 'x', 1]],
    ['locations[0]', 'an object that describes a location', [null, 1, []]],
    ['locations[0].id', ID, [...badIds, null]],
    ['locations[0].name', NAME, badNames],
    ['locations[0].address', ADDRESS, ['x'.repeat(1001), '\u001b[31m', LONE_SURROGATE, 5]],
    ['people', 'an array', [{}, 'x', 1]],
    ['people[0]', 'an object that describes a person', [null, 1, []]],
    ['people[0].id', ID, [...badIds, null]],
    ['people[0].name', NAME, badNames],
    ['shifts', 'an array', [{}, 'x', 1]],
    ['shifts[0]', 'an object that describes a shift', [null, 1, []]],
    ['shifts[0].id', ID, [...badIds, null]],
    ['shifts[0].date', DATE, [...badDates, null]],
    ['shifts[0].start_time', TIME, badTimes],
    ['shifts[0].end_time', TIME, badTimes],
    ['shifts[0].end_date', DATE, badDates],
    ['shifts[0].group_id', ID, [...badIds, null]],
    ['shifts[0].location_id', ID, badIds],
    ['shifts[0].person_id', ID, badIds],
    ['shifts[0].publish_date', DATE, [...badDates, null]],
    [
      'shifts[0].remarks',
      REMARKS,
      ['x'.repeat(10_001), ASTRAL.repeat(10_001), 'del\u007f', 'c1\u0085', '\f', LONE_SURROGATE, 5],
    ],
    ['shifts[0].starred', FLAG, badFlags],
    ['shifts[0].cancelled', FLAG, badFlags],
    ['shifts[0].noshow', FLAG, badFlags],
  ];
  for (const [place, expected, badValues] of tables) {
    test(`${place} must be ${expected}`, async () => {
      for (const value of badValues) {
        const [problem, ...others] = await problemsOf(documentWith(place, value));
        const shown = `${JSON.stringify(value)?.slice(0, 60)} as ${place}`;
        assert.deepEqual(others, [], shown);
        assert.equal(problem?.place, place, shown);
        assert.equal(problem?.message.endsWith(` is not ${expected}`), true, `${shown}: ${problem?.message}`);
      }
    });
  }
});

describe('a good value is taken as it is', () => {
  const dates = ['1000-01-01', '2024-02-29', '9999-12-31'];
  const times = ['00:00', '09:05', '23:59'];
  const names = [
    'x',
    'x'.repeat(200),
    ASTRAL.repeat(200),
    'tab\tand\r\nline breaks',
    ' ',
    '\u00a0',
    '👩‍🍳 Zoë',
  ];
  const ids = [1, Number.MAX_SAFE_INTEGER];
  const tables: [path: string, goodValues: readonly unknown[]][] = [
    ['account.slug', ['a', '0', 'a-', 'acme-2', 'x'.repeat(63)]],
    ['account.name', names],
    ['account.premium', [true, false]],
    ['account.time_zone', ['UTC', 'Europe/Amsterdam', 'America/Argentina/Buenos_Aires']],
    ['account.sort', ['time', 'group']],
    ['groups[0].id', ids],
    ['groups[0].name', names],
    ['locations[0].address', ['', 'x'.repeat(1000), ASTRAL.repeat(1000)]],
    ['people[0].name', names],
    ['shifts[0].date', dates],
    ['shifts[0].start_time', times],
    ['shifts[0].end_time', times],
    ['shifts[0].end_date', [...dates, null]],
    ['shifts[0].location_id', [...ids, null]],
    ['shifts[0].person_id', [...ids, null]],
    ['shifts[0].publish_date', dates],
    ['shifts[0].remarks', ['', 'x'.repeat(10_000), ASTRAL.repeat(10_000), 'a\n\tb']],
    ['shifts[0].starred', [true, false]],
  ];
  for (const [place, goodValues] of tables) {
    test(place, async () => {
      for (const value of goodValues) {
        const document = documentWith(place, value);
        assert.partialDeepStrictEqual(await readBack(document), document);
      }
    });
  }

  test('a text that is null is the empty one', async () => {
    assert.equal((await readBack(documentWith('shifts[0].remarks', null))).shifts[0]?.remarks, '');
    assert.equal((await readBack(documentWith('locations[0].address', null))).locations[0]?.address, '');
  });

  test('a time zone gets its usual spelling, but keeps its name', async () => {
    const zoneOf = async (text: string) =>
      (await readBack(documentWith('account.time_zone', text))).account.time_zone;
    assert.equal(await zoneOf('europe/amsterdam'), 'Europe/Amsterdam');
    assert.equal(await zoneOf('Asia/Kolkata'), 'Asia/Kolkata');
  });

  test('arrays may be left out or null', async () => {
    const none = { groups: [], locations: [], people: [], shifts: [] };
    assert.partialDeepStrictEqual(await readBack({ account: { slug: 'acme' } }), none);
    const nulls = { groups: null, locations: null, people: null, shifts: null };
    assert.partialDeepStrictEqual(await readBack({ account: { slug: 'acme' }, ...nulls }), none);
  });
});

describe('what has to be there', () => {
  const cases: [place: string, document: unknown][] = [
    ['account', {}],
    ['account.slug', { account: {} }],
    ['groups[0].id', documentWith('groups[0]', {})],
    ['locations[0].id', documentWith('locations[0]', {})],
    ['people[0].id', documentWith('people[0]', {})],
    ['shifts[0].id', documentWith('shifts[0]', {})],
  ];
  for (const [place, document] of cases) {
    test(`${place} is missing`, async () =>
      assert.deepEqual(await problemsOf(document), [{ place, message: 'is missing' }]));
  }
});

describe('an unknown key is an error', () => {
  const places = [
    'colour',
    'groups[0].colour',
    'locations[0].city',
    'people[0].phone',
    'shifts[0].from_the_old_system',
    'shifts[0].constructor',
    'shifts[0].account_id',
  ];
  for (const place of places) {
    test(place, async () =>
      assert.deepEqual(
        (await problemsOf(documentWith(place, null))).map(({ place, message }) => ({ place, message })),
        [{ place, message: 'there is no such key' }],
      ),
    );
  }

  test('also when it is called __proto__', async () => {
    assert.deepEqual(await problemsOfText('{"account": {"slug": "acme", "__proto__": {"premium": true}}}'), [
      { place: 'account.__proto__', message: 'there is no such key' },
    ]);
  });

  test('and is quoted, escaped and cut short when it is no plain word', async () => {
    const places = async (key: string) =>
      (await problemsOf({ account: { slug: 'acme' }, [key]: 1 })).map(({ place }) => place);
    assert.deepEqual(await places('\u001b[31m\n'), ['["\\u001b[31m\\n"]']);
    assert.deepEqual(await places('k'.repeat(5000)), [`["${'k'.repeat(40)}…"]`]);
  });
});

describe('a document that is none', () => {
  for (const value of [null, 5, 'acme', []]) {
    test(`${JSON.stringify(value)} is not an object with an account`, async () =>
      assert.deepEqual(await problemsOf(value), [
        { place: '', message: `${JSON.stringify(value)} is not an object with an account` },
      ]));
  }

  for (const json of ['', '{', '{"account": {"slug": "acme"}} x', "{'account': 1}", '\u0000']) {
    test(`${JSON.stringify(json)} is not valid JSON`, async () => {
      const [problem] = await problemsOfText(json);
      assert.match(problem?.message ?? '', /^the file is not valid JSON/);
    });
  }

  test('is not quoted around the place where it stops being JSON', async () => {
    const [problem] = await problemsOfText('{"people": [{"id": 1, "name": "Ada"}}');
    assert.equal(problem?.message, 'the file is not valid JSON at line 1, column 37');
  });

  test('but a byte order mark in front does no harm', async () => {
    assert.deepEqual(await readText('\ufeff{"account": {"slug": "acme"}}'), [{ account: { slug: 'acme' } }]);
  });
});

test('all problems are found at once, each at its own place', async () => {
  const document = {
    account: { slug: 'Acme' },
    groups: [{ id: 1 }, { id: 0, name: '' }],
    shifts: [{ id: 1, date: '2026-02-30', end_time: '24:00' }],
  };
  assert.deepEqual(
    (await problemsOf(document)).map(({ place }) => place),
    ['account.slug', 'groups[1].id', 'groups[1].name', 'shifts[0].date', 'shifts[0].end_time'],
  );
});

test('a long value is cut short after 40 characters, without cutting one in half', async () => {
  assert.deepEqual(await problemsOf(documentWith('people[0].name', ASTRAL.repeat(201))), [
    { place: 'people[0].name', id: 1, message: `"${ASTRAL.repeat(40)}…" is not ${NAME}` },
  ]);
});

test('a text of a hundred megabytes is a bad value like any other', () => {
  const long = 'x'.repeat(130_000_000);
  const messages = [
    checkAccount({ slug: 'acme', name: long }).flaws,
    checkRecord('locations', { id: 1, address: long }).flawed?.flaws,
    checkRecord('shifts', { id: 1, date: long }).flawed?.flaws,
  ].flatMap((flaws) => (flaws ?? []).map(({ message }) => message));
  assert.equal(messages.length, 3);
  for (const message of messages) assert.ok(message.startsWith(`"${'x'.repeat(40)}…" is not `));
});

test('a record with very many problems has them cut short', () => {
  const shift = { id: 1, ...Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${i}`, 1])) };
  const problems = checkRecord('shifts', shift).flawed?.flaws ?? [];
  assert.equal(problems.length, 21);
  assert.deepEqual(problems[20], { path: [], message: 'has 980 more problems' });
});

/** A good document but for one value; the place is written as problems write it. */
function documentWith(place: string, value: unknown): unknown {
  const document = {
    account: { slug: 'acme' },
    groups: [{ id: 1 }],
    locations: [{ id: 1 }],
    people: [{ id: 1 }],
    shifts: [{ id: 1 }],
  };
  const keys = place.split(/[.[\]]+/).filter((key) => key !== '');
  let target = document as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) target = target[key] as Record<string, unknown>;
  target[keys.at(-1) ?? ''] = value;
  return document;
}

const problemsOf = (document: unknown) => problemsOfText(JSON.stringify(document));

/** The document as it is imported. */
async function readBack(
  document: unknown,
): Promise<{ [T in Table]: Given<T>[] } & { account: GivenAccount }> {
  const parts = await readText(JSON.stringify(document));
  const members = parts.map((part) => ('table' in part ? { [part.table]: part.records } : part));
  return Object.assign({ groups: [], locations: [], people: [], shifts: [] }, ...members);
}
