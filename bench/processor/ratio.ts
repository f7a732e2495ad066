/** What several starts say of a ratio, and how well they know it. */

export interface Ratio {
  /** What the other needs, to what ours needs: 1 is as little, 0.5 twice as much. */
  readonly ratio: number;
  /** The true ratio is this far away at most, in 19 of 20 runs. */
  readonly uncertainty: number;
}

/**
 * The mean of what each start gave. It varies less than the median of as few would, and a start in which V8 compiled
 * badly is part of what starts are like. The uncertainty is Student's, from how far the starts lie apart: it contains
 * what differs between them, and also what disturbed their turns.
 */
export function ratioOf(starts: readonly number[]): Ratio {
  const freedom = starts.length - 1;
  const ratio = sum(starts) / starts.length;
  if (freedom < 1) return { ratio, uncertainty: Number.POSITIVE_INFINITY };
  const deviation = Math.sqrt(sum(starts.map((start) => (start - ratio) ** 2)) / freedom);
  const reach = STUDENT[Math.min(freedom, STUDENT.length) - 1] as number;
  return { ratio, uncertainty: (reach * deviation) / Math.sqrt(starts.length) };
}

/** How many standard errors hold 19 of 20 means, by degrees of freedom from 1 on. More need hardly fewer. */
const STUDENT = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1,
  2.09,
];

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
