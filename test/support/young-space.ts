import { until } from './until.ts';

/**
 * Waits until V8's space for new objects has its full size in each process, by the metrics of all. It grows when enough
 * objects outlive a collection, as those of many requests at once do. Each comes on a connection of its own, so that
 * all workers get some.
 */
export async function untilYoungSpaceIsLarge(url: string, metricsUrl: string, processes = 1): Promise<void> {
  await until('there is much space for new objects', async () => {
    const requests = Array.from({ length: 40 }, () => fetch(url, { headers: { connection: 'close' } }));
    await Promise.all(requests.map(async (request) => (await request).arrayBuffer()));
    const metrics = await (await fetch(metricsUrl)).text();
    const bytes = (what: string) =>
      Number(
        new RegExp(`^nodejs_heap_space_size_${what}_bytes\\{space="new"\\} (\\d+)`, 'm').exec(metrics)?.[1],
      );
    return bytes('used') + bytes('available') >= processes * 20 * 1024 * 1024;
  });
}
