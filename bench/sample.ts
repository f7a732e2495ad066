/** The rounds of one contestant as a few numbers. */

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
