/** What the torture has found so far. Each was mended, and its seed or its like is kept as a test. */

export interface Finding {
  /** The name of the part that found it. */
  readonly part: string;
  readonly what: string;
  /** The file that would notice if it came back. */
  readonly test: string;
}

export const FOUND: readonly Finding[] = [
  {
    part: 'simulation',
    what: 'With a small cache and a long list of groups, an account with more than 2,400 months was listed as empty.',
    test: 'test/feed/huge-account.test.ts',
  },
];
