/** The rounds of a contestant as a few numbers, and numbers as the tables show them. */

export interface Sample {
  readonly rounds: readonly number[];
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    rounds: values,
    // Of an even number, the mean of the middle two.
    median: (percentile(sorted, 0.5) + percentile(sorted.toReversed(), 0.5)) / 2,
    lowest: sorted[0] ?? Number.NaN,
    highest: sorted.at(-1) ?? Number.NaN,
  };
}

/** The value that `share` of the values do not exceed. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The median of what it was in each round: what slows a whole round down slows both. */
export function ratio(a: Sample, b: Sample): number {
  return sampleOf(a.rounds.map((value, round) => value / (b.rounds[round] ?? Number.NaN))).median;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** As many digits as say something. */
export function brief(value: number): string {
  if (value >= 100) return whole(value);
  return value.toLocaleString('en', { maximumSignificantDigits: value >= 10 ? 3 : 2 });
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
