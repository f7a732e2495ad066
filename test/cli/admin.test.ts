import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { shiftfeed, startServer } from '../support/cli.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';

describe('serve --admin-port', () => {
  test('counts for Prometheus, on a port of its own', async (t) => {
    const { get, metric, url, metricsUrl } = await startWithMetrics(t);
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

  test('adds up what all workers count', async (t) => {
    const { get, metric } = await startWithMetrics(t, '--workers', '2');
    // Each on a connection of its own, so that every worker gets some.
    for (let i = 0; i < 8; i++) await get('', { connection: 'close' });
    assert.equal(
      await metric('shiftfeed_http_requests_total{route="/:account/api/v1/shifts",status="200"}'),
      8,
    );
    assert.equal(await metric('shiftfeed_month_loads_total'), 2);
  });

  test('says in one sentence that its port is taken', async (t) => {
    const squatter = createServer().listen(0, '127.0.0.1');
    t.after(() => {
      squatter.close();
    });
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const args = ['serve', '--port', '0', '--admin-port', String(port)];
    assert.deepEqual(await shiftfeed(args, { databaseUrl: await newDatabaseUrl(t) }), {
      code: 1,
      stdout: '',
      stderr: `shiftfeed: Port ${port} on 127.0.0.1 is in use already: choose another one with --admin-port.\n`,
    });
  });
});

async function startWithMetrics(t: TestContext, ...args: string[]) {
  const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]));
  const server = await startServer(t, ['--admin-port', '0', ...args], { databaseUrl });
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
  return { url: server.url, metricsUrl, get, metric };
}
