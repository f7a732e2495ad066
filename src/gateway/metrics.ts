/** Prometheus metrics about visitors and the upstream. */

import type { Gateway, UpstreamAttempt } from '@shiftfeed/gateway';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../http/app.ts';
import { collectProcessMetrics, exportCounter } from '../http/observe/metrics.ts';

export type GatewayMetrics = ReturnType<typeof makeGatewayMetrics>;

/** From an answer in memory to the first copy from a slow upstream. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5, 10];

export function makeGatewayMetrics(version: string) {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);
  describeBuild(registry, version);
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });

  const visits = counter(
    'shiftfeed_gateway_requests_total',
    'Requests of visitors that were answered, by route and status.',
    ['route', 'status'],
  );
  const upstream = counter(
    'shiftfeed_gateway_upstream_requests_total',
    'Requests to the upstream, by the status of its answer.',
    ['status'],
  );
  const ended = counter(
    'shiftfeed_gateway_streams_ended_total',
    'Streams of visitors that have ended, by reason.',
    ['reason'],
  );
  const durations = new Histogram({
    name: 'shiftfeed_gateway_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });

  return {
    registry,
    answered(route: string, status: number, durationMs: number): void {
      visits.inc({ route, status });
      durations.observe({ route }, durationMs / 1000);
    },
    streamed(route: string, status: number, reason: string): void {
      visits.inc({ route, status });
      ended.inc({ reason });
    },
    /** Called with the status of each response of the upstream, or with "none". */
    asked: (status: string) => upstream.inc({ status }),
    attempted: countAttempts(registry),
    watch: (gateway: Gateway, app: App) => watch(registry, gateway, app),
  };
}

function describeBuild(registry: Registry, version: string): void {
  new Gauge({
    name: 'shiftfeed_gateway_build_info',
    help: 'Which version runs, and on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
}

/** Returns what counts an attempt to renew the copy of a feed. */
function countAttempts(registry: Registry): (attempt: UpstreamAttempt) => void {
  const registers = [registry];
  const attempts = new Counter({
    name: 'shiftfeed_gateway_refreshes_total',
    help: 'Attempts to renew the copy of a feed, by feed and outcome.',
    labelNames: ['feed', 'outcome'],
    registers,
  });
  const up = new Gauge({
    name: 'shiftfeed_gateway_feed_up',
    help: 'Whether the last attempt to renew the copy of a feed succeeded.',
    labelNames: ['feed'],
    registers,
  });
  const renewed = new Gauge({
    name: 'shiftfeed_gateway_last_refresh_timestamp_seconds',
    help: 'When the copy of a feed was last renewed.',
    labelNames: ['feed'],
    registers,
  });
  return ({ feed, error, isMixed }) => {
    const hasFailed = error !== undefined;
    attempts.inc({ feed, outcome: hasFailed ? 'failed' : isMixed ? 'mixed' : 'done' });
    up.set({ feed }, hasFailed ? 0 : 1);
    if (!hasFailed) renewed.setToCurrentTime({ feed });
  };
}

function watch(registry: Registry, gateway: Gateway, app: App): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('shiftfeed_gateway_connections', 'Connections that are open.', () => app.counts().connections);
  gauge('shiftfeed_gateway_streams', 'Streams of visitors that are open.', () => app.counts().streams);
  gauge(
    'shiftfeed_gateway_waiting',
    'Requests and connections that wait for their turn.',
    () => app.counts().waiting,
  );
  new Gauge({
    name: 'shiftfeed_gateway_cache_bytes',
    help: 'Memory in use, by what it holds.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.set({ kind: 'answers' }, gateway.bodyBytes());
      this.set({ kind: 'unsent' }, app.counts().unsentBytes);
    },
  });
  exportCounter(
    registry,
    'shiftfeed_gateway_overloaded_total',
    'Requests that were refused because they waited too long for their turn.',
    () => app.counts().refused,
  );
}
