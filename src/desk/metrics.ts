/** What operators watch of the desk, beside what they watch of any app: the work of its readers. */

import { Counter, Gauge } from 'prom-client';
import { type Metrics, makeMetrics } from '../http/observe/metrics.ts';
import type { Readers } from './readers.ts';

export interface DeskMetrics extends Metrics {
  /** The same readers, whose tasks are counted. */
  watching(readers: Readers): Readers;
}

export function makeDeskMetrics(): DeskMetrics {
  const metrics = makeMetrics();
  const registers = [metrics.registry];
  const ended = new Counter({
    name: 'shiftfeed_desk_tasks_total',
    help: 'Files that were read or imported, and imports that were taken back, by kind and what came of it.',
    labelNames: ['kind', 'result'],
    registers,
  });
  const tasks = new Gauge({
    name: 'shiftfeed_desk_tasks',
    help: 'Tasks of readers, by state.',
    labelNames: ['state'],
    registers,
  });
  for (const state of ['waiting', 'running']) tasks.set({ state }, 0);

  return {
    ...metrics,
    watching: (readers) => ({
      ...readers,
      async run(task, options = {}) {
        let state = 'waiting';
        tasks.inc({ state });
        const onStart = () => {
          tasks.dec({ state });
          state = 'running';
          tasks.inc({ state });
          return options.onStart?.();
        };
        // What is refused, discarded or ended has no result.
        let result = 'none';
        try {
          const found = await readers.run(task, { ...options, onStart });
          result = found.kind;
          return found;
        } finally {
          tasks.dec({ state });
          ended.inc({ kind: task.kind, result });
        }
      },
    }),
  };
}
