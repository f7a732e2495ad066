import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAccount, checkRecord, NOUNS } from '../../src/import/check.ts';
import { problemsOfText, readBack, readText } from './reading.ts';

const NAME = 'a text of 1 to 200 characters without control characters';
const ASTRAL = '😀';
const LONE_SURROGATE = '\ud83d';

/** The values of fields are in schema.test.ts, but for what a schema cannot tell. */
describe('a bad value is named with its place and what was expected', () => {
  const tables: (readonly [path: string, expected: string, ...badValues: unknown[]])[] = [
    ['account', 'an object that describes the account', null, 'acme', []],
    ['account.time_zone', 'an IANA time zone such as Europe/Amsterdam', 'Mars/Olympus', 'Europe'],
    ['account.name', NAME, LONE_SURROGATE],
  ];
  for (const [table, noun] of Object.entries(NOUNS)) {
    tables.push([table, 'an array', {}, 'x', 1]);
    tables.push([`${table}[0]`, `an object that describes a ${noun}`, null, 1, []]);
  }
  for (const [place, expected, ...badValues] of tables) {
    test(`${place} must be ${expected}`, async () => {
      for (const value of badValues) {
        const [problem, ...others] = await problemsOf(documentWith(place, value));
        const shown = `${JSON.stringify(value)} as ${place}`;
        assert.deepEqual(others, [], shown);
        assert.equal(problem?.place, place, shown);
        assert.equal(problem?.message.endsWith(` is not ${expected}`), true, `${shown}: ${problem?.message}`);
      }
    });
  }
});

describe('a good value is taken in the form in which it is stored', () => {
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
