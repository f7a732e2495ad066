/** Numbers as the tables show them. */

import { type Sample, sampleOf } from '../sample.ts';

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** As many digits as say something. */
export function brief(value: number): string {
  if (value >= 100) return whole(value);
  return value.toLocaleString('en', { maximumSignificantDigits: value >= 10 ? 3 : 2 });
}

/** The median of what it was in each round: what slows a whole round down slows both. */
export function ratio(a: Sample, b: Sample): number {
  return sampleOf(a.rounds.map((value, round) => value / (b.rounds[round] ?? Number.NaN))).median;
}

/** The median, and how far the rounds lay apart. */
export function withSpread({ median, lowest, highest }: Sample): string {
  return `${brief(median)} (${brief(lowest)}–${brief(highest)})`;
}

/** How far away the true value may be. */
export function plusMinus(uncertainty: number): string {
  return `±${Number.isFinite(uncertainty) ? uncertainty.toFixed(3) : '∞'}`;
}

export function milliseconds(value: number): string {
  return `${brief(value)} ms`;
}

export function kilobytes(bytes: number): string {
  return `${brief(bytes / 1000)} kB`;
}
