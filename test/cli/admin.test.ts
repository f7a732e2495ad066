import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type Child, type Server, startServer as startProcess } from '../support/cli.ts';
import { shiftfeed, startServer } from '../support/cli-in-process.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { listen } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { childrenOf, descriptorsOf, isAlive } from '../support/processes.ts';
import { endOf } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { untilYoungSpaceIsLarge } from '../support/young-space.ts';

describe('serve --admin-port', { concurrency: 3 }, () => {
  test('counts for Prometheus, on a port of its own', async (t) => {
    const { get, metric, url, metricsUrl } = await startWithMetrics(t, startServer);
    for (const query of ['', '', '?months=13']) await get(query);
    await fetch(`${url}/nowhere`);

    const listing = 'route="/:account/api/v1/shifts"';
    assert.equal(await metric(`shiftfeed_http_requests_total{${listing},status="200"}`), 2);
    assert.equal(await metric(`shiftfeed_http_requests_total{${listing},status="400"}`), 1);
    assert.equal(await metric('shiftfeed_http_requests_total{route="none",status="404"}'), 1);
    assert.equal(await metric(`shiftfeed_http_request_duration_seconds_count{${listing}}`), 3);
    assert.equal(await metric('shiftfeed_month_loads_total'), 1);
    assert.equal(await metric('shiftfeed_month_hits_total'), 1);
    assert.equal(await metric('shiftfeed_database_errors_total'), 0);
    assert.ok((await metric('shiftfeed_freshness_queries_total')) >= 3);
    assert.ok((await metric('shiftfeed_cache_bytes{kind="months"}')) > 0);
    assert.ok((await metric('nodejs_eventloop_lag_p99_seconds')) > 0);

    assert.equal((await fetch(`${url}/metrics`)).status, 404);
    assert.equal((await fetch(metricsUrl.replace('/metrics', '/acme/api/v1/shifts'))).status, 404);
  });

  test('with workers', async (t) => {
    const { get, metric, child } = await startWithMetrics(t, startProcess, '--workers', '2');

    await t.test('adds up what all of them count', async () => {
      // Each on a connection of its own, so that every worker gets some.
      for (let i = 0; i < 8; i++) await get('', { connection: 'close' });
      assert.equal(
        await metric('shiftfeed_http_requests_total{route="/:account/api/v1/shifts",status="200"}'),
        8,
      );
      assert.equal(await metric('shiftfeed_month_loads_total'), 2);
    });

    await t.test('does not add up what is no count', async () => {
      assert.ok((await metric('process_start_time_seconds')) <= Date.now() / 1000);
    });

    await t.test('tells what it knew last of one that does not answer, and that there is one', async () => {
      const [worker = 0] = childrenOf(child.pid);
      t.after(() => {
        if (isAlive(worker)) process.kill(worker, 'SIGKILL');
      });
      process.kill(worker, 'SIGSTOP');
      const total = 'shiftfeed_http_requests_total{route="/:account/api/v1/shifts",status="200"}';
      assert.deepEqual(await Promise.all([metric(total), metric(total)]), [8, 8]);
      assert.equal(await metric('shiftfeed_workers_silent'), 1);
      process.kill(worker, 'SIGCONT');
      await until('all workers answer again', async () => (await metric('shiftfeed_workers_silent')) === 0);
    });
  });

  test('there is much space for new objects, also in workers', async (t) => {
    for (const processes of [1, 2]) {
      const { url, metricsUrl } = await startWithMetrics(t, startProcess, '--workers', String(processes));
      await untilYoungSpaceIsLarge(url, metricsUrl, processes);
    }
  });

  test('reads nothing but /metrics, and says so', async (t) => {
    const { metricsUrl } = await startWithMetrics(t, startServer);
    const head = await fetch(metricsUrl, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers.get('content-length')) > 0);
    assert.equal(await head.text(), '');
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const refused = await fetch(metricsUrl, { method });
      assert.equal(refused.status, 405);
      assert.equal(refused.headers.get('allow'), 'GET, HEAD');
      assert.deepEqual(await refused.json(), { error: 'Metrics can only be read: use GET or HEAD.' });
    }
  });

  test('outlives clients that behave badly, and keeps nothing of them', async (t) => {
    const { metricsUrl, child } = await startWithMetrics(t, startProcess);
    assert.equal(await statusOf(metricsUrl, { connection: 'close' }), 200);
    const descriptors = descriptorsOf(child.pid);
    const { hostname, port } = new URL(metricsUrl);
    const request = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
    const beginnings = [
      '',
      request.slice(0, 10),
      request,
      request.repeat(50),
      `CONNECT a:1 HTTP/1.1\r\n\r\n`,
      '\0',
    ];
    const open = async (beginning: string) => {
      const socket = connect(Number(port), hostname).resume();
      socket.on('error', () => undefined);
      t.after(() => {
        socket.destroy();
      });
      await once(socket, 'connect');
      socket.write(beginning);
      return socket;
    };
    for (const beginning of beginnings) {
      for (let i = 0; i < 5; i++) (await open(beginning)).resetAndDestroy();
    }
    // These say nothing more. Past the limit of connections, there is no place for them at all.
    const silent = [];
    for (let i = 0; i < 100; i++) silent.push(await open(beginnings[i % 3] ?? ''));
    await Promise.all(silent.map(endOf));
    await until('all descriptors are given back', () => descriptorsOf(child.pid) <= descriptors);
    assert.equal(await statusOf(metricsUrl), 200);
  });

  test('says in one sentence that its port is taken', async (t) => {
    const port = await listen(t, createServer());
    const args = ['serve', '--port', '0', '--admin-port', String(port)];
    assert.deepEqual(
      await shiftfeed(args, { databaseUrl: await newDatabaseUrl(t) }),
      refused(`Port ${port} on 127.0.0.1 is in use already: choose another one with --admin-port.`),
    );
  });
});

async function startWithMetrics<S extends Server<Child>>(
  t: TestContext,
  startIt: (t: TestContext, args: readonly string[], options: { databaseUrl: string }) => Promise<S>,
  ...args: string[]
) {
  const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]));
  const server = await startIt(t, ['--admin-port', '0', ...args], { databaseUrl });
  const metricsUrl = /http:\S+/.exec(await server.nextLine())?.[0] ?? '';
  const get = async (query: string, headers: Record<string, string> = {}) => {
    const url = `${server.url}/acme/api/v1/shifts${query === '' ? '?day=2026-12-01' : query}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } })).text();
  };
  const metric = async (name: string) => {
    const text = await (await fetch(metricsUrl)).text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    assert.ok(line, `${name} in\n${text}`);
    return Number(line.slice(name.length + 1));
  };
  return { url: server.url, child: server.child as S['child'], metricsUrl, get, metric };
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
}
