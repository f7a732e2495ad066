/** Prometheus metrics about visitors and the upstream. */

import type { Gateway, UpstreamAttempt } from '@shiftfeed/gateway';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../http/app.ts';

export interface GatewayMetrics {
  readonly registry: Registry;
  watch(parts: WatchedParts): void;
  answered(route: string, status: number, durationMs: number): void;
  /** Called with the status of each response of the upstream, or with "none". */
  asked(status: string): void;
  attempted(attempt: UpstreamAttempt): void;
}

interface WatchedParts {
  readonly gateway: Gateway;
  readonly app: App;
}

/** From an answer in memory to the first copy from a slow upstream. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5, 10];

export function makeGatewayMetrics(): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const visits = new Counter({
    name: 'shiftfeed_gateway_requests_total',
    help: 'Requests of visitors that were answered, by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'shiftfeed_gateway_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const upstream = new Counter({
    name: 'shiftfeed_gateway_upstream_requests_total',
    help: 'Requests to the upstream, by the status of its answer.',
    labelNames: ['status'],
    registers,
  });
  const attempts = new Counter({
    name: 'shiftfeed_gateway_refreshes_total',
    help: 'Attempts to renew the copy of a feed, by feed and outcome.',
    labelNames: ['feed', 'outcome'],
    registers,
  });

  return {
    registry,
    answered(route, status, durationMs) {
      visits.inc({ route, status });
      durations.observe({ route }, durationMs / 1000);
    },
    asked: (status) => upstream.inc({ status }),
    attempted: (attempt) => attempts.inc({ feed: attempt.feed, outcome: outcomeOf(attempt) }),
    watch: (parts) => watch(registry, parts),
  };
}

function watch(registry: Registry, { gateway, app }: WatchedParts): void {
  const registers = [registry];
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
  new Gauge({
    name: 'shiftfeed_gateway_connections',
    help: 'Connections that are open.',
    registers,
    collect() {
      this.set(app.counts().connections);
    },
  });
  new Gauge({
    name: 'shiftfeed_gateway_waiting',
    help: 'Requests and connections that wait for their turn.',
    registers,
    collect() {
      this.set(app.counts().waiting);
    },
  });
  new Counter({
    name: 'shiftfeed_gateway_overloaded_total',
    help: 'Requests that were refused because they waited too long for their turn.',
    registers,
    collect() {
      this.reset();
      this.inc(app.counts().refused);
    },
  });
}

function outcomeOf({ error, isMixed }: UpstreamAttempt): 'done' | 'mixed' | 'failed' {
  if (error !== undefined) return 'failed';
  return isMixed === true ? 'mixed' : 'done';
}
