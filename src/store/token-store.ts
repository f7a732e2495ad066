/** What the command line needs of a database to make, list and revoke tokens. */

export interface TokenStore {
  addToken(token: NewToken): Promise<Token>;
  /** The tokens of an account, or all tokens. */
  tokens(accountId?: number): Promise<readonly Token[]>;
  /** Returns false when there is no such token. A token that is already revoked keeps its first revocation time. */
  revokeToken(id: number, atMs: number): Promise<boolean>;
}

export interface NewToken {
  readonly accountId: number;
  readonly hash: string;
  /** The first characters of the token. */
  readonly hint?: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface Token extends Required<Omit<NewToken, 'hash'>> {
  readonly id: number;
  readonly revokedAtMs: number | null;
  /** Rounded to the hour. Recent uses may not be written yet. */
  readonly lastUsedAtMs: number | null;
}
