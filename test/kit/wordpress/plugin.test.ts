/** The plugin beside stand-ins for what it uses of WordPress, where PHP is installed. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { createGateway } from '@shiftfeed/gateway';
import manifest from '../../../package.json' with { type: 'json' };
import { newFolder } from '../../support/database.ts';
import { skipsWithout } from '../../support/installed.ts';
import { listen } from '../../support/listening.ts';
import { until } from '../../support/until.ts';
import { fakeUpstream, makeShift, optionsFor } from '../gateway/upstream.ts';

const PLUGIN = join(import.meta.dirname, '../../../kit/wordpress');
const PHP = ['php', '-r', 'exit(PHP_VERSION_ID >= 70400 && extension_loaded("mbstring") ? 0 : 1);'];
const PACKAGES = 'php-cli php-mbstring';
/** A Sunday, in the afternoon in Amsterdam. */
const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const HOUR = 3_600;
const DAY = 24 * HOUR;
const SHORTCODE = '[shifts feed="kitchen"]';
const AWAY = 'The shifts cannot be shown at the moment. Please try again soon.';

const SHIFT = {
  id: 1,
  date: '2026-11-16',
  start_time: '09:00',
  end_time: '17:00',
  end_date: '2026-11-16',
  group: { id: 1, name: 'Bar' },
};
const FEED = { title: 'Kitchen', time_zone: 'Europe/Amsterdam', shifts: [SHIFT] };

test('a page has the calendar, and within it the list of what the gateway shows, as text', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const upstream = fakeUpstream({
    shifts: [
      makeShift({
        id: 1,
        date: '2026-11-14',
        start_time: '22:00',
        end_time: '06:00',
        end_date: '2026-11-15',
      }),
      makeShift({ id: 2, date: '2026-11-16', group: { id: 1, name: '<b>Bar</b> [gallery] "1"' } }),
      makeShift({ id: 3, date: '2026-11-16', cancelled: true, location: null }),
      makeShift({ id: 4, date: '2026-12-01', group: { id: 2, name: 'Service' } }),
    ],
  });
  const handle = createGateway(optionsFor(upstream, { title: 'Kitchen & <b>' }));
  site.answer = async (request, response) => {
    const answer = await handle(new Request(`${site.gateway}${request.url}`));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  };
  assert.equal(
    await site.visit(`Rota: ${SHORTCODE}`),
    `Rota: <shift-calendar src="${site.gateway}/kitchen/shifts"><div lang="en" dir="ltr"><p><strong>Saturday, November 14</strong></p>
<ul>
<li>22:00 – Sunday, November 15, 06:00 Kitchen, Harbour</li>
</ul>
<p><strong>Monday, November 16</strong></p>
<ul>
<li>09:00 – 17:00 &lt;b&gt;Bar&lt;/b&gt; &#x5b;gallery&#x5d; &quot;1&quot;, Harbour</li>
<li>09:00 – 17:00 Kitchen (Cancelled)</li>
</ul>
<p><strong>Tuesday, December 1</strong></p>
<ul>
<li>09:00 – 17:00 Service, Harbour</li>
</ul>
<p><a href="${site.gateway}/kitchen">Kitchen &amp; &lt;b&gt;</a> · Last updated: Sunday, November 15, 13:00</p></div></shift-calendar>${site.script}`,
  );
  assert.deepEqual(site.asked, ['/kitchen/shifts?date_from=2026-11-08']);
  const narrowed = await site.visit('[shifts feed="kitchen" group_ids="2, 3" date="2026-12-01"]');
  assert.deepEqual(textsOf(narrowed, 'li'), ['09:00 – 17:00 Service, Harbour']);
  assert.equal(site.asked.at(-1), '/kitchen/shifts?date_from=2026-11-24&group_ids=2,3');
});

test('two calendars on a page have one script; the list is in the language of the calendar, or of the site', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const page = await site.visit(`[shifts feed="kitchen" locale="nl-BE"][shifts feed="bar"]`, {
    LOCALE: 'he_IL',
  });
  assert.equal(page.split(site.script).length, 2);
  assert.match(page, /<div lang="nl" dir="ltr"><p><strong>maandag 16 november</);
  assert.match(page, /<div lang="he" dir="rtl"><p><strong>יום שני, 16 בנובמבר</);
  // As the calendar, which has no words in Japanese.
  assert.match(await site.visit(SHORTCODE, { LOCALE: 'ja' }), /<div lang="en" dir="ltr">/);
});

test('attributes are those of the element; others are refused, which only editors are told', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const src = `src="${site.gateway}/kitchen/shifts"`;
  for (const [given, element] of [
    ['view="month" group_ids="1,2"', `${src} view="month" group-ids="1,2"`],
    ['legend search="no" maps="true" live', `${src} legend="" maps="" live=""`],
    ['live="https://a.example/live"', `${src} live="https://a.example/live"`],
    ['subscribe', `${src} subscribe="${site.gateway}/kitchen/shifts.ics"`],
    [
      'group-ids="1" subscribe="1"',
      `${src} group-ids="1" subscribe="${site.gateway}/kitchen/shifts.ics?group_ids=1"`,
    ],
    [`view="'><script>"`, `${src} view="&#039;&gt;&lt;script&gt;"`],
  ] as const) {
    const page = await site.visit(`[shifts feed="kitchen" ${given}]`);
    assert.ok(page.startsWith(`<shift-calendar ${element}>`), page);
  }
  const block = {
    feed: 'kitchen',
    view: '',
    group_ids: '',
    legend: true,
    live: true,
    search: false,
    align: 'wide',
  };
  const page = await site.visit('', { BLOCK: JSON.stringify(block) });
  assert.ok(
    page.startsWith(`<div class="wp-block-shiftfeed-shifts"><shift-calendar ${src} legend="" live="">`),
    page,
  );
  const asked = site.asked.length;
  for (const [given, sentence] of [
    ['', 'needs the name of a feed, such as &quot;kitchen&quot;.'],
    ['feed="../x"', 'needs the name of a feed, such as &quot;kitchen&quot;.'],
    ['feed="kitchen" group_id="1"', 'has no &quot;group-id&quot;.'],
    ['feed="kitchen" onclick="alert(1)"', 'has no &quot;onclick&quot;.'],
    ['feed="kitchen" src="https://elsewhere.example"', 'has no &quot;src&quot;.'],
    ['feed="kitchen" <b>', 'has no &quot;&lt;b&gt;&quot;.'],
    // What is empty does not show every group.
    ['feed="kitchen" group_ids=""', 'needs ids in &quot;group_ids&quot;, such as &quot;1,2&quot;.'],
    ['feed="kitchen" date="2026-02-30"', 'needs a date such as 2026-12-01 in &quot;date&quot;.'],
  ] as const) {
    const text = given === '' ? '[shifts]' : `[shifts ${given}]`;
    assert.equal(await site.visit(text), '');
    assert.equal(await site.visit(text, { EDITOR: '1' }), `<p><em>&#x5b;shifts&#x5d; ${sentence}</em></p>`);
  }
  await site.save('');
  assert.match(await site.visit(SHORTCODE, { EDITOR: '1' }), /needs the address of the gateway/);
  assert.equal(site.asked.length, asked);
});

test('the gateway is asked once in max_age, and by no visitor once there is a copy', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const shown = await site.visit(SHORTCODE);
  site.feed = { ...FEED, title: 'Renewed' };
  site.nowSeconds += 299;
  assert.equal(await site.visit(SHORTCODE), shown);
  await site.runEvents();
  assert.equal(site.asked.length, 1, 'nothing is due within max_age');
  site.nowSeconds += 1;
  assert.equal(await site.visit(SHORTCODE), shown);
  assert.equal(await site.visit(SHORTCODE), shown);
  assert.equal(site.asked.length, 1, 'visitors get the copy');
  const left = await site.stored();
  await site.runEvents();
  // Two processes may run the same event.
  await site.change((stored) => Object.assign(stored, { ...left, ...stored }));
  await site.runEvents();
  assert.equal(site.asked.length, 2, 'it is renewed in the background, once');
  assert.match(await site.visit(SHORTCODE), />Renewed<\/a> · Last updated: Sunday, November 15, 13:05</);
});

test('the gateway tells what is left of max_age; when nothing is, or it is away, it is asked again after a minute', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const askedAfter = async (seconds: number) => {
    site.nowSeconds += seconds;
    await site.visit(SHORTCODE);
    await site.runEvents();
    return site.asked.length;
  };
  const tell = (seconds: number) => {
    site.headers = { 'cache-control': `public, max-age=${seconds}` };
  };
  tell(DAY / 2);
  assert.equal(await askedAfter(0), 1);
  site.isAway = true;
  assert.equal(await askedAfter(DAY / 2), 2);
  assert.equal(await askedAfter(59), 2);
  site.isAway = false;
  // The owner has lowered it.
  tell(150);
  assert.equal(await askedAfter(1), 3);
  assert.equal(await askedAfter(149), 3);
  tell(0);
  assert.equal(await askedAfter(1), 4);
  assert.equal(await askedAfter(59), 4);
  assert.equal(await askedAfter(1), 5);
});

test('of many who come first, one waits for the gateway; the others get a sentence and a link', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const usual = site.answer;
  site.answer = async (request, response) => {
    await released;
    await usual(request, response);
  };
  const first = site.visit(SHORTCODE);
  await until('the gateway is asked', () => site.asked.length === 1);
  assert.match(
    await site.visit(SHORTCODE),
    new RegExp(`<p>${AWAY} <a href="${site.gateway}/kitchen">Shifts</a>`),
  );
  release();
  assert.match(await first, /09:00 – 17:00 Bar/);
  assert.equal(site.asked.length, 1);
});

test('while the gateway is away, the copy is shown for a day and says how old it is; then a sentence and a link', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  site.feed = { ...FEED, shifts: [SHIFT, { ...SHIFT, date: '2026-11-18', end_date: '2026-11-18' }] };
  const shown = await site.visit(SHORTCODE);
  site.isAway = true;
  for (const hours of [1, 22]) {
    site.nowSeconds += hours * HOUR;
    assert.equal(await site.visit(SHORTCODE), shown);
    await site.runEvents();
    assert.equal(await site.visit(SHORTCODE), shown, 'the time of the last answer is told');
  }
  site.nowSeconds += HOUR;
  const over = await site.visit(SHORTCODE, { EDITOR: '1' });
  assert.match(over, new RegExp(`<p>${AWAY} <a href="${site.gateway}/kitchen">Shifts</a></p>`));
  assert.match(over, /<em>The gateway cannot be reached: No connection\.<\/em>/);
  assert.doesNotMatch(await site.visit(SHORTCODE), /<em>/);
  const asked = site.asked.length;
  site.nowSeconds += 59;
  await site.visit(SHORTCODE);
  assert.equal(site.asked.length, asked, 'an outage is not asked about more than once a minute');
  site.isAway = false;
  site.nowSeconds += 1;
  // It is Monday, the 16th, in the afternoon: the past is not shown.
  assert.deepEqual(textsOf(await site.visit(SHORTCODE), 'strong'), [
    'Monday, November 16',
    'Wednesday, November 18',
  ]);
  site.nowSeconds += DAY / 2;
  assert.deepEqual(
    textsOf(await site.visit(SHORTCODE), 'strong'),
    ['Wednesday, November 18'],
    'it is Tuesday',
  );
});

test('what the gateway has from an outage of its own is as old as it says; what it takes back is gone', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  site.headers = { 'cache-control': 'public, max-age=0', 'shiftfeed-age': '3600' };
  assert.match(await site.visit(SHORTCODE), /Last updated: Sunday, November 15, 12:00</);
  for (const [status, isShown] of [
    [503, true],
    [429, true],
    [302, true],
    [404, false],
  ] as const) {
    site.status = status;
    site.nowSeconds += HOUR;
    await site.visit(SHORTCODE);
    await site.runEvents();
    assert.equal((await site.visit(SHORTCODE)).includes('17:00 Bar'), isShown, String(status));
  }
  assert.ok(
    site.asked.every((path) => path.startsWith('/kitchen/shifts')),
    'redirects are not followed',
  );
});

const LONG = 'x'.repeat(100_000);
/** What a gateway may answer that is none, or is in the hands of somebody else; and what is shown of it. */
const HOSTILE: [body: unknown, shown: string | RegExp][] = [
  ['', AWAY],
  ['<script>alert(1)</script>', AWAY],
  ['{"title": "Kitchen", "time_zone": "UTC", "shifts": [', AWAY],
  [null, AWAY],
  [7, AWAY],
  [[], AWAY],
  [{ ...FEED, title: ['x'] }, AWAY],
  [{ ...FEED, time_zone: 'Mars/Olympus' }, AWAY],
  [{ ...FEED, time_zone: { a: 1 } }, AWAY],
  [{ ...FEED, shifts: 'many' }, AWAY],
  [{ ...FEED, shifts: [] }, 'No shifts'],
  [{ ...FEED, shifts: { a: { b: 1 } } }, 'No shifts'],
  [{ ...FEED, shifts: [null, 7, 'text', [], {}, [[]], { date: [] }] }, 'No shifts'],
  [{ ...FEED, shifts: [{ ...SHIFT, date: '2026-99-99' }] }, 'No shifts'],
  [{ ...FEED, shifts: [{ ...SHIFT, date: '<b>' }] }, 'No shifts'],
  [{ ...FEED, shifts: [{ ...SHIFT, start_time: '9<b>' }] }, 'No shifts'],
  [{ ...FEED, shifts: [{ ...SHIFT, end_time: ['x'] }] }, 'No shifts'],
  [
    { ...FEED, shifts: [{ ...SHIFT, group: 'Bar', location: 7, person: { name: [] } }] },
    '09:00 – 17:00 Shift',
  ],
  [
    { ...FEED, shifts: [{ ...SHIFT, cancelled: 'yes', starred: [1], noshow: 1, open: {} }] },
    /17:00 Bar<\/li>/,
  ],
  [
    { ...FEED, shifts: [{ ...SHIFT, group: { name: '"><script>alert(1)</script>[shifts]' } }] },
    '17:00 &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x5b;shifts&#x5d;</li>',
  ],
  // WordPress makes brackets of these, in which themes may look for shortcodes once more.
  [
    { ...FEED, shifts: [{ ...SHIFT, group: { name: '&#91;shifts&#93; &lt;b&gt;' } }] },
    '17:00 &amp;#91;shifts&amp;#93; &amp;lt;b&amp;gt;</li>',
  ],
  [{ ...FEED, title: '</a><script>' }, '>&lt;/a&gt;&lt;script&gt;</a>'],
  [{ ...FEED, title: LONG }, `>${'x'.repeat(200)}</a>`],
  [{ ...FEED, shifts: Array(5_000).fill(SHIFT) }, /^(?:.*?<li>){200}(?!.*<li>)/s],
];

test('whatever a gateway answers is shown as text or not at all, and no visitor sees a message of PHP', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  for (const [body, shown] of HOSTILE) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    site.answer = async (_request, response) => void response.end(text);
    await site.forget();
    const page = await site.visit(SHORTCODE);
    assert.ok(
      typeof shown === 'string' ? page.includes(shown) : shown.test(page),
      `${text.slice(0, 200)}: ${page}`,
    );
    assert.doesNotMatch(page.replace(site.script, ''), /<script|\[|<b>/);
  }
});

test('what is stored under the name of a copy, and is none, is read as none', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const shown = await site.visit(SHORTCODE);
  for (const none of [7, 'text', [], { due: site.nowSeconds + DAY }, null]) {
    await site.change((stored) => {
      for (const name of Object.keys(stored))
        if (name.startsWith('transient')) stored[name] = [site.nowSeconds + DAY, none];
    });
    assert.equal(await site.visit(SHORTCODE), shown);
  }
});

test('trying a feed says what it is called and how many shifts it shows, or why not', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  const trial = async (variables = {}) =>
    (await site.visit('', { TRY: 'kitchen', ...variables })).replaceAll(/<[^>]+>/g, ' ').trim();
  const isShown = 'This feed is called &quot;Kitchen&quot; and shows 1 shift.';
  const isNot = `${isShown} But the calendar cannot be shown:`;
  const notAmong = `${isNot} this site, http://site.example, is not among the &quot;origins&quot; of the feed.`;
  assert.equal(await trial(), notAmong);
  site.headers = { 'access-control-allow-origin': 'http://other.example' };
  assert.equal(await trial(), notAmong);
  site.headers = { 'access-control-allow-origin': 'http://site.example' };
  assert.equal(await trial(), `${isShown}   [shifts feed="kitchen"]`);
  assert.equal(
    await trial({ SITE: 'https://site.example' }),
    `${isNot} this site has https, so the address of the gateway needs it, too.`,
  );
  site.hasScript = false;
  assert.equal(await trial(), `${isNot} the gateway has no shift-calendar.js. Its version is too old.`);
  assert.equal(
    await trial({ TRY: 'a/b' }),
    'The name of a feed has letters, digits, &quot;-&quot; and &quot;_&quot;.',
  );
  site.status = 404;
  assert.equal(await trial(), 'There is no gateway at this address: it answers with status 404.');
  site.feed = { error: 'There is nothing at this address.' };
  assert.equal(await trial(), 'The gateway has no feed &quot;kitchen&quot;.');
  site.status = 503;
  assert.equal(await trial(), 'The gateway has no shifts at the moment. Its log says why.');
  site.status = 200;
  assert.match(
    await trial(),
    /^What is at this address is no feed of a gateway, or one of a version that is too old\.$/,
  );
  site.isAway = true;
  assert.equal(await trial(), 'The gateway cannot be reached: No connection.');
  await site.save('');
  assert.equal(await trial(), 'Save the address of the gateway first.');
});

test('an address has a scheme and a host, and nothing else; what is none changes nothing', async (context) => {
  if (skipsWithout(context, PHP, PACKAGES)) return;
  const site = await startSite(context);
  for (const [typed, saved] of [
    ['https://shifts.example.org/', 'https://shifts.example.org'],
    [' shifts.example.org ', 'https://shifts.example.org'],
    ['http://10.0.0.1:8090/rota/', 'http://10.0.0.1:8090/rota'],
  ] as const) {
    assert.equal(await site.visit('', { ADDRESS: typed }), '');
    assert.equal((await site.stored())['option shiftfeed_gateway'], saved);
  }
  for (const typed of [
    'javascript:alert(1)//://',
    'ftp://shifts.example.org',
    'https://',
    'https://me:secret@shifts.example.org',
    'https://shifts.example.org/?a=<b>',
    'https://shifts.example.org/#a',
  ]) {
    assert.match(
      await site.visit('', { ADDRESS: typed }),
      /^"[^<]*" is not the address of a gateway: expected/,
    );
    assert.equal((await site.stored())['option shiftfeed_gateway'], 'http://10.0.0.1:8090/rota');
  }
});

test('the plugin has the version of the release, at most 400 lines, and nothing that PHP 7.4 lacks', async (context) => {
  const read = (name: string) => readFileSync(join(PLUGIN, name), 'utf8');
  assert.match(read('shiftfeed.php'), new RegExp(`^ \\* Version: ${manifest.version}$`, 'm'));
  assert.match(read('readme.txt'), new RegExp(`^Stable tag: ${manifest.version}$`, 'm'));
  const names = await readdir(PLUGIN);
  const scripts = names.filter((name) => /\.(?:php|js)$/.test(name));
  const lines = scripts.flatMap((name) => read(name).trimEnd().split('\n'));
  assert.ok(lines.length <= 400, String(lines.length));
  const code = scripts
    .filter((name) => name.endsWith('.php'))
    .map(read)
    .join('');
  // Of PHP 8: match, ?->, attributes, enums, readonly, union types, named arguments, and functions without polyfills.
  const NEWER =
    /\bmatch\s*\(|\?->|#\[|\benum\s|\breadonly\b|\b(?:int|string|array|bool)\|\w+ \$|[(,]\s*[a-z]\w*: |\b(?:get_debug_type|array_is_list|str_contains|json_validate)\(|: (?:mixed|static|never)\b|\bmixed \$/;
  assert.doesNotMatch(
    code.replaceAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\*.*?\*\/|<(?:p|input|div|h\d).*?>\n/gs, ''),
    NEWER,
  );
  if (skipsWithout(context, PHP, PACKAGES)) return;
  for (const name of scripts)
    if (name.endsWith('.php')) await promisify(execFile)('php', ['-l', join(PLUGIN, name)]);
});

function textsOf(html: string, tag: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'g'))].map(([, text = '']) => text);
}

type Stored = Record<string, unknown>;

interface Site {
  readonly gateway: string;
  /** What the end of a page with a calendar has. */
  readonly script: string;
  /** What the gateway was asked for. */
  readonly asked: string[];
  nowSeconds: number;
  /** What the gateway answers, unless it answers in another way. */
  feed: object;
  status: number;
  headers: Readonly<Record<string, string>>;
  hasScript: boolean;
  isAway: boolean;
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  visit(page: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Does what was left for the background. */
  runEvents(): Promise<void>;
  save(address: string): Promise<void>;
  forget(): Promise<void>;
  stored(): Promise<Stored>;
  change(work: (stored: Stored) => unknown): Promise<void>;
}

async function startSite(context: TestContext): Promise<Site> {
  const folder = await newFolder(context);
  await cp(PLUGIN, join(folder, 'shiftfeed'), { recursive: true });
  await cp(join(import.meta.dirname, 'wordpress.php'), join(folder, 'wordpress.php'));
  await writeFile(
    join(folder, 'page.php'),
    "<?php require 'wordpress.php'; require 'shiftfeed/shiftfeed.php'; show();",
  );
  const server = createServer((request, response) => {
    site.asked.push(request.url ?? '');
    if (site.isAway) request.destroy();
    else if (request.url === '/shift-calendar.js') response.writeHead(site.hasScript ? 200 : 404).end();
    else void site.answer(request, response);
  });
  const gateway = `http://127.0.0.1:${await listen(context, server)}`;
  const file = join(folder, 'stored.json');
  const site: Site = {
    gateway,
    script: `<script type="module" src="${gateway}/shift-calendar.js"></script>\n`,
    asked: [],
    nowSeconds: NOW_MS / 1_000,
    feed: FEED,
    status: 200,
    headers: { 'cache-control': 'public, max-age=300' },
    hasScript: true,
    isAway: false,
    async answer(_request, response) {
      response.writeHead(site.status, { ...site.headers, location: '/elsewhere' });
      response.end(JSON.stringify(site.feed));
    },
    async visit(page, variables = {}) {
      const env = { PATH: process.env.PATH, NOW: String(site.nowSeconds), PAGE: page, ...variables };
      // As on hosts that show visitors what goes wrong.
      const settings = [
        '-d',
        'display_errors=1',
        '-d',
        'html_errors=0',
        '-d',
        'error_reporting=-1',
        '-d',
        'error_log=',
      ];
      const { stdout, stderr } = await promisify(execFile)('php', [...settings, join(folder, 'page.php')], {
        env,
      });
      assert.equal(stderr, '');
      assert.doesNotMatch(stdout, /(?:Warning|Notice|Deprecated|error): /);
      return stdout;
    },
    async runEvents() {
      assert.equal(await site.visit('', { CRON: '1' }), '');
    },
    save: (address) =>
      site.change((stored) => Object.assign(stored, { 'option shiftfeed_gateway': address })),
    forget: () =>
      site.change((stored) => {
        for (const name of Object.keys(stored)) if (name.startsWith('transient')) delete stored[name];
      }),
    stored: async () => JSON.parse(await readFile(file, 'utf8')),
    async change(work) {
      const stored = await site.stored();
      work(stored);
      await writeFile(file, JSON.stringify(stored));
    },
  };
  await writeFile(file, '{}');
  await site.save(gateway);
  return site;
}
