/** Personal links: the command that lists them, and the gateway that answers them, as processes. */

import assert from 'node:assert/strict';
import fs, { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shiftfeed, startHere } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Not today, which may be over before the test is. */
const TOMORROW = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();
const PERSONAL = { group_ids: 'all', personal: true, max_age: 1 };
const BASE = ['--base-url', 'https://shifts.example.org/'];

interface Link {
  readonly feed: string;
  readonly person: string;
  readonly url: string;
}

const service = await startService({ after }, { now: Temporal.Now.instant().toString() });
const folder = await newFolder({ after });
const file = (name: string) => join(folder, name);

before(async () => {
  const people = ['Noor', '=Sam, "S"', 'Robin'].map((name, i) => ({ id: i + 1, name }));
  const shifts = [1, 2, null].map((person_id, i) => shift(TOMORROW, { id: 501 + i, person_id }));
  await service.import(acme(shifts, { account: { ...ACME, premium: true }, people }));
  await writeFile(file('website.token'), await service.token('acme'));
  const { code } = await shiftfeed(['gateway', 'links', '--new-secret', file('website.secret')]);
  assert.equal(code, 0);
  await writeFile(file('numbers.json'), '{}');
});

test('a secret is made in a file of its own, for its user alone, and never replaced', async () => {
  const made = file('made.secret');
  const first = await shiftfeed(['gateway', 'links', '--new-secret', made]);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  const secret = await readFile(made, 'utf8');
  assert.match(secret, /^[\w-]{43}\n$/);
  assert.ok(!first.stdout.includes(secret.trim()));
  if (process.platform !== 'win32') assert.equal((await stat(made)).mode & 0o777, 0o600);
  const second = await shiftfeed(['gateway', 'links', '--new-secret', made]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /made\.secret is there already/);
  assert.equal(await readFile(made, 'utf8'), secret);
  const elsewhere = await shiftfeed(['gateway', 'links', '--new-secret', file('none/x')]);
  assert.match(elsewhere.stderr, /its folder does not exist/);
  // Nothing unfinished is left behind.
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('made')),
    ['made.secret'],
  );
});

test('a secret is made, and never replaced, where a file system has no hard links', async (t) => {
  t.mock.method(fs, 'link', () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const made = file('unlinked.secret');
  const first = await shiftfeed(['gateway', 'links', '--new-secret', made]);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  const secret = await readFile(made, 'utf8');
  assert.match(secret, /^[\w-]{43}\n$/);
  if (process.platform !== 'win32') assert.equal((await stat(made)).mode & 0o777, 0o600);
  assert.match(
    (await shiftfeed(['gateway', 'links', '--new-secret', made])).stderr,
    /unlinked\.secret is there already/,
  );
  assert.equal(await readFile(made, 'utf8'), secret);
});

test('links are listed for the people of each personal feed, as a table, JSON and CSV', async () => {
  const config = await writeConfig('listed', {
    kitchen: PERSONAL,
    bar: PERSONAL,
    open: { group_ids: 'all' },
  });
  const list = async (...args: string[]) => shiftfeed(['gateway', 'links', config, ...BASE, ...args]);
  const links = JSON.parse((await list('--json')).stdout) as Link[];
  assert.deepEqual(
    links.map(({ feed, person }) => [feed, person]),
    ['kitchen', 'bar'].flatMap((feed) => [
      [feed, '=Sam, "S"'],
      [feed, 'Noor'],
    ]),
  );
  for (const link of links) {
    assert.deepEqual(Object.keys(link), ['feed', 'person', 'url']);
    assert.match(link.url, new RegExp(`^https://shifts\\.example\\.org/${link.feed}/me/[\\w-]{22,}$`));
  }
  assert.equal(new Set(links.map(({ url }) => url)).size, 4);

  const csv = await list('--csv', '--feed', 'bar');
  assert.deepEqual(csv.stdout.split('\n'), [
    'feed,person,url',
    `bar,"=Sam, ""S""",${links[2]?.url}`,
    `bar,Noor,${links[3]?.url}`,
    '',
  ]);
  assert.match(csv.stderr, /A spreadsheet may take some of the names for a formula/);
  const table = await list('--feed', 'kitchen');
  assert.match(table.stdout, /^FEED {5}PERSON {5}URL\nkitchen {2}=Sam, "S" {2}https:/);

  const here = await shiftfeed(['gateway', 'links', config, '--json']);
  assert.match(here.stderr, /addresses are those of this machine: --base-url/);
  assert.equal(
    JSON.parse(here.stdout)[1].url,
    links[1]?.url.replace('https://shifts.example.org', 'http://127.0.0.1:8090'),
  );
});

test('one person is named in any spelling, also without shifts or a service, with a QR code on a terminal', async () => {
  const config = await writeConfig('named', { kitchen: PERSONAL });
  const name = (person: string, ...args: string[]) =>
    shiftfeed(['gateway', 'links', config, ...BASE, '--person', person, ...args]);
  const all = JSON.parse((await shiftfeed(['gateway', 'links', config, ...BASE, '--json'])).stdout) as Link[];
  const found = await name(' nOOR', '--json');
  assert.deepEqual(
    [JSON.parse(found.stdout), found.stderr],
    [all.filter(({ person }) => person === 'Noor'), ''],
  );
  const without = await name('Robin');
  assert.match(without.stdout, /kitchen {2}Robin {3}https:/);
  assert.match(without.stderr, /Nobody called "Robin" has shifts in kitchen just now/);
  const away = await writeConfig('away', { kitchen: PERSONAL }, 'http://127.0.0.1:1/acme');
  const alone = await shiftfeed(['gateway', 'links', away, ...BASE, '--person', 'Noor', '--json']);
  assert.deepEqual(JSON.parse(alone.stdout), JSON.parse(found.stdout));
  assert.match(alone.stderr, /Whether "Noor" has shifts in kitchen is not known/);

  const shown = await shiftfeed(['gateway', 'links', config, ...BASE, '--person', 'Noor'], {
    isTerminal: true,
  });
  const [url = '', ...code] = shown.stdout.split('\n');
  assert.equal(url, `Noor, kitchen: ${all[1]?.url}`);
  // Two rows of margin, then the upper corners of a code.
  assert.match(code[2] ?? '', /^\S+m {4}█▀▀▀▀▀█ .+ █▀▀▀▀▀█ {4}\S+$/);
});

test('a gateway answers links, tells nobody of them, and gives another one within max_age', async (context) => {
  const config = await writeConfig('answered', { kitchen: PERSONAL });
  const linksNow = async () =>
    JSON.parse(
      (await shiftfeed(['gateway', 'links', config, '--json', '--person', 'Noor'])).stdout,
    ) as Link[];
  const args = ['gateway', config, '--port', '0', '--admin-port', '0', '--log-level', 'info'];
  const gateway = await startHere(context, args, {});
  await gateway.nextLine();
  const metricsUrl = /http\S+/.exec(await gateway.nextLine())?.[0] ?? '';
  const path = new URL((await linksNow())[0]?.url ?? '').pathname;
  const link = path.split('/').at(-1) ?? '';
  const statusOf = async (target: string) => (await fetch(gateway.url + target)).status;

  // A busy machine may take too long to read a feed for the first time.
  await until('the feed is read', async () => (await statusOf(path)) === 200);
  for (const form of ['/shifts', '/shifts.ics']) assert.equal(await statusOf(path + form), 200);
  const { shifts } = (await (await fetch(`${gateway.url}${path}/shifts`)).json()) as { shifts: object[] };
  assert.deepEqual(
    shifts.map((one) => 'id' in one && one.id),
    [501],
  );
  assert.deepEqual(await told(`${gateway.url}${path}x`), await told(`${gateway.url}/nothing`));
  assert.equal(await statusOf(`${path}/shifts?date_from=${link}`), 400);

  await writeFile(file('numbers.json'), '{ "noor": 2 }');
  await until('the old link has ended', async () => (await statusOf(path)) === 404);
  assert.equal(await statusOf(new URL((await linksNow())[0]?.url ?? '').pathname), 200);
  await writeFile(file('numbers.json'), '{ "noor": "Secretname" }');
  await until('a wrong file is told', () =>
    /Personal links stay as they were: .*that of name 1 is not/.test(gateway.complaints()),
  );
  await writeFile(file('numbers.json'), '{ "Noorr": 2 }');
  await until('a misspelt name and a number that went down are told', () =>
    ['has name 1 of the numbers of links', 'name 1 of before has none any more'].every((sentence) =>
      gateway.complaints().includes(sentence),
    ),
  );
  const { stderr } = await shiftfeed(['gateway', 'links', config]);
  assert.match(stderr, /The links file has "Noorr", but nobody of that name has shifts just now/);
  assert.match(gateway.complaints(), /has none any more\. The file is \S+numbers\.json\./);
  await writeFile(file('numbers.json'), '{}');
  await until('the first link is back', async () => (await statusOf(path)) === 200);

  await until('visits are logged', () =>
    gateway.complaints().includes('"route":"personal-calendar","path":"/kitchen/me/…/shifts.ics"'),
  );
  const metrics = await (await fetch(metricsUrl)).text();
  assert.match(metrics, /requests_total\{route="personal-json",status="200"\} 2/);
  for (const text of [gateway.complaints(), metrics, gateway.lines.join()]) {
    assert.ok(!text.includes(link.slice(0, 12)));
    assert.doesNotMatch(text, /noor|Secretname/i);
  }
});

test('a secret that every user can read is told, and one that is missing or short ends the start', async () => {
  const config = await writeConfig('modes', { kitchen: PERSONAL });
  if (process.platform !== 'win32') {
    await chmod(file('website.secret'), 0o644);
    const { stderr } = await shiftfeed(['gateway', 'links', config, ...BASE]);
    assert.match(stderr, /Every user of this machine can read the secret of personal links: "chmod 600 /);
    await chmod(file('website.secret'), 0o600);
  }
  await writeFile(file('short.secret'), 'x'.repeat(31));
  await writeFile(file('wrong.json'), '{ "Hidden": 2, "Hidden": 3 }');
  for (const [change, sentence] of [
    [{ links_secret_file: 'none' }, /The file with the secret of links .*none does not exist/],
    [{ links_secret_file: 'short.secret' }, /must have at least 32 bytes\. The file is .*short\.secret/],
    [
      { links_secret_file: undefined },
      /feeds\.kitchen\.personal: .*"shiftfeed gateway links --new-secret FILE"/,
    ],
    [{ links_file: 'none.json' }, /The links file .*none\.json does not exist/],
    [{ links_file: 'wrong.json' }, /wrong\.json has a problem in line 1, column 16: a name is there twice/],
  ] as const) {
    const wrong = await writeConfig('wrong-config', { kitchen: PERSONAL }, undefined, change);
    for (const args of [
      ['gateway', wrong],
      ['gateway', 'links', wrong],
    ]) {
      const { code, stdout, stderr } = await shiftfeed(args);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, sentence);
      assert.doesNotMatch(stderr, /Hidden/);
    }
  }
});

for (const [what, feeds, args, sentence] of [
  ['no configuration', undefined, [], /Name the configuration of the gateway, or --new-secret/],
  [
    'no personal feed',
    { a: { group_ids: 'all' } },
    [],
    /No feed of the configuration .* has "personal": true/,
  ],
  ['an unknown feed', { a: PERSONAL }, ['--feed', 'b'], /no feed "b" with "personal": true/],
  ['two formats', { a: PERSONAL }, ['--csv', '--json'], /cannot be used with/],
] as const) {
  test(`${what} is told`, async () => {
    const config = feeds === undefined ? [] : [await writeConfig('asked', feeds)];
    const { code, stderr } = await shiftfeed(['gateway', 'links', ...config, ...args]);
    assert.notEqual(code, 0);
    assert.match(stderr, sentence);
  });
}

async function writeConfig(
  name: string,
  feeds: object,
  upstream = `${service.url}/acme`,
  change: object = {},
): Promise<string> {
  const files = {
    token_file: 'website.token',
    links_secret_file: 'website.secret',
    links_file: 'numbers.json',
  };
  await writeFile(file(`${name}.json`), JSON.stringify({ upstream, ...files, feeds, ...change }));
  return file(`${name}.json`);
}

async function told(url: string): Promise<unknown> {
  const response = await fetch(url);
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return [response.status, headers, await response.text()];
}
