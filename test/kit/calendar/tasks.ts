/** How long a page keeps its browser busy, at once and in all. */

import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** What it took of a processor, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The longest task of the page's main thread while something is done, and all of them. They are measured in time of a processor and not of
 * a clock, so that a machine with other things to do changes little. (What `PerformanceObserver` calls a long task is
 * measured by a clock.)
 */
export async function measureTasks(
  page: Page,
  work: () => Promise<void>,
): Promise<{ longestMs: number; totalMs: number }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', '__metadata'] },
  });
  await work();
  await session.send('Tracing.end');
  await complete;
  const main = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && main.has(`${pid}/${tid}`));
  if (tasks.length === 0) throw new Error('No task of the page was traced.');
  const durations = tasks.map(({ tdur = 0 }) => tdur / 1_000);
  return { longestMs: Math.max(...durations), totalMs: durations.reduce((sum, ms) => sum + ms, 0) };
}
