/** Metrics of all workers, added up in the primary process. */

import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';
import { type PrimaryMessage, tellPrimary, type WorkerMessage } from './worker-messages.ts';

const ANSWER_TIMEOUT_MS = 5_000;

/** In the primary: asks all workers. Fails if one does not answer, because the sums would be wrong without it. */
export function metricsOfWorkers(): () => Promise<string> {
  let questions = 0;
  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
    const answers = await Promise.all(workers.map((worker) => ask(worker as Worker, ++questions)));
    return AggregatorRegistry.aggregate(answers).metrics();
  };
}

/** In a worker: answers the primary. */
export function handMetricsToPrimary(registry: Registry): void {
  process.on('message', (message: PrimaryMessage) => {
    if (message.kind !== 'ask-metrics') return;
    const { question } = message;
    registry.getMetricsAsJSON().then(
      (metrics) => tellPrimary({ kind: 'metrics', question, metrics }),
      // The primary times out.
      () => undefined,
    );
  });
}

function ask(worker: Worker, question: number): Promise<readonly MetricObject[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly MetricObject[]>();
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === 'metrics' && message.question === question) resolve(message.metrics);
  };
  // The counts of a worker end with it.
  const onEnd = () => resolve([]);
  const timeout = setTimeout(() => reject(new Error('The worker does not answer.')), ANSWER_TIMEOUT_MS);
  worker.on('message', onMessage);
  worker.on('exit', onEnd);
  worker.send({ kind: 'ask-metrics', question } satisfies PrimaryMessage, undefined, {}, (error) => {
    if (error) onEnd();
  });
  return promise.finally(() => {
    clearTimeout(timeout);
    worker.off('message', onMessage);
    worker.off('exit', onEnd);
  });
}
