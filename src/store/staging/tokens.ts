/** The tokens of an account that is copied from another database: their hashes. They are few, and compared in memory. */

import { selectTokens, TOKEN_FIELDS, type TokenRecord, tokenOf } from '../admin/tokens.ts';
import type { Queries } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import type { Tally } from '../records.ts';

/** Without a `before`, the token would be added; without an `after`, revoked. */
export interface TokenChange {
  readonly before: TokenRecord | undefined;
  readonly after: TokenRecord | undefined;
}

export interface TokenComparison {
  readonly tally: Tally;
  readonly changes: readonly TokenChange[];
}

export function stagedTokens({ dialect, all }: Queries) {
  const { main, locked, nowMs } = dialect;
  return {
    /** Compares them with those of the account, which is new if it has no id. Those that it lacks are revoked. */
    async compare(accountId: number | undefined, given: readonly TokenRecord[]): Promise<TokenComparison> {
      const rows = accountId === undefined ? [] : await all(selectTokens(dialect, accountId));
      const existing = new Map(rows.map((row) => [String(row.hash), tokenOf(row)]));
      const written = given.map((token): TokenChange => {
        const before = existing.get(token.hash);
        existing.delete(token.hash);
        return { before, after: before === undefined ? token : joined(before, token) };
      });
      const added = written.filter(({ before }) => before === undefined);
      const changed = written.filter((change) => change.before !== undefined && !isSame(change));
      const absent = [...existing.values()].filter(({ revoked_at }) => revoked_at === null);
      const removed = absent.map((before): TokenChange => ({ before, after: undefined }));
      const unchanged = given.length - added.length - changed.length;
      return {
        tally: { added: added.length, changed: changed.length, removed: removed.length, unchanged },
        changes: [...added, ...changed, ...removed],
      };
    },

    /** The slug of another account that has one of them; or of this one, if it is a key of its desk. */
    async otherOwner(
      accountId: number | undefined,
      given: readonly TokenRecord[],
    ): Promise<string | undefined> {
      const hashes = JSON.stringify(Object.fromEntries(given.map(({ hash }) => [hash, 0])));
      const [row] = await all<{ slug: string }>(
        `SELECT slug FROM ${main}.tokens JOIN ${main}.accounts ON accounts.id = account_id
        WHERE hash IN (SELECT key FROM json_each($1)) AND (account_id <> ${accountId ?? 0} OR role <> 'api') LIMIT 1`,
        [hashes],
      );
      return row?.slug;
    },

    /**
     * Within a merge, waits for others who write to tokens of the account, and keeps them away. In the order of ids, as
     * servers do that note uses.
     */
    async lock(accountId: number): Promise<void> {
      const tokens = `SELECT id FROM ${main}.tokens WHERE account_id = ${accountId} ORDER BY id`;
      await all(locked(tokens, 'NO KEY UPDATE'));
    },

    /** Within a merge. */
    async write(accountId: number, { changes }: TokenComparison): Promise<void> {
      const values = TOKEN_FIELDS.map((_, i) => `$${i + 2}`).join(', ');
      const update = TOKEN_FIELDS.map((name) => `${name} = excluded.${name}`).join(', ');
      const save = `INSERT INTO ${main}.tokens AS known (account_id, ${TOKEN_FIELDS.join(', ')}) VALUES ($1, ${values})
        ON CONFLICT (hash) DO UPDATE SET ${update} WHERE known.account_id = excluded.account_id AND known.role = 'api' RETURNING id`;
      const revoke = `UPDATE ${main}.tokens SET revoked_at = ${nowMs} WHERE account_id = $1 AND hash = $2 RETURNING id`;
      for (const { before, after } of changes) {
        const written = after
          ? await all(save, [accountId, ...TOKEN_FIELDS.map((name) => after[name])])
          : await all(revoke, [accountId, before?.hash]);
        if (written.length === 1) continue;
        throw new StoreFailure(
          'refused',
          'Another account was given one of these tokens meanwhile: nothing was copied, try again.',
        );
      }
    },
  };
}

/** A copy never gives a token a longer life: one that is revoked stays revoked, and of two ends the earlier one counts. */
function joined(before: TokenRecord, given: TokenRecord): TokenRecord {
  const both = (
    choose: (one: number, other: number) => number,
    name: 'expires_at' | 'revoked_at' | 'last_used_at',
  ) => {
    const [one, other] = [before[name], given[name]];
    return one === null || other === null ? (one ?? other) : choose(one, other);
  };
  return {
    ...given,
    expires_at: both(Math.min, 'expires_at'),
    revoked_at: both(Math.min, 'revoked_at'),
    last_used_at: both(Math.max, 'last_used_at'),
  };
}

function isSame({ before, after }: TokenChange): boolean {
  return TOKEN_FIELDS.every((name) => before?.[name] === after?.[name]);
}
