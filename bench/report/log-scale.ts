/** A logarithmic scale, for rates that differ by orders of magnitude: equal steps are equal factors. */

export interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** From the power of ten below the values to the one above them, drawn from `start` to `end`. */
export function powersOfTen(values: readonly number[], start: number, end: number): Scale {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)),
    at: between(first, last, start, end),
  };
}

/** From the lowest of the values to the highest, with a tick at each. */
export function valuesAsTicks(values: readonly number[], start: number, end: number): Scale {
  const [first, last] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  return { ticks: values, at: between(first, last, start, end) };
}

function between(first: number, last: number, start: number, end: number): (value: number) => number {
  return (value) => start + ((Math.log10(value) - first) / (last - first || 1)) * (end - start);
}
