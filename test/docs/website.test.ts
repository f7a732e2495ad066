/** The commands and snippets of docs/website.md, run one after the other as a reader would. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readConfig, SHOW_KEYS } from '@shiftfeed/gateway';
import { start, whenReady } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANUAL = readFileSync(join(ROOT, 'docs/website.md'), 'utf8');
const blocks = (mark: string) =>
  [...MANUAL.matchAll(new RegExp(`^\`\`\`${mark}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
const commands = blocks('sh').flatMap((block) =>
  [...block.matchAll(/^shiftfeed (.+)$/gm)].map(([, line = '']) => line),
);

/** Not today, which may be over before the test is. */
const TOMORROW = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();
const DAY_AFTER = Temporal.PlainDate.from(TOMORROW).add({ days: 1 }).toString();
const SECRET = 'not-for-visitors';
const service = await startService({ after }, { now: Temporal.Now.instant().toString() });
await service.import(
  acme(
    [
      shift(TOMORROW, { id: 501, remarks: SECRET }),
      shift(TOMORROW, { id: 502, group_id: 3 }),
      shift(TOMORROW, { id: 503, end_date: DAY_AFTER, person_id: 7 }),
    ],
    {
      account: { slug: 'demo', premium: true, time_zone: 'UTC' },
      groups: [
        { id: 1, name: 'Kitchen & Bar' },
        { id: 3, name: SECRET, private: true },
      ],
      people: [{ id: 7, name: 'Noor Smit' }],
    },
  ),
);
const folder = await newFolder({ after });
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
const config = (blocks('json')[0] ?? '').replace('http://127.0.0.1:8080', service.url);
await writeFile(join(folder, 'website.json'), config);

test('the first way leads from nothing to a page, a calendar and JSON', async (context) => {
  const [create = '', run = ''] = commands;
  const [args = '', file = ''] = create.split(' > ');
  const { code, stdout } = await shiftfeed(args.split(' '), { databaseUrl: service.databaseUrl });
  assert.equal(code, 0);
  await writeFile(join(folder, file), stdout);

  const gateway = await whenReady(context, start([...run.split(' '), '--port', '0'], { cwd: folder }));
  const printed = `${gateway.lines[0]}\n${await gateway.nextLine()}\n`;
  assert.equal(printed.replaceAll(gateway.url, 'http://127.0.0.1:8090'), blocks('text')[0]);

  const [frame = ''] = blocks('html');
  const page = new URL(/src="([^"]+)"/.exec(frame)?.[1] ?? '').pathname;
  const told = [...MANUAL.matchAll(/^\| `(\/kitchen\S*)` \|/gm)].map(([, path = '']) => path);
  assert.deepEqual(told, [page, '/kitchen/board', '/kitchen/shifts', '/kitchen/live', '/kitchen/shifts.ics']);
  const queries = [...MANUAL.matchAll(/`\??((?:date_from|group_ids)=\S+)`/g)].map(([, query]) => `?${query}`);
  assert.equal(queries.length, 2);
  for (const target of [...told, ...queries.map((query) => page + query)]) {
    const response = await fetch(gateway.url + target);
    assert.equal(response.status, 200, target);
    // A stream does not end.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      continue;
    }
    const body = await response.text();
    assert.ok(!body.includes(SECRET), target);
  }
  const [, lines = ''] = blocks('html');
  const [origin] = JSON.parse(config).feeds.kitchen.origins;
  const addresses = [...lines.matchAll(/src="https:\/\/shifts\.example\.org([^"]+)"/g)];
  assert.deepEqual(
    addresses.map(([, path]) => path),
    ['/shift-calendar.js', '/kitchen/shifts'],
  );
  for (const [, path = ''] of addresses) {
    const { status, headers } = await fetch(`${gateway.url}${path}`, { headers: { origin } });
    assert.equal(status, 200, path);
    assert.match(headers.get('access-control-allow-origin') ?? '', /^\*$|^https:\/\/www\.example\.org$/);
  }
  const { shifts } = (await (await fetch(`${gateway.url}/kitchen/shifts`)).json()) as {
    shifts: { id: number }[];
  };
  assert.deepEqual(
    shifts.map(({ id }) => id),
    [501, 503],
  );
});

test('every key of the configuration is described', () => {
  const keys = [
    'upstream',
    'token_file',
    'links_secret_file',
    'links_file',
    'time_zone',
    'calendar_id',
    'feeds',
  ];
  const ofFeed = [
    'title',
    'group_ids',
    'show',
    'days_back',
    'days_ahead',
    'cancelled',
    'unpublished',
    'origins',
    'max_age',
    'language',
    'personal',
  ];
  for (const key of [...keys, ...ofFeed]) assert.match(MANUAL, new RegExp(`^\\|.*\`${key}\`.*\\|`, 'm'), key);
  const show = /^\| `show` \|.*$/m.exec(MANUAL)?.[0] ?? '';
  for (const key of SHOW_KEYS) assert.ok(show.includes(`\`${key}\``), key);
  assert.equal(readConfig(JSON.parse(config)).feeds.length, 1);
});

test('the way to personal links leads to the shifts of one person', async (context) => {
  const personal = await newFolder(context);
  const [, example = ''] = blocks('json');
  await writeFile(join(personal, 'website.json'), example.replace('http://127.0.0.1:8080', service.url));
  await writeFile(join(personal, 'website.token'), await service.token('demo'));
  await writeFile(join(personal, 'links.json'), '{}');
  const [make = '', list = '', one = ''] = commands.filter((line) => line.startsWith('gateway links'));
  const wordsOf = (line: string) =>
    [...line.matchAll(/"([^"]+)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  for (const line of [make, list, `${one} --json`]) {
    const { code, stdout, stderr } = await shiftfeed(wordsOf(line), { cwd: personal });
    assert.equal(code, 0, stderr);
    if (line === list)
      assert.match(stdout, /kitchen {2}Noor Smit {2}https:\/\/shifts\.example\.org\/kitchen\/me\//);
    if (!line.endsWith('--json')) continue;
    const [{ url }] = JSON.parse(stdout) as [{ url: string }];
    const gateway = await whenReady(
      context,
      start(['gateway', 'website.json', '--port', '0'], { cwd: personal }),
    );
    const answer = await fetch(`${gateway.url}${new URL(url).pathname}/shifts`);
    const { shifts } = (await answer.json()) as { shifts: { id: number }[] };
    assert.deepEqual(
      shifts.map(({ id }) => id),
      [503],
    );
  }
});

test('the snippet for a server lists what it names', async () => {
  const [code = ''] = blocks('js');
  await writeFile(join(folder, 'list.mjs'), code);
  const env = {
    ...process.env,
    SHIFTFEED_URL: `${service.url}/demo`,
    SHIFTFEED_TOKEN: await service.token('demo'),
  };
  const child = spawn(process.execPath, [join(folder, 'list.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual(stdout.match(/(?<=<li>).*(?=<\/li>)/g), [
    `${TOMORROW} 09:00–17:00 Kitchen &#38; Bar`,
    `${TOMORROW} 09:00 – ${DAY_AFTER} 17:00 Kitchen &#38; Bar`,
  ]);
});

test('the snippet for a worker answers as the gateway does, and waits for what is renewed', async () => {
  const [, code = ''] = blocks('js');
  await writeFile(join(folder, 'worker.mjs'), code);
  const { default: worker } = await import(pathToFileURL(join(folder, 'worker.mjs')).href);
  const waited: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => waited.push(work) };
  const env = { SHIFTFEED_TOKEN: await service.token('demo') };
  const response = await worker.fetch(new Request('https://gw.example.org/kitchen/shifts'), env, context);
  assert.equal(response.status, 200);
  assert.equal(waited.length, 1);
});

test("the snippets of the gateway's own page work with the address of an account", async (context) => {
  const manual = readFileSync(join(ROOT, 'kit/gateway/README.md'), 'utf8');
  const [first = '', second = '', packed = '', node = '', third = ''] = [
    ...manual.matchAll(/^```js\n(.*?)^```$/gms),
  ].map(([, code = '']) => code);
  const address = 'https://shifts.example.org/acme';
  process.env.SHIFTFEED_TOKEN = await service.token('demo');
  process.env.LINKS_SECRET = 'a secret that is long enough to be one';
  const compressing = `${packed}
    const shifts = await gateway(new Request('https://www.example.org/kitchen/shifts'));`;
  const run = async (name: string, code: string) => {
    assert.ok(code.includes(address));
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, `${code.replace(address, `${service.url}/demo`)}\nexport { ${name} as result };`);
    return (await import(pathToFileURL(file).href)).result;
  };
  for (const [name, code] of Object.entries({ response: first, script: second, shifts: compressing }))
    assert.equal((await run(name, code)).status, 200, name);
  const server: Server = await run('server', packed + node.replace('8090', '0'));
  context.after(() => server.close().closeAllConnections());
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [method, path, status] of [
    ['TRACE', '/kitchen/shifts', 400],
    ['GET', '//', 404],
    ['GET', '/kitchen/shifts', 200],
  ] as const) {
    const [response] = await once(request({ port, method, path }).end(), 'response');
    assert.equal(response.resume().statusCode, status, method + path);
  }
  const listing = third.replace(address, `${service.url}/demo`).replace('console.log(', 'found.push(');
  await writeFile(join(folder, 'links.mjs'), `export const found = [];\n${listing}`);
  const { found } = await import(pathToFileURL(join(folder, 'links.mjs')).href);
  assert.match(found.join(' '), /^Noor Smit \/kitchen\/me\/[\w-]+$/);
  delete process.env.SHIFTFEED_TOKEN;
  delete process.env.LINKS_SECRET;
});
