/** Metrics of all workers, added up in the primary process. */

import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, Gauge, type MetricObject, Registry } from 'prom-client';
import { type PrimaryMessage, tellPrimary, type WorkerMessage } from './worker-messages.ts';

const ANSWER_TIMEOUT_MS = 1_000;

/**
 * In the primary: asks all workers. If a worker does not answer, for instance because it is suspended, its last counts
 * are added: without them the sums would fall, which Prometheus takes for a restart.
 */
export function metricsOfWorkers(): () => Promise<string> {
  let questions = 0;
  const lastAnswers = new WeakMap<Worker, readonly MetricObject[]>();
  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    let silent = 0;
    const answers = await Promise.all(
      workers
        .filter((worker) => worker.isConnected())
        .map(async (worker) => {
          const answer = await ask(worker, ++questions);
          if (answer === undefined) silent++;
          else lastAnswers.set(worker, answer);
          return answer ?? lastAnswers.get(worker) ?? [];
        }),
    );
    const own = new Registry();
    new Gauge({
      name: 'shiftfeed_workers_silent',
      help: 'Workers that did not answer, and whose counts are those that they told last.',
      registers: [own],
    }).set(silent);
    return AggregatorRegistry.aggregate([...answers, await own.getMetricsAsJSON()]).metrics();
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

/** Resolves to nothing if the worker does not answer in time. */
function ask(worker: Worker, question: number): Promise<readonly MetricObject[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<readonly MetricObject[] | undefined>();
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === 'metrics' && message.question === question) resolve(message.metrics);
  };
  // The counts of a worker end with it.
  const onEnd = () => resolve([]);
  const timeout = setTimeout(resolve, ANSWER_TIMEOUT_MS, undefined);
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
