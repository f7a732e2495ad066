/** The configurations for nginx in the docs, in front of what they are for. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { startServer } from '../support/cli.ts';
import { acme, shift } from '../support/document.ts';
import { listenTo } from '../support/event-stream.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { skipsWithout } from '../support/installed.ts';
import { listen } from '../support/listening.ts';
import { startNginx } from '../support/proxies.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANUAL = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
const WEBSITE = readFileSync(join(ROOT, 'docs/website.md'), 'utf8');
const [, COMMAND = '', SNIPPET = ''] =
  /^shiftfeed serve --port 8080 (--base-url .+)\n```\n\n```nginx\n(.*?)^```$/ms.exec(MANUAL) ?? [];

/** Another loopback address than that of nginx, where a machine has one without being asked. */
const CLIENT_ADDRESS = process.platform === 'linux' ? '127.0.0.5' : '127.0.0.1';

test('behind nginx, links lead back through it, and clients have the address that nginx sees', async (t) => {
  if (skipsWithout(t, ['nginx', '-v'], 'nginx-light')) return;
  const days = Array.from({ length: 3 }, (_, i) => shift(`2099-12-0${i + 1}`));
  const { databaseUrl, token } = await filledDatabase(t, acme(days));
  const server = await startServer(t, [...COMMAND.split(' '), '--log-level', 'info'], { databaseUrl });
  let log = '';
  server.child.stderr?.on('data', (text) => {
    log += text;
  });
  const { port } = await startNginx(t, (free) => withoutCertificate(server.url, free));

  const ask = async (query: string) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      localAddress: CLIENT_ADDRESS,
      path: `/acme/api/v1/shifts?years=2099&${query}`,
      // The client makes an address up.
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '198.51.100.7' },
      agent: false,
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { shifts } = (await json(response)) as { shifts: object[] };
    return { status: response.statusCode, shifts: shifts?.length, link: String(response.headers.link) };
  };
  const first = await ask('per_page=1');
  assert.partialDeepStrictEqual(first, { status: 200, shifts: 1 });
  assert.match(first.link, /<https:\/\/shifts\.example\.org\/acme\/api\/v1\/shifts\?/);
  // Longer than nginx takes by itself, in both directions.
  for (const length of [1_500, 3_000, 6_000]) {
    const long = await ask(`per_page=1&group_ids=${'1,'.repeat(length)}1`);
    assert.partialDeepStrictEqual(long, { status: 200, shifts: 1 });
  }
  // Of a stream, nothing is held back. Without its configuration, nginx asks by HTTP/1.0.
  const bare = await startNginx(
    t,
    (free) => `server { listen 127.0.0.1:${free}; location / { proxy_pass ${server.url}; } }`,
  );
  for (const through of [port, bare.port]) {
    const stream = await listenTo(`http://127.0.0.1:${through}/acme/api/v1/shifts`, token);
    await stream.event(1);
    stream.leave();
  }
  await until('the request is in the log', () => log.includes('"route"'));
  assert.match(log, new RegExp(`"address":"${CLIENT_ADDRESS}"`));
  assert.ok(!log.includes('198.51.100.7'));
});

test('behind nginx, personal links are in none of its logs, also when the gateway is away', async (t) => {
  if (skipsWithout(t, ['nginx', '-v'], 'nginx-light')) return;
  const [, snippet = ''] = /^```nginx\n(location ~ .*?)^```$/ms.exec(WEBSITE) ?? [];
  const gateway = createServer((_, response) => response.end('shifts'));
  const host = `127.0.0.1:${await listen(t, gateway)}`;
  const { port, folder } = await startNginx(
    t,
    (free, logs) => `access_log ${logs}/access.log; error_log ${logs}/error.log info;
      server { listen 127.0.0.1:${free}; ${snippet.replace('127.0.0.1:8090', host)}
        location / { proxy_pass http://${host}; } }`,
  );
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  for (const form of ['', '/shifts', '/shifts.ics']) {
    assert.equal(await statusOf(`/kitchen/me/SecretLink${form}`), 200);
  }
  gateway.closeAllConnections();
  gateway.close();
  await once(gateway, 'close');
  assert.equal(await statusOf('/kitchen/me/SecretLink/shifts'), 502);
  assert.equal(await statusOf('/kitchen/shifts'), 502);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  await until('the other visit is in the log', () => read('access.log').includes('/kitchen/shifts'));
  assert.match(read('error.log'), /GET \/kitchen\/shifts/);
  assert.doesNotMatch(read('access.log') + read('error.log'), /SecretLink/);
});

test('whichever configuration is copied, clients cannot make up the address that nginx passes on', async (t) => {
  if (skipsWithout(t, ['nginx', '-v'], 'nginx-light')) return;
  const told: unknown[] = [];
  const upstream = createServer(({ url, headers }, response) => {
    if (url !== '/healthz') told.push(headers['x-forwarded-for']);
    response.end();
  });
  const upstreamUrl = `http://127.0.0.1:${await listen(t, upstream)}`;
  const snippets = await nginxSnippets();
  assert.ok(snippets.length >= 3);
  for (const { file, snippet } of snippets) {
    const { port } = await startNginx(t, (free) =>
      withoutCertificate(upstreamUrl, free, snippet.startsWith('location') ? inServer(snippet) : snippet),
    );
    told.length = 0;
    const sent = request({
      host: '127.0.0.1',
      port,
      localAddress: CLIENT_ADDRESS,
      path: '/kitchen/me/SecretLink/shifts',
      headers: { 'x-forwarded-for': '198.51.100.7' },
      agent: false,
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    assert.deepEqual(
      { file, told, status: response.statusCode },
      { file, told: [CLIENT_ADDRESS], status: 200 },
    );
  }
});

async function nginxSnippets(): Promise<readonly { readonly file: string; readonly snippet: string }[]> {
  const files = await Array.fromAsync(
    glob('{*.md,{docs,kit,examples,deploy}/**/*.md}', { cwd: ROOT, exclude: ['**/node_modules'] }),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```nginx\n(.*?)^```$/gms)].map(
      ([, snippet = '']) => ({ file, snippet }),
    ),
  );
}

function inServer(locations: string): string {
  return `server { listen 443 ssl; location = /healthz { return 200; } ${locations} }`;
}

/** A configuration with the certificate left out. */
function withoutCertificate(serviceUrl: string, port: number, snippet = SNIPPET): string {
  return `access_log off; ${snippet
    .replace(/127\.0\.0\.1:80[789]0/, new URL(serviceUrl).host)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*\n/gm, '')}`;
}
