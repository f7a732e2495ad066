/** Prometheus metrics about visitors, which are those of any app, and about the upstream. */

import type { Gateway, UpstreamAttempt } from '@shiftfeed/gateway';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { App } from '../http/app.ts';
import { describeBuild, exportSizes, makeMetrics } from '../http/observe/metrics.ts';

export type GatewayMetrics = ReturnType<typeof makeGatewayMetrics>;

export function makeGatewayMetrics(version: string) {
  const metrics = makeMetrics('shiftfeed_gateway');
  const { registry } = metrics;
  describeBuild(registry, 'shiftfeed_gateway_build_info', 'Which version runs, and on which Node.', {
    version,
  });
  const upstream = new Counter({
    name: 'shiftfeed_gateway_upstream_requests_total',
    help: 'Requests to the upstream, by the status of its answer.',
    labelNames: ['status'],
    registers: [registry],
  });
  return {
    ...metrics,
    /** Called with the status of each response of the upstream, or with "none". */
    asked: (status: string) => upstream.inc({ status }),
    attempted: countAttempts(registry),
    watch(gateway: Gateway, app: App): void {
      exportSizes(registry, 'shiftfeed_gateway_cache_bytes', () => ({
        answers: gateway.bodyBytes(),
        unsent: app.counts().unsentBytes,
      }));
    },
  };
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
