import { until } from './until.ts';

/** Waits until V8's space for new objects has its full size in each process, by the metrics of all. It grows with the first objects. */
export async function untilYoungSpaceIsLarge(metricsUrl: string, processes = 1): Promise<void> {
  await until('there is much space for new objects', async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const bytes = (what: string) =>
      Number(
        new RegExp(`^nodejs_heap_space_size_${what}_bytes\\{space="new"\\} (\\d+)`, 'm').exec(metrics)?.[1],
      );
    return bytes('used') + bytes('available') >= processes * 20 * 1024 * 1024;
  });
}
