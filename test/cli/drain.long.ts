/** Servers are restarted one after the other behind the proxies as deploy/ configures them, under load: nobody notices. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ShiftfeedClient } from '@shiftfeed/client';
import { start, whenReady } from '../support/cli.ts';
import type { Cleanup } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { skipsWithout } from '../support/installed.ts';
import { freePort } from '../support/listening.ts';
import { startHaproxy, startNginx } from '../support/proxies.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../deploy', file), 'utf8');
const CLIENTS = 8;
/** A page is answered by a server that shows itself in its links. */
const PAGE = '/acme/api/v1/shifts?day=2026-12-01&per_page=1';
/** As when it is left out. */
const DRAIN_SECONDS = '5';

for (const [name, packageName, startProxy] of [
  ['haproxy', 'haproxy', withHaproxy],
  ['haproxy', 'haproxy', withHaproxyThatAsksOnce],
  ['nginx', 'nginx-light', withNginx],
] as const) {
  test(`behind ${name} (${startProxy.name}), no request is lost when servers are restarted, and streams go on`, async (t) => {
    if (skipsWithout(t, [name, '-v'], packageName)) return;
    const shifts = [shift('2026-12-01'), shift('2026-12-01')];
    const { databaseUrl, token, write } = await filledDatabase(t, acme(shifts));
    const servers = await Promise.all(['api-1', 'api-2'].map((server) => startAt(t, server, databaseUrl)));
    const proxyPort = await startProxy(
      t,
      servers.map(({ port }) => port),
    );
    const client = new ShiftfeedClient({ url: `http://127.0.0.1:${proxyPort}/acme`, token });
    // As good as never, so that whatever comes was heard.
    const steps = client.watch({ day: '2026-12-01' }, { everyMs: 2 ** 31 - 1 });
    await steps.next();
    const changed = steps.next();
    const load = startLoad(t, proxyPort, token);
    for (const server of servers) {
      await load.answeredBy(server.name);
      await server.restart();
      await load.answeredBy(server.name);
    }
    const { answers, lost } = await load.end();
    assert.deepEqual({ lost, isMuch: answers > 1_000 }, { lost: [], isMuch: true });
    await write(acme([shift('2026-12-01')]));
    const step = await Promise.race([changed, pause(LIMIT_MS, undefined, { ref: false })]);
    assert.equal(step?.value?.added.length, 1);
    await steps.return();
  });
}

async function withHaproxy(
  context: TestContext,
  ports: readonly number[],
  change = (config: string) => config,
): Promise<number> {
  const configure = (port: number) =>
    change(withServers(read('haproxy.cfg'), ports)).replace('bind :8080', `bind 127.0.0.1:${port}`);
  return (await startHaproxy(context, configure)).port;
}

/** What it cannot get an answer to is lost, so nothing but the draining helps. */
async function withHaproxyThatAsksOnce(context: TestContext, ports: readonly number[]): Promise<number> {
  return withHaproxy(context, ports, (config) =>
    config.replace('retries 2', 'retries 0').replaceAll(/^ *(option redispatch|retry-on).*\n/gm, ''),
  );
}

async function withNginx(context: TestContext, ports: readonly number[]): Promise<number> {
  const configure = (port: number) =>
    `access_log off; ${withServers(read('nginx.conf'), ports).replace('listen 8080;', `listen 127.0.0.1:${port};`)}`;
  return (await startNginx(context, configure)).port;
}

function withServers(config: string, ports: readonly number[]): string {
  const local = ports.reduce(
    (text, port, i) => text.replace(`10.0.0.1${i + 1}:8080`, `127.0.0.1:${port}`),
    config,
  );
  assert.doesNotMatch(local, /10\.0\.0/);
  return local;
}

async function startAt(context: Cleanup, name: string, databaseUrl: string) {
  const port = await freePort();
  const args = ['serve', '--port', String(port), '--base-url', `http://${name}`];
  const options = { databaseUrl, env: { SHIFTFEED_DRAIN_SECONDS: DRAIN_SECONDS } };
  const run = () => whenReady(context, start(args, options));
  let { child } = await run();
  return {
    name,
    port,
    async restart(): Promise<void> {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
      ({ child } = await run());
    },
  };
}

/** Clients that ask again and again, and count what went wrong. */
function startLoad(context: Cleanup, port: number, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  context.after(() => agent.destroy());
  const seen = new Map<string, number>();
  const lost: unknown[] = [];
  let answers = 0;
  let isEnding = false;

  async function ask(): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ agent, port, path: PAGE, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${body}`);
    const [, server = ''] = /<http:\/\/(api-\d)/.exec(response.headers.link as string) ?? [];
    seen.set(server, (seen.get(server) ?? 0) + 1);
    answers++;
  }
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isEnding) await ask().catch((error: unknown) => lost.push(error));
  });

  return {
    /** Resolves when that server has answered some more. */
    async answeredBy(name: string): Promise<void> {
      const enough = (seen.get(name) ?? 0) + CLIENTS;
      await until(`${name} answers`, () => (seen.get(name) ?? 0) >= enough);
    },
    async end() {
      isEnding = true;
      await Promise.all(clients);
      return { answers, lost };
    },
  };
}
