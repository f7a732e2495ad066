import assert from 'node:assert/strict';

/** That V8's space for new objects has grown to its full size in each process, by the metrics of all. */
export function assertLargeYoungSpace(metrics: string, processes = 1): void {
  const bytes = (what: string) =>
    Number(
      new RegExp(`^nodejs_heap_space_size_${what}_bytes\\{space="new"\\} (\\d+)`, 'm').exec(metrics)?.[1],
    );
  const capacity = bytes('used') + bytes('available');
  assert.ok(capacity >= processes * 16 * 1024 * 1024, `${capacity} bytes in ${processes} processes`);
}
