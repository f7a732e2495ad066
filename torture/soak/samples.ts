/** What the process takes, over time: as numbers, and as a plot. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { card, FAINT_INK, line, round, text } from '../../bench/plots.ts';
import { descriptorsOf } from '../../test/support/processes.ts';

export interface Sample {
  readonly atSeconds: number;
  readonly 'memory (MB)': number;
  readonly 'open files and connections': number;
  readonly 'slowest turn of the event loop (ms)': number;
}

type Quantity = Exclude<keyof Sample, 'atSeconds'>;
export const QUANTITIES: readonly Quantity[] = [
  'memory (MB)',
  'open files and connections',
  'slowest turn of the event loop (ms)',
];

export function startSampler() {
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const startMs = performance.now();
  const samples: Sample[] = [];
  return {
    samples,
    take(): void {
      samples.push({
        atSeconds: (performance.now() - startMs) / 1000,
        'memory (MB)': process.memoryUsage.rss() / 2 ** 20,
        'open files and connections': descriptorsOf(process.pid),
        'slowest turn of the event loop (ms)': loop.percentile(99) / 1e6,
      });
      loop.reset();
    },
  };
}

/** The mean of the second third, when everything is warm, and that of the last one. */
export function growthOf(samples: readonly Sample[], quantity: Quantity): { middle: number; end: number } {
  const third = Math.floor(samples.length / 3);
  const mean = (some: readonly Sample[]) =>
    some.reduce((sum, sample) => sum + sample[quantity], 0) / Math.max(1, some.length);
  return { middle: mean(samples.slice(third, 2 * third)), end: mean(samples.slice(2 * third)) };
}

const WIDTH = 760;
const PANEL = 110;
const TOP = 56;
const LEFT = 24;
const RIGHT = 110;

export function plotOf(samples: readonly Sample[]): string {
  const lastSeconds = samples.at(-1)?.atSeconds ?? 1;
  const x = (seconds: number) => LEFT + (seconds / lastSeconds) * (WIDTH - LEFT - RIGHT);
  const panels = QUANTITIES.flatMap((quantity, i) => {
    const most = Math.max(1, ...samples.map((sample) => sample[quantity]));
    const bottom = TOP + (i + 1) * PANEL - 16;
    const y = (value: number) => bottom - (value / most) * (PANEL - 44);
    const points = samples.map((sample) => `${round(x(sample.atSeconds))},${round(y(sample[quantity]))}`);
    return [
      text(LEFT, bottom - PANEL + 34, quantity, { size: 12, colour: FAINT_INK }),
      line(LEFT, bottom, WIDTH - RIGHT, bottom),
      `<polyline points="${points.join(' ')}" fill="none" stroke="#2b6cb0" stroke-width="2"/>`,
      text(
        WIDTH - RIGHT + 10,
        y(samples.at(-1)?.[quantity] ?? 0) + 4,
        String(round(samples.at(-1)?.[quantity] ?? 0)),
      ),
    ];
  });
  const height = TOP + QUANTITIES.length * PANEL + 24;
  const label = `0 to ${Math.round(lastSeconds).toLocaleString('en')} seconds`;
  return card(WIDTH, height, 'What the soak takes over time', [
    ...panels,
    text((LEFT + WIDTH - RIGHT) / 2, height - 14, label, { anchor: 'middle', colour: FAINT_INK }),
  ]);
}
