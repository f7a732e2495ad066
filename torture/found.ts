/** What the torture, or building it, has found so far. Each was mended, and its like is kept as a test. */

import found from './results/found.json' with { type: 'json' };

export interface Finding {
  /** The name of the part that found it. */
  readonly part: string;
  readonly what: string;
  /** The file that would notice if it came back. */
  readonly test: string;
}

export const FOUND: readonly Finding[] = found;
