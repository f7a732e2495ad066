/** What a part of the torture is: promises, and a trial that tries to break them. */

export interface Part {
  readonly name: string;
  /** What README and docs promise, one sentence each. */
  readonly promises: readonly string[];
  /** How they are tried, in sentences. */
  readonly trial: string;
  /** What the amount counts, such as histories. */
  readonly unit: string;
  readonly amounts: { readonly quick: number; readonly whole: number };
  /** A sentence about what this machine lacks for the trial; undefined where it can run. */
  missing?(): string | undefined;
  run(order: Order): Promise<Outcome>;
}

export interface Order {
  /** Everything that is left to chance follows from it: the item number i of a trial is that of seed + i. */
  readonly seed: number;
  readonly amount: number;
  /** Ends the trial early. What was tried by then counts. */
  readonly signal: AbortSignal;
  /** Says how far the trial is. */
  readonly report: (progress: string) => void;
}

export interface Outcome {
  /** By name, in the order in which they are shown. */
  readonly figures: Readonly<Record<string, string | number>>;
  readonly failures: readonly Failure[];
  /** Drawings as SVG, by the names of their files. */
  readonly plots?: Readonly<Record<string, string>>;
}

/** A broken promise. */
export interface Failure {
  /** The seed with which the failure is the first thing that is tried. */
  readonly seed: number;
  readonly what: string;
}
