/** Metrics of several workers, added up in the primary process. */

import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';
import { type PrimaryMessage, tellPrimary, type WorkerMessage } from './worker-messages.ts';

const ANSWER_LIMIT_MS = 5_000;

/** In the primary: asks all workers. Fails when one does not answer: sums without it would be wrong. */
export function metricsOfWorkers(): () => Promise<string> {
  let questions = 0;
  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
    const answers = await Promise.all(workers.map((worker) => ask(worker as Worker, ++questions)));
    return AggregatorRegistry.aggregate(answers).metrics();
  };
}

/** In a worker: answers when it is asked. */
export function handMetricsToPrimary(registry: Registry): void {
  process.on('message', (message: PrimaryMessage) => {
    if (message.kind !== 'ask-metrics') return;
    const { question } = message;
    registry.getMetricsAsJSON().then(
      (metrics) => tellPrimary({ kind: 'metrics', question, metrics }),
      // The primary does not wait for long.
      () => undefined,
    );
  });
}

function ask(worker: Worker, question: number): Promise<readonly MetricObject[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly MetricObject[]>();
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === 'metrics' && message.question === question) resolve(message.metrics);
  };
  // What it counted is gone with it.
  const onEnd = () => resolve([]);
  const limit = setTimeout(() => reject(new Error('The worker does not answer.')), ANSWER_LIMIT_MS);
  worker.on('message', onMessage);
  worker.on('exit', onEnd);
  worker.send({ kind: 'ask-metrics', question } satisfies PrimaryMessage, undefined, {}, (error) => {
    if (error) onEnd();
  });
  return promise.finally(() => {
    clearTimeout(limit);
    worker.off('message', onMessage);
    worker.off('exit', onEnd);
  });
}
