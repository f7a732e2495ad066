/**
 * What a server tells its operator: when the last imports succeeded.
 */

export interface LastImportStore {
  /** Of each account that had an import; of more than `most`, those that are the longest ago. Waits for nobody. */
  lastImports(most: number): Promise<readonly LastImport[]>;
}

export interface LastImport {
  readonly slug: string;
  readonly succeededAtMs: number;
}
