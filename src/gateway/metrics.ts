/** Prometheus metrics about visitors and the upstream. */

import type { Gateway, UpstreamAttempt } from '@shiftfeed/gateway';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../http/app.ts';
import { exportCounter } from '../http/observe/metrics.ts';

export type GatewayMetrics = ReturnType<typeof makeGatewayMetrics>;

/** From an answer in memory to the first copy from a slow upstream. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5, 10];

export function makeGatewayMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
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
  const attempts = counter(
    'shiftfeed_gateway_refreshes_total',
    'Attempts to renew the copy of a feed, by feed and outcome.',
    ['feed', 'outcome'],
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
    /** Called with the status of each response of the upstream, or with "none". */
    asked: (status: string) => upstream.inc({ status }),
    attempted: ({ feed, error, isMixed }: UpstreamAttempt) =>
      attempts.inc({ feed, outcome: error !== undefined ? 'failed' : isMixed ? 'mixed' : 'done' }),
    watch: (gateway: Gateway, app: App) => watch(registry, gateway, app),
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
