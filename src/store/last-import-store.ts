/**
 * What a server tells its operator: when the last imports succeeded.
 */

export interface LastImportStore {
  /**
   * One entry for each account that had an import; if there are more than `most`, the oldest ones. Never waits for a
   * lock.
   */
  lastImports(most: number): Promise<readonly LastImport[]>;
}

export interface LastImport {
  readonly slug: string;
  readonly succeededAtMs: number;
}
