/**
 * Prometheus metrics of HTTP, of the feed and of the process. Each part keeps its own counts, and a scrape reads them.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Feed, FeedCounts } from '../../feed/feed.ts';
import type { BodyCache } from '../encoding/bodies.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Reads the counts of these parts on every scrape. */
  collectFrom(parts: MeteredParts): void;
  countResponse(route: string, status: number, durationMs: number): void;
}

export interface MeteredParts {
  readonly feed: Feed;
  readonly bodyCache: BodyCache;
  readonly app: { counts(): AppCounts };
}

/** What an app counts of its clients. */
export interface AppCounts {
  readonly connections: number;
  readonly unsentBytes: number;
  readonly waiting: number;
  readonly refused: number;
}

/** From a cached page to the load of a large account. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const FEED_COUNTERS: readonly [name: string, help: string, count: keyof FeedCounts][] = [
  ['freshness_queries', 'Database queries that check whether anything changed.', 'freshnessQueries'],
  ['month_hits', 'Months that a request found in memory.', 'monthsFound'],
  ['month_loads', 'Months that were read from the database.', 'monthsLoaded'],
  ['database_errors', 'Database queries and loads that failed.', 'databaseErrors'],
];

export function makeMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'shiftfeed_http_requests_total',
    help: 'Responses, by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'shiftfeed_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });

  return {
    registry,
    countResponse(route, status, durationMs) {
      requests.inc({ route, status });
      durations.observe({ route }, durationMs / 1000);
    },
    collectFrom: (parts) => collectFrom(registry, parts),
  };
}

function collectFrom(registry: Registry, parts: MeteredParts): void {
  const { feed, bodyCache, app } = parts;
  const registers = [registry];
  for (const [name, help, count] of FEED_COUNTERS) {
    exportCounter(registry, `shiftfeed_${name}_total`, help, () => feed.counts()[count]);
  }
  exportCounter(
    registry,
    'shiftfeed_page_builds_total',
    'Page bodies that were compressed or put together.',
    () => bodyCache.counts().builds,
  );
  exportCounter(
    registry,
    'shiftfeed_page_hits_total',
    'Page bodies that were found in the cache, compressed or put together.',
    () => bodyCache.counts().hits,
  );
  new Gauge({
    name: 'shiftfeed_cache_bytes',
    help: 'Memory in use, by what it holds.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.set({ kind: 'months' }, feed.counts().cachedBytes);
      this.set({ kind: 'pages' }, bodyCache.counts().bytes);
      this.set({ kind: 'unsent' }, app.counts().unsentBytes);
    },
  });
  new Gauge({
    name: 'shiftfeed_http_connections',
    help: 'Open connections.',
    registers,
    collect() {
      this.set(app.counts().connections);
    },
  });
  new Gauge({
    name: 'shiftfeed_http_waiting',
    help: 'Requests and connections that wait for their turn.',
    registers,
    collect() {
      this.set(app.counts().waiting);
    },
  });
  exportCounter(
    registry,
    'shiftfeed_http_overloaded_total',
    'Requests that were refused because they waited too long for their turn.',
    () => app.counts().refused,
  );
}

/** Exports a count that another part keeps. */
export function exportCounter(registry: Registry, name: string, help: string, count: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(count());
    },
  });
}
