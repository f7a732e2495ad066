/**
 * The tokens of a document, for an import that takes them. They are staged like other records, but known by their hashes:
 * a hash belongs to one token in all accounts of a database.
 */

import { TOKEN_COLUMNS, TOKEN_FIELDS, type TokenField, type TokenRecord, tokenOf } from '../admin/tokens.ts';
import { StoreFailure } from '../failure.ts';
import type { Tally } from '../records.ts';
import type { StageDatabase } from './comparison.ts';

/** As a document gives it. */
export type GivenToken = Partial<TokenRecord> & Pick<TokenRecord, 'hash'>;

export interface FlawedToken {
  /** The index in the list of the document. */
  readonly position: number;
  /** The position of the same token, if this is a later one. */
  readonly firstPosition: number | undefined;
  /** The slug of another account that has it. */
  readonly owner: string | undefined;
}

/** Without a `before`, the token would be added; without an `after`, revoked. */
export interface TokenChange {
  readonly before: TokenRecord | undefined;
  readonly after: TokenRecord | undefined;
}

export class StagedTokens {
  readonly #database: StageDatabase;
  #count: number | undefined;

  constructor(database: StageDatabase) {
    this.#database = database;
  }

  /** Adds tokens in the order of the document. */
  async add(tokens: readonly GivenToken[]): Promise<void> {
    const { types } = this.#database.dialect;
    if (this.#count === undefined) {
      const columns = TOKEN_FIELDS.map((name) => `${name} ${types[TOKEN_COLUMNS[name]]}`);
      await this.#database.make('tokens_given', `position ${types.position}, ${columns.join(', ')}`);
    }
    const first = this.#count ?? 0;
    this.#count = first + tokens.length;
    if (tokens.length === 0) return;
    const rows = tokens.map((token, i) => [first + i, ...TOKEN_FIELDS.map((name) => token[name] ?? null)]);
    await this.#database.insert('tokens', ['position', ...TOKEN_FIELDS], rows);
  }

  /** Compares them with those of the account, which is new if it has no id. */
  async compare(accountId: number | undefined): Promise<TokenComparison> {
    await this.#database.analyze('tokens_given');
    const comparison = new TokenComparison(this.#database, accountId);
    await comparison.find();
    return comparison;
  }

  /**
   * Within a merge, waits for others who write to tokens of the account, and keeps them away. In the order of ids, as
   * servers do that note uses.
   */
  async lock(accountId: number): Promise<void> {
    const { main, locked } = this.#database.dialect;
    const tokens = `SELECT id FROM ${main}.tokens WHERE account_id = ${accountId} ORDER BY id`;
    await this.#database.all(locked(tokens, 'NO KEY UPDATE'));
  }
}

/** What a merge would do to the tokens of an account. One with flawed tokens cannot be written. */
export class TokenComparison {
  readonly #database: StageDatabase;
  readonly #accountId: number | undefined;
  tally: Tally = { added: 0, changed: 0, removed: 0, unchanged: 0 };

  constructor(database: StageDatabase, accountId: number | undefined) {
    this.#database = database;
    this.#accountId = accountId;
  }

  async find(): Promise<void> {
    const [row] = await this.#database.all<Record<'added' | 'changed' | 'given', number>>(
      `SELECT count(*) AS given, count(*) FILTER (WHERE existing.id IS NULL) AS added,
        count(*) FILTER (WHERE ${IS_CHANGED}) AS changed FROM ${this.#given()}`,
    );
    const { given = 0, added = 0, changed = 0 } = row ?? {};
    const [absent] = await this.#database.all<{ count: number }>(
      `SELECT count(*) AS count ${this.#absent()}`,
    );
    this.tally = { added, changed, removed: absent?.count ?? 0, unchanged: given - added - changed };
  }

  /** The tokens that are in the document twice or belong to another account, in batches. */
  async *flawed(): AsyncGenerator<readonly FlawedToken[]> {
    const { main, temporary } = this.#database.dialect;
    const isOther = this.#accountId === undefined ? 'true' : `existing.account_id <> ${this.#accountId}`;
    const query = `SELECT given.position, given.first_position, accounts.slug
      FROM (SELECT position, hash, min(position) OVER (PARTITION BY hash) AS first_position
        FROM ${temporary}.tokens_given) AS given
      LEFT JOIN ${main}.tokens AS existing ON existing.hash = given.hash AND ${isOther}
      LEFT JOIN ${main}.accounts ON accounts.id = existing.account_id
      WHERE first_position < position OR accounts.id IS NOT NULL ORDER BY given.position`;
    for await (const rows of this.#database.batches(query))
      yield rows.map(({ position, first_position, slug }) => ({
        position: Number(position),
        firstPosition: position === first_position ? undefined : Number(first_position),
        owner: slug === null ? undefined : String(slug),
      }));
  }

  /** The tokens that would be written, in the order of the document, then those to revoke; in batches. */
  async *changes(): AsyncGenerator<readonly TokenChange[]> {
    const before = TOKEN_FIELDS.map((name) => `existing.${name} AS before_${name}`);
    const after = TOKEN_FIELDS.map((name) => `${this.#after(name)} AS after_${name}`);
    const written = `SELECT ${[...before, ...after].join(', ')} FROM ${this.#written()} ORDER BY given.position`;
    for await (const rows of this.#database.batches(written))
      yield rows.map((row) => ({
        before: row.before_hash === null ? undefined : tokenOf(row, 'before_'),
        after: tokenOf(row, 'after_'),
      }));
    const revoked = `SELECT ${TOKEN_FIELDS.join(', ')} ${this.#absent()} ORDER BY id`;
    for await (const rows of this.#database.batches(revoked))
      yield rows.map((row) => ({ before: tokenOf(row), after: undefined }));
  }

  /** Within a merge, writes new and changed tokens, and revokes those that the document does not have. */
  async write(accountId: number): Promise<void> {
    const { main, nowMs } = this.#database.dialect;
    const { added, changed, removed } = this.tally;
    const values = TOKEN_FIELDS.map((name) => this.#after(name));
    const update = TOKEN_FIELDS.map((name) => `${name} = excluded.${name}`);
    const written = await this.#database.run(
      `INSERT INTO ${main}.tokens AS existing_token (account_id, ${TOKEN_FIELDS.join(', ')})
      SELECT ${accountId}, ${values.join(', ')} FROM ${this.#written()} ORDER BY given.position
      ON CONFLICT (hash) DO UPDATE SET ${update.join(', ')} WHERE existing_token.account_id = excluded.account_id`,
    );
    if (written !== added + changed) {
      throw new StoreFailure(
        'refused',
        'Another account was given one of these tokens meanwhile: nothing was imported, try again.',
      );
    }
    if (removed === 0) return;
    await this.#database.run(
      `UPDATE ${main}.tokens SET revoked_at = ${nowMs} WHERE id IN (SELECT id ${this.#absent()})`,
    );
  }

  /** A column of a token after the import. */
  #after(name: TokenField): string {
    if (name !== 'created_at') return AFTER[name];
    return `coalesce(${AFTER.created_at}, CAST(${this.#database.dialect.nowMs} AS bigint))`;
  }

  #given(): string {
    const { main, temporary } = this.#database.dialect;
    return `${temporary}.tokens_given AS given LEFT JOIN ${main}.tokens AS existing ON existing.hash = given.hash`;
  }

  #written(): string {
    return `${this.#given()} WHERE (existing.id IS NULL OR ${IS_CHANGED})`;
  }

  /** Tokens of the account that the document does not have, and that nobody has revoked yet. */
  #absent(): string {
    const { main, temporary } = this.#database.dialect;
    return `FROM ${main}.tokens WHERE account_id = ${this.#accountId ?? 'NULL'} AND revoked_at IS NULL
      AND hash NOT IN (SELECT hash FROM ${temporary}.tokens_given)`;
  }
}

/**
 * What becomes of a token. The document decides, as of other records, but never gives a token a longer life: one that is
 * revoked stays revoked, and of two ends the earlier one counts.
 */
const AFTER: Readonly<Record<TokenField, string>> = {
  hash: 'given.hash',
  hint: "coalesce(given.hint, existing.hint, '')",
  label: "coalesce(given.label, existing.label, '')",
  created_at: 'coalesce(given.created_at, existing.created_at)',
  expires_at: oneOf('expires_at', '<'),
  revoked_at: oneOf('revoked_at', '<'),
  last_used_at: oneOf('last_used_at', '>'),
};

/** The earlier or the later one. If only one of them is known, it is that one. */
function oneOf(name: TokenField, comparison: '<' | '>'): string {
  const [given, existing] = [`given.${name}`, `existing.${name}`];
  return `CASE WHEN ${existing} IS NULL OR ${given} ${comparison} ${existing} THEN ${given} ELSE ${existing} END`;
}

const IS_CHANGED = `(existing.id IS NOT NULL AND (${TOKEN_FIELDS.map(
  (name) => `existing.${name} IS DISTINCT FROM ${AFTER[name]}`,
).join(' OR ')}))`;
