/**
 * The café's web server: `npm run example`. It serves the page, and passes on below /rota what the gateway shows of the demo account. A real
 * site runs the service elsewhere, and reads the token from a file; here both are made when it starts, and gone when it ends.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import { createGateway, type FetchHandler, gzip } from '@shiftfeed/gateway';

const PORT = Number(process.env.PORT ?? 8000);
const SHIFTFEED = join(import.meta.dirname, '../../bin/shiftfeed.js');
const PREFIX = '/rota';
/** Nothing inline, and nothing from elsewhere. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'";

const folder = await mkdtemp(join(tmpdir(), 'cafe-'));
const service = await startService(`sqlite:${join(folder, 'cafe.db')}`);
const gateway = await openGateway(service);
const page = await readFile(join(import.meta.dirname, 'index.html'));
const stylesheet = await readFile(join(import.meta.dirname, 'site.css'));

const server = createServer((request, response) => {
  const path = (request.url ?? '/').replace(/\?.*/s, '');
  response.setHeader('content-security-policy', POLICY);
  if (path === '/') send(response, 'text/html; charset=utf-8', page);
  else if (path === '/site.css') send(response, 'text/css; charset=utf-8', stylesheet);
  // Such as a method that fetch does not know.
  else void passOn(gateway, request, response).catch(() => response.writeHead(400).end());
});
server.listen(PORT, '127.0.0.1', () => {
  process.stdout.write(`The café is at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
server.on('error', (error) => {
  process.stderr.write(
    `The café cannot open at port ${PORT}: ${error.message}. PORT=8001 chooses another one.\n`,
  );
  process.exitCode = 1;
  void end();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());

interface Service {
  readonly process: ChildProcess;
  readonly url: string;
  readonly token: string;
}

async function startService(database: string): Promise<Service> {
  const options = ['--demo', '--port', '0', '--drain-seconds', '0', '--database', database];
  const child = spawn(process.execPath, [SHIFTFEED, 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url === undefined) break;
    child.stdout.resume();
    const create = [SHIFTFEED, 'token', 'create', 'demo', '--label', 'café', '--database', database];
    const { stdout } = await promisify(execFile)(process.execPath, create);
    return { process: child, url, token: stdout.trim() };
  }
  throw new Error('The service did not start.');
}

async function openGateway({ url, token }: Service): Promise<FetchHandler> {
  const config = JSON.parse(await readFile(join(import.meta.dirname, 'website.json'), 'utf8'));
  return createGateway({
    config: { ...config, upstream: `${url}/demo` },
    token,
    pathPrefix: PREFIX,
    scripts: browserFiles(),
    compressors: { gzip },
  });
}

async function passOn(
  handler: FetchHandler,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const answer = await handler(new Request(`http://127.0.0.1${url}`, { method, headers: asked }));
  const body = new Uint8Array(await answer.arrayBuffer());
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
}

function send(response: ServerResponse, type: string, body: Uint8Array): void {
  response.setHeader('content-type', type);
  response.end(body);
}

async function end(): Promise<void> {
  server.closeAllConnections();
  server.close();
  service.process.kill();
  await once(service.process, 'exit');
  await rm(folder, { recursive: true, force: true });
}
