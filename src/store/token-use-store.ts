/**
 * What a server writes: when tokens were last used.
 */

export interface TokenUseStore {
  /**
   * Stores uses that are later than the stored ones. Never waits, and lets everybody else go first: fails when the
   * database is being written to, is unavailable, or is read-only.
   */
  writeUses(uses: readonly TokenUse[]): Promise<void>;
}

export interface TokenUse {
  /** The hexadecimal SHA-256 of the token: it names the same token in every copy of a database. */
  readonly tokenHash: string;
  readonly atMs: number;
}
