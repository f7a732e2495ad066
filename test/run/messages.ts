/** What the processes that run test files and the one that hands them out tell each other. */

/** To a process: the next file, or that there is none left. */
export type Order = { readonly file: string } | { readonly file: undefined };

/** From a process: that it has nothing to do, or how a file went. */
export type News =
  | { readonly kind: 'idle'; readonly cpuSeconds: number }
  | { readonly kind: 'report'; readonly report: FileReport };

export interface FileReport {
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly Skipped[];
}

export interface Failure {
  /** The test and what it is part of. */
  readonly title: string;
  /** File and line. */
  readonly place: string;
  readonly text: string;
}

export interface Skipped {
  readonly title: string;
  /** Why, and what to do about it. */
  readonly reason: string;
}
