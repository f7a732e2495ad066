/**
 * What a server writes: when tokens were last used.
 */

export interface TokenUseStore {
  /**
   * Notes uses that are later than those that are noted. Waits for nobody and lets everybody else go first: fails when
   * the database is being written, is away, or may only be read.
   */
  writeUses(uses: readonly TokenUse[]): Promise<void>;
}

export interface TokenUse {
  /** The hexadecimal SHA-256 of the token: it names the same token in every copy of a database. */
  readonly tokenHash: string;
  readonly atMs: number;
}
