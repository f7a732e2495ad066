/** What the command line needs of a database to make, list and revoke tokens. */

export interface TokenStore {
  addToken(token: NewToken): Promise<Token>;
  /** Those of an account, or all that there are. */
  tokens(accountId?: number): Promise<readonly Token[]>;
  /** False when there is no such token. A token that is revoked already keeps its first instant. */
  revokeToken(id: number, atMs: number): Promise<boolean>;
}

export interface NewToken {
  readonly accountId: number;
  readonly hash: string;
  /** How its text begins. */
  readonly hint?: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface Token extends Required<Omit<NewToken, 'hash'>> {
  readonly id: number;
  readonly revokedAtMs: number | null;
  /** By the hour, and as far as it was noted. */
  readonly lastUsedAtMs: number | null;
}
