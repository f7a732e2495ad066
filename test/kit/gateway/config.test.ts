import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigProblems, readConfig } from '@shiftfeed/gateway';

const FEED = { group_ids: [1, 2] };
const CONFIG = { upstream: 'http://127.0.0.1:8080/demo', feeds: { kitchen: FEED } };

test('what is left out has the documented defaults', () => {
  const { feeds, timeZone, tokenFile, calendarId } = readConfig(CONFIG);
  assert.deepEqual(feeds, [
    {
      name: 'kitchen',
      title: 'kitchen',
      groupIds: new Set([1, 2]),
      show: new Set(['group', 'location']),
      daysBack: 0,
      daysAhead: 90,
      hidesCancelled: false,
      showsUnpublished: false,
      origins: [],
      maxAgeSeconds: 60,
      language: 'en',
      isPersonal: false,
    },
  ]);
  assert.equal(timeZone, undefined);
  assert.equal(tokenFile, undefined);
  assert.equal(calendarId, undefined);
});

test('an upstream may end with a slash, and an origin is compared as browsers write it', () => {
  const config = readConfig({
    ...CONFIG,
    upstream: 'https://Shifts.example.org/acme/',
    feeds: { kitchen: { ...FEED, origins: ['HTTPS://WWW.example.org:443'] } },
  });
  assert.equal(config.upstream, 'https://shifts.example.org/acme');
  assert.deepEqual(config.feeds[0]?.origins, ['https://www.example.org']);
});

const WRONG: readonly [what: string, document: unknown, place: string, message: RegExp][] = [
  ['no object', [], '', /expected an object/],
  ['no upstream', { feeds: { a: FEED } }, 'upstream', /missing/],
  ['an upstream without an account', { ...CONFIG, upstream: 'http://a.example/' }, 'upstream', /account/],
  [
    'an upstream with a password',
    { ...CONFIG, upstream: 'http://u:hush@a.example/b' },
    'upstream',
    /password/,
  ],
  [
    'an upstream with a query',
    { ...CONFIG, upstream: 'http://a.example/b?token=hush' },
    'upstream',
    /end with the account/,
  ],
  [
    'the address of the listing as upstream',
    { ...CONFIG, upstream: 'http://a.example/b/api/v1/shifts/' },
    'upstream',
    /end with the account/,
  ],
  ['a number as links_file', { ...CONFIG, links_file: 7 }, 'links_file', /name of a file/],
  [
    'no name as links_secret_file',
    { ...CONFIG, links_secret_file: '' },
    'links_secret_file',
    /name of a file/,
  ],
  ['a secret itself', { ...CONFIG, links_secret: 'hush' }, 'links_secret', /does not belong here/],
  [
    'a word as personal',
    { ...CONFIG, feeds: { a: { ...FEED, personal: 'yes' } } },
    'feeds.a.personal',
    /true/,
  ],
  ['a number as calendar_id', { ...CONFIG, calendar_id: 7 }, 'calendar_id', /name of a host/],
  ['an address as calendar_id', { ...CONFIG, calendar_id: 'https://a.example' }, 'calendar_id', /such as/],
  ['a calendar_id of two lines', { ...CONFIG, calendar_id: 'a.example\nX:1' }, 'calendar_id', /such as/],
  ['an empty calendar_id', { ...CONFIG, calendar_id: '' }, 'calendar_id', /such as/],
  [
    'a calendar_id that is too long',
    { ...CONFIG, calendar_id: `${'a.'.repeat(126)}aa` },
    'calendar_id',
    /such as/,
  ],
  [
    'a language without words',
    { ...CONFIG, feeds: { a: { ...FEED, language: 'ja' } } },
    'feeds.a.language',
    /"ar", "de", "en"/,
  ],
  [
    'no language',
    { ...CONFIG, feeds: { a: { ...FEED, language: 'constructor' } } },
    'feeds.a.language',
    /one of/,
  ],
  [
    'a list of languages',
    { ...CONFIG, feeds: { a: { ...FEED, language: ['nl'] } } },
    'feeds.a.language',
    /one of/,
  ],
  ['no feeds', { ...CONFIG, feeds: {} }, 'feeds', /at least one/],
  ['an unknown key', { ...CONFIG, feed: {} }, 'feed', /no such key/],
  ['the token itself', { ...CONFIG, token: 'hush' }, 'token', /SHIFTFEED_TOKEN/],
  ['the token as a file', { ...CONFIG, token_file: 'shiftfeed_hush' }, 'token_file', /looks like a token/],
  ['a zone that is none', { ...CONFIG, time_zone: 'Europe/Nowhere' }, 'time_zone', /not a time zone/],
  ['an offset as zone', { ...CONFIG, time_zone: '+01:00' }, 'time_zone', /not a time zone/],
  ['a name with a slash', { ...CONFIG, feeds: { 'a/b': FEED } }, 'feeds."a/b"', /part of its address/],
  ['a name that is taken', { ...CONFIG, feeds: { healthz: FEED } }, 'feeds.healthz', /taken/],
  ['another one that is', { ...CONFIG, feeds: { readyz: FEED } }, 'feeds.readyz', /taken/],
  [
    'a hidden key',
    JSON.parse('{"upstream":"http://a/b","feeds":{"__proto__":{"group_ids":"all"}}}'),
    'feeds.__proto__',
    /part of/,
  ],
  ...wrongFeeds([
    ['no groups', { title: 'a' }, 'group_ids', /missing/],
    ['an empty list of groups', { group_ids: [] }, 'group_ids', /neither a list/],
    ['a group that is no id', { group_ids: [1, '2'] }, 'group_ids[1]', /"2" is not the id/],
    ['nothing to show', { ...FEED, show: ['group', 'persn'] }, 'show[1]', /"persn".*"person"/],
    ['what shows by itself', { ...FEED, show: ['id'] }, 'show[0]', /"id" cannot be chosen/],
    ['show as a text', { ...FEED, show: 'group' }, 'show', /not a list/],
    ['too many days', { ...FEED, days_back: 401 }, 'days_back', /0 to 400/],
    ['half a day', { ...FEED, days_ahead: 0.5 }, 'days_ahead', /0 to 400/],
    ['cancelled as a switch', { ...FEED, cancelled: true }, 'cancelled', /neither "show" nor "hide"/],
    ['unpublished as a text', { ...FEED, unpublished: 'false' }, 'unpublished', /neither true nor false/],
    ['an origin with a path', { ...FEED, origins: ['https://a.example/b'] }, 'origins[0]', /not an origin/],
    [
      'an origin that adds to a header',
      { ...FEED, origins: ["https://a.example;script-src '*'"] },
      'origins[0]',
      /not an origin/,
    ],
    ['everybody and somebody', { ...FEED, origins: ['*', 'https://a.example'] }, 'origins', /stand alone/],
    ['no age at all', { ...FEED, max_age: 0 }, 'max_age', /1 to 86400/],
    ['a title of two lines', { ...FEED, title: 'a\nb' }, 'title', /not a title/],
    ['null', { ...FEED, title: null }, 'title', /not a title/],
    ['a misspelt key', { ...FEED, day_back: 3 }, 'day_back', /no such key.*"days_back"/],
  ]),
];

for (const [what, document, place, message] of WRONG) {
  test(`${what} is an error at ${place || 'the top'}`, () => {
    const problems = problemsOf(document);
    assert.deepEqual(
      problems.map((problem) => problem.place),
      [place],
    );
    assert.match(problems[0]?.message ?? '', message);
    assert.doesNotMatch(JSON.stringify(problems), /hush/);
  });
}

test('all problems are told at once', () => {
  const document = { upstream: 1, feeds: { a: { show: 1 }, b: { ...FEED, max_age: -1 } } };
  assert.deepEqual(
    problemsOf(document).map(({ place }) => place),
    ['upstream', 'feeds.a.group_ids', 'feeds.a.show', 'feeds.b.max_age'],
  );
});

function wrongFeeds(feeds: readonly [string, unknown, string, RegExp][]): typeof WRONG {
  return feeds.map(([what, feed, place, message]) => [
    what,
    { ...CONFIG, feeds: { kitchen: feed } },
    `feeds.kitchen.${place}`,
    message,
  ]);
}

function problemsOf(document: unknown) {
  try {
    readConfig(document);
  } catch (error) {
    assert.ok(error instanceof ConfigProblems);
    return error.problems;
  }
  return assert.fail('it was taken');
}
