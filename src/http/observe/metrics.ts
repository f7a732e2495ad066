/**
 * Prometheus metrics of HTTP, of the feed and of the process. Each part keeps its own counts, and a scrape reads them.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Feed } from '../../feed/feed.ts';
import type { PoolCounts } from '../../store/feed-store.ts';
import type { BodyCache } from '../encoding/bodies.ts';

export type Metrics = ReturnType<typeof makeMetrics>;

interface MeteredApp {
  counts(): AppCounts;
}

interface MeteredParts {
  readonly feed: Feed;
  readonly bodyCache: BodyCache;
  readonly app: MeteredApp;
}

/** By what they are for. Of databases without a pool, nothing is told. */
type MeteredPools = Readonly<Record<string, (() => PoolCounts | Promise<PoolCounts>) | undefined>>;

/** What an app counts of its clients. */
export interface AppCounts {
  readonly connections: number;
  readonly streams: number;
  readonly unsentBytes: number;
  readonly waiting: number;
  readonly refused: number;
}

/** From a cached page to the load of a large account. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `of` begins the names of what any app tells. */
export function makeMetrics(of = 'shiftfeed_http') {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);
  const requests = new Counter({
    name: `${of}_requests_total`,
    help: 'Responses, by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: `${of}_request_duration_seconds`,
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const ended = new Counter({
    name: `${of}_streams_ended_total`,
    help: 'Streams that have ended, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    registry,
    countResponse(route: string, status: number, durationMs: number): void {
      requests.inc({ route, status });
      durations.observe({ route }, durationMs / 1000);
    },
    /** Streams last as long as their clients want, so they have no part in the durations. */
    countStream(route: string, status: number, reason: string): void {
      requests.inc({ route, status });
      ended.inc({ reason });
    },
    // These are read on every scrape.
    collectFromApp: (app: MeteredApp) => exportApp(registry, of, app),
    collectFromParts: (parts: MeteredParts) => exportParts(registry, parts),
    collectFromPools: (pools: MeteredPools) => collectFromPools(registry, pools),
  };
}

/** Gauges that are named as if they were counters. Each is the sum of the gauge of the same name without the ending. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
/** Of workers, the one that is worst off is told: an average would hide it. Of starts, the last one is told. */
const LARGEST_OF_WORKERS = [
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_start_time_seconds',
];

/** What prom-client tells of any process, under names that fit. */
function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  for (const name of LARGEST_OF_WORKERS)
    Object.assign(register.getSingleMetric(name) ?? {}, { aggregator: 'max' });
}

/** Over workers, they are added up. */
export function collectFromPools(registry: Registry, pools: MeteredPools): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    tell: (gauge: Gauge<Label>, pool: string, counts: PoolCounts) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        for (const [pool, count] of Object.entries(pools)) {
          const counts = await count?.();
          if (counts !== undefined) tell(this, pool, counts);
        }
      },
    });
  gauge(
    'shiftfeed_database_connections',
    'Connections to the database, by pool and state.',
    ['pool', 'state'],
    (connections, pool, { used, idle }) => {
      connections.set({ pool, state: 'used' }, used);
      connections.set({ pool, state: 'idle' }, idle);
    },
  );
  gauge(
    'shiftfeed_database_waiting',
    'Questions and loads that wait for a connection to the database, by pool.',
    ['pool'],
    (questions, pool, { waiting }) => questions.set({ pool }, waiting),
  );
}

function exportParts(registry: Registry, { feed, bodyCache, app }: MeteredParts): void {
  const count = (name: string, help: string, read: () => number) =>
    exportCounter(registry, `shiftfeed_${name}_total`, help, read);
  const ofFeed = feed.counts;
  const ofBodies = bodyCache.counts;
  count(
    'freshness_queries',
    'Database queries that check whether anything changed.',
    () => ofFeed().freshnessQueries,
  );
  count('month_hits', 'Months that a request found in memory.', () => ofFeed().monthsFound);
  count('month_loads', 'Months that were read from the database.', () => ofFeed().monthsLoaded);
  count('database_errors', 'Database queries and loads that failed.', () => ofFeed().databaseErrors);
  count('page_builds', 'Page bodies that were compressed or put together.', () => ofBodies().builds);
  count(
    'page_hits',
    'Page bodies that were found in the cache, compressed or put together.',
    () => ofBodies().hits,
  );
  exportSizes(registry, 'shiftfeed_cache_bytes', () => ({
    months: feed.counts().cachedBytes,
    pages: bodyCache.counts().bytes,
    unsent: app.counts().unsentBytes,
  }));
}

const APP_GAUGES = {
  connections: 'Open connections.',
  streams: 'Open streams.',
  waiting: 'Requests and connections that wait for their turn.',
} as const satisfies Partial<Record<keyof AppCounts, string>>;

function exportApp(registry: Registry, of: string, app: MeteredApp): void {
  for (const [name, help] of Object.entries(APP_GAUGES) as [keyof typeof APP_GAUGES, string][]) {
    new Gauge({
      name: `${of}_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(app.counts()[name]);
      },
    });
  }
  exportCounter(
    registry,
    `${of}_overloaded_total`,
    'Requests that were refused because they waited too long for their turn.',
    () => app.counts().refused,
  );
}

/** Exports how much memory other parts use. */
export function exportSizes(registry: Registry, name: string, read: () => Record<string, number>): void {
  new Gauge({
    name,
    help: 'Memory in use, by what it holds.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, bytes] of Object.entries(read())) this.set({ kind }, bytes);
    },
  });
}

/** Exports a count that another part keeps. */
function exportCounter(registry: Registry, name: string, help: string, count: () => number): void {
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

export function describeBuild(
  registry: Registry,
  name: string,
  help: string,
  labels: Readonly<Record<string, string | number>>,
): void {
  const all = { ...labels, node: process.versions.node };
  new Gauge({ name, help, labelNames: Object.keys(all), registers: [registry] }).set(all, 1);
}
