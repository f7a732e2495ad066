import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { exitOf, start, whenReady } from '../support/cli.ts';
import { shiftfeed, startHere } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { ACME, acme, shift } from '../support/document.ts';
import { listen } from '../support/listening.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { untilYoungSpaceIsLarge } from '../support/young-space.ts';

/** Not today, which may be over before the test is. */
const TOMORROW = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();
const SECRET = 'SecretRemark';

const service = await startService({ after }, { now: Temporal.Now.instant().toString() });
await service.import(
  acme([shift(TOMORROW, { id: 501, remarks: SECRET })], { account: { ...ACME, premium: true } }),
);
const folder = await newFolder({ after });

test('a gateway shows the shifts of an account, and its token is nowhere to be seen', async (context) => {
  const token = await service.token('acme');
  const config = await writeConfig('shown', { kitchen: { title: 'Kitchen', group_ids: [1] } });
  await writeFile(join(folder, 'website.token'), `${token}\n`);
  const args = ['gateway', config, '--port', '0', '--admin-port', '0', '--log-level', 'info'];
  const gateway = await whenReady(context, start(args, {}));
  assert.match(gateway.lines[0] ?? '', /^Shiftfeed's gateway listens on http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await gateway.nextLine(), `  Kitchen: ${gateway.url}/kitchen`);
  const metricsUrl = /http\S+/.exec(await gateway.nextLine())?.[0] ?? '';

  let seen = '';
  for (const path of [
    '/kitchen/shifts',
    '/kitchen/shifts.ics',
    '/kitchen',
    '/gateway.css',
    '/nothing',
    '/kitchen?x=1',
  ]) {
    const response = await fetch(gateway.url + path);
    seen += `${JSON.stringify([...response.headers])}${await response.text()}`;
  }
  assert.match(seen, /"id":501/);
  assert.match(seen, /UID:kitchen-501@shiftfeed\r\nDTSTAMP:(\w+)\r\nLAST-MODIFIED:\1\r\nSEQUENCE:\d{9}\r\n/);
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);

  const metrics = await (await fetch(metricsUrl)).text();
  assert.match(metrics, /shiftfeed_gateway_requests_total\{route="json",status="200"\} 1/);
  assert.match(metrics, /shiftfeed_gateway_upstream_requests_total\{status="200"\} \d+/);
  assert.match(metrics, /shiftfeed_gateway_refreshes_total\{feed="kitchen",outcome="done"\} 1/);
  assert.match(metrics, /shiftfeed_gateway_feed_up\{feed="kitchen"\} 1/);
  await untilYoungSpaceIsLarge(gateway.url, metricsUrl);
  assert.match(metrics, /shiftfeed_gateway_last_refresh_timestamp_seconds\{feed="kitchen"\} \d{10}/);

  await until('the visits are logged', () => gateway.complaints().includes('"route":"calendar"'));
  assert.match(gateway.complaints(), /^\{"level":"info",.*"route":"calendar"/m);
  assert.match(
    gateway.complaints(),
    /^\{"level":"warn",.*"msg":"Events of calendars may have the same identity as those of another gateway/m,
  );
  const processList =
    process.platform === 'linux' ? readFileSync(`/proc/${gateway.child.pid}/cmdline`, 'utf8') : '';
  const [code] = await exitOf(gateway.child);
  assert.equal(code, 0);
  for (const [where, text] of Object.entries({ seen, metrics, logs: gateway.complaints(), processList })) {
    assert.ok(!text.includes(token), where);
    assert.ok(!text.includes(SECRET), where);
    assert.ok(!text.includes('/acme'), where);
  }
});

test('a revoked token ends the feed, and a new one in the file brings it back', async (context) => {
  const first = await service.token('acme');
  const config = await writeConfig('replaced', { kitchen: { group_ids: 'all', max_age: 1 } });
  await writeFile(join(folder, 'website.token'), first);
  const { url, complaints } = await startHere(context, ['gateway', config, '--port', '0'], {});
  const status = async () => (await fetch(`${url}/kitchen/shifts`)).status;
  assert.equal(await status(), 200);
  await revokeAll();
  await until('the feed has ended', async () => (await status()) === 503);
  await writeFile(join(folder, 'website.token'), await service.token('acme'));
  await until('the feed is back', async () => (await status()) === 200);
  assert.match(
    complaints(),
    /The feed kitchen has ended, because its upstream answered 401: Invalid or expired API token/,
  );
  assert.ok(!complaints().includes(first));
});

test('an upstream that is away at the start is told, and waited for', async (context) => {
  const config = await writeConfig('away', { kitchen: { group_ids: 'all' } }, 'http://127.0.0.1:1/acme');
  const args = ['gateway', config, '--port', '0', '--base-url', 'https://shifts.example.org'];
  const { url, complaints } = await startHere(context, args, { env: { SHIFTFEED_TOKEN: 'shiftfeed_x' } });
  assert.equal((await fetch(`${url}/kitchen/shifts`)).status, 503);
  await until('it is told', () =>
    /The feed kitchen could not be renewed: The server could not be reached/.test(complaints()),
  );
  assert.doesNotMatch(complaints(), /identity/);
});

test('a plan that changes all the while that it is read is shown, and the owner is told', async (context) => {
  let answers = 0;
  const busy = createServer((_, response) => {
    const meta = { total: 0, page: 1, per_page: 500, total_pages: 0 };
    response.setHeader('shiftfeed-time-zone', 'UTC').setHeader('shiftfeed-listing', `state-${++answers}`);
    response.end(JSON.stringify({ shifts: [], meta }));
  });
  const upstream = `http://127.0.0.1:${await listen(context, busy)}/acme`;
  const config = await writeConfig('busy', { kitchen: { group_ids: 'all' } }, upstream);
  const args = ['gateway', config, '--port', '0', '--admin-port', '0'];
  const gateway = await startHere(context, args, { env: { SHIFTFEED_TOKEN: 'shiftfeed_x' } });
  await gateway.nextLine();
  const metricsUrl = /http\S+/.exec(await gateway.nextLine())?.[0] ?? '';
  assert.equal((await fetch(`${gateway.url}/kitchen/shifts`)).status, 200);
  await until('it is told', () =>
    /The feed kitchen changed all the while that it was read/.test(gateway.complaints()),
  );
  const metrics = await (await fetch(metricsUrl)).text();
  assert.match(metrics, /shiftfeed_gateway_refreshes_total\{feed="kitchen",outcome="mixed"\} 1/);
});

const WRONG: readonly [what: string, text: string, sentence: RegExp][] = [
  [
    'a file that is not JSON',
    '{\n  "upstream": x\n}',
    /wrong\.json has a problem in line 2, column 15: this is not JSON/,
  ],
  [
    'a key that is there twice',
    '{"feeds":{"a":{"show":[],"show":[]}}}',
    /line 1, column 26: the key feeds\.a\.show is there twice/,
  ],
  [
    'problems',
    '{"upstream":"http://a.example/b","feeds":{"a":{}}}',
    /wrong\.json has a problem.*\n +feeds\.a\.group_ids: this is missing/,
  ],
  [
    'no token',
    '{"upstream":"http://a.example/b","feeds":{"a":{"group_ids":"all"}}}',
    /There is no token: set the variable SHIFTFEED_TOKEN/,
  ],
  [
    'a token file that is missing',
    '{"upstream":"http://a.example/b","token_file":"none","feeds":{"a":{"group_ids":"all"}}}',
    /The token file .*none does not exist/,
  ],
  [
    'a token file that holds more',
    '{"upstream":"http://a.example/b","token_file":"wrong.json","feeds":{"a":{"group_ids":"all"}}}',
    /The token file .*wrong\.json must hold a token and nothing else/,
  ],
];

for (const [what, text, sentence] of WRONG) {
  test(`${what} is told before anything starts`, async () => {
    const file = join(folder, 'wrong.json');
    await writeFile(file, text);
    const { code, stdout, stderr } = await shiftfeed(['gateway', file]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, sentence);
  });
}

test('a configuration that does not exist is told by its name', async () => {
  const { code, stderr } = await shiftfeed(['gateway', join(folder, 'nowhere.json')]);
  assert.equal(code, 1);
  assert.match(stderr, /The configuration .*nowhere\.json does not exist/);
});

async function writeConfig(name: string, feeds: object, upstream = `${service.url}/acme`): Promise<string> {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify({ upstream, token_file: 'website.token', feeds }));
  return file;
}

async function revokeAll(): Promise<void> {
  const account = await service.store.findAccount('acme');
  for (const { id } of await service.store.tokens(account?.id ?? 0)) {
    await service.store.revokeToken(id, service.nowMs);
  }
}
