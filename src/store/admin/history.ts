/**
 * What was imported into an account, and taken back: one entry each time. What the last import replaced is kept with its
 * entry, so that it can be taken back as long as nobody else has written to the account.
 */

import { createHash } from 'node:crypto';
import type { Account, AccountSettings } from '../account.ts';
import type { Database, Queries, Transaction } from '../database.ts';
import type { Table, Tally } from '../records.ts';
import { readReplaced } from '../staging/replaced.ts';
import { accountTransaction } from './accounts.ts';
import { recordsOf } from './export.ts';

/** What an import did, or what taking it back did. */
export interface Counts {
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly tables: Readonly<Record<Table, Tally>>;
  /** Only of an import that takes tokens. */
  readonly tokens?: Tally | undefined;
}

export interface NewEntry {
  readonly action: 'import' | 'undo';
  /** Who did it, such as "command line". */
  readonly who: string;
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly counts: Counts;
}

export interface HistoryEntry extends NewEntry {
  readonly id: number;
  readonly atMs: number;
  /** The revision of the account afterwards. */
  readonly revision: number;
  /** By whose clocks its time is told. By default, in UTC. */
  readonly timeZone?: string | undefined;
}

/** Why an import cannot be taken back. */
export type UndoRefusal =
  /** It took tokens, and a token that was revoked must not become live again. */
  | 'tokens'
  /** What it replaced is too large to be kept. */
  | 'size'
  /** Somebody has written to the account since. */
  | 'changed'
  /** It is itself the taking back of an import. */
  | 'undone';

export interface LastChange {
  /** The last entry that changed something. */
  readonly entry: HistoryEntry;
  /** undefined: it can be taken back. */
  readonly refusal: UndoRefusal | undefined;
  /** The settings that taking it back would restore; undefined if it would restore none. */
  readonly settings: AccountSettings | undefined;
}

/** An import that need not be done again. */
interface SameImport {
  readonly account: Account;
  /** When the same was imported before. */
  readonly atMs: number;
  readonly counts: Counts;
}

/** What an account is like: equal values mean equal settings and records. Tokens are not part of it. */
export interface AccountState {
  readonly revision: number;
  /** Everything that can change without a new revision: a hash of the settings, and one of the records. */
  readonly state: string;
}

export function historyStore(database: Database) {
  const { main } = database.dialect;
  return {
    /** The newest first. */
    async history(accountId: number): Promise<readonly HistoryEntry[]> {
      const rows = await database.all<EntryRow>(
        `SELECT ${ENTRY_COLUMNS} FROM ${main}.import_history WHERE account_id = $1 ORDER BY id DESC`,
        [accountId],
      );
      return rows.map(entryOf);
    },

    /** undefined: the history has no change. Takes longer the more groups, locations and people there are. */
    lastChange: (accountId: number) => database.reading((transaction) => lastChange(transaction, accountId)),

    /**
     * The same without reading all records: what another program has changed without a new revision is not noticed, until
     * the import is taken back.
     */
    lastChangeAtOnce: (accountId: number) =>
      database.reading((transaction) => lastChange(transaction, accountId, settingsState)),

    /** Whether the last import of any account had so many bytes. */
    async isSizeKnown(bytes: number): Promise<boolean> {
      const rows = await database.all(
        `SELECT 1 FROM ${main}.import_history WHERE input IS NOT NULL AND input LIKE $1 LIMIT 1`,
        [`${inputOf(bytes, '')}%`],
      );
      return rows.length > 0;
    },

    /**
     * Finds the account whose last import had this input, and which is still as it was after that. Notes that the import
     * was done again. Returns undefined if there is none.
     */
    repeatImport: (input: string, repeated: Pick<NewEntry, 'who' | 'file'>) =>
      database.writing(
        (transaction) => repeatImport(transaction, input, repeated),
        (same) => same !== undefined,
      ),
  };
}

/** The input of an import: how long the file is, and a hash of it and of how it was read. */
export function inputOf(bytes: number, hash: string): string {
  return `${bytes}-${hash}`;
}

const ENTRY_COLUMNS = 'id, at AS "atMs", action, who, file, counts, revision, state, refusal';

interface EntryRow extends Omit<HistoryEntry, 'counts' | 'timeZone'> {
  /** As JSON. */
  readonly counts: string;
  readonly state: string;
  readonly refusal: UndoRefusal | null;
}

function entryOf({ state: _, refusal: __, counts, ...entry }: EntryRow): HistoryEntry {
  return { ...entry, counts: JSON.parse(counts) };
}

export async function lastChange(
  transaction: Transaction,
  accountId: number,
  find = stateOf,
): Promise<LastChange | undefined> {
  const { main } = transaction.dialect;
  const [row] = await transaction.all<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM ${main}.import_history WHERE account_id = $1 AND has_changed
    ORDER BY id DESC LIMIT 1`,
    [accountId],
  );
  if (row === undefined) return undefined;
  const { refusal } = row;
  const entry = entryOf(row);
  const isChanged = refusal === null && !(await isStillAt(transaction, accountId, row, find));
  const settings = entry.counts.account === 'changed' ? await readSettings(transaction, row.id) : undefined;
  return { entry, refusal: isChanged ? 'changed' : (refusal ?? undefined), settings };
}

/** They are kept first. */
async function readSettings(transaction: Transaction, entryId: number): Promise<AccountSettings | undefined> {
  for await (const replaced of readReplaced(transaction, entryId))
    return 'settings' in replaced ? replaced.settings : undefined;
  return undefined;
}

/** As far as `find` looks, which may be at the settings alone: their state begins that of everything. */
async function isStillAt(
  transaction: Transaction,
  accountId: number,
  { revision, state }: AccountState,
  find = stateOf,
): Promise<boolean> {
  const now = await find(transaction, accountId);
  return now.revision === revision && state.startsWith(now.state);
}

async function settingsState({ dialect, all }: Queries, accountId: number): Promise<AccountState> {
  const [row] = await all(
    `SELECT slug, name, premium, time_zone, sort, revision FROM ${dialect.main}.accounts WHERE id = $1`,
    [accountId],
  );
  const { slug, name, premium, time_zone, sort, revision } = row ?? {};
  const hash = createHash('sha256').update(JSON.stringify([slug, name, Boolean(premium), time_zone, sort]));
  return { revision: Number(revision), state: hash.digest('hex') };
}

async function stateOf(transaction: Transaction, accountId: number): Promise<AccountState> {
  const { revision, state } = await settingsState(transaction, accountId);
  const hash = createHash('sha256');
  for (const table of ['groups', 'locations', 'people'] as const) {
    hash.update(table);
    for await (const records of recordsOf(transaction, table, accountId)) {
      for (const record of records) hash.update(JSON.stringify(Object.values(record)));
    }
  }
  return { revision, state: `${state} ${hash.digest('hex')}` };
}

async function repeatImport(
  transaction: Transaction,
  input: string,
  { who, file }: Pick<NewEntry, 'who' | 'file'>,
): Promise<SameImport | undefined> {
  const { main } = transaction.dialect;
  const found = await transaction.all<{ slug: string }>(
    `SELECT slug FROM ${main}.accounts JOIN ${main}.import_history ON account_id = accounts.id WHERE input = $1`,
    [input],
  );
  for (const { slug } of found) {
    const account = await accountTransaction(transaction).lockAccount(slug);
    if (account === undefined) continue;
    const [row] = await transaction.all<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM ${main}.import_history WHERE account_id = $1 AND input = $2`,
      [account.id, input],
    );
    if (row === undefined || !(await isStillAt(transaction, account.id, row))) continue;
    const counts = unchanged(entryOf(row).counts);
    const id = await beginEntry(transaction, account.id, { action: 'import', who, file, counts }, false);
    await finishEntry(transaction, account.id, id, { input });
    return { account, atMs: row.atMs, counts };
  }
  return undefined;
}

/** What the same import does once more. */
function unchanged({ tables }: Counts): Counts {
  const tallies = Object.entries(tables).map(([table, tally]) => [
    table,
    { added: 0, changed: 0, removed: 0, unchanged: tally.added + tally.changed + tally.unchanged },
  ]);
  return { account: 'unchanged', tables: Object.fromEntries(tallies) };
}

/** An import that runs every few minutes must not fill the history, so one that changes nothing replaces its like. */
export async function beginEntry(
  { dialect, all }: Queries,
  accountId: number,
  { action, who, file, counts }: NewEntry,
  hasChanged: boolean,
): Promise<number> {
  const { main, nowMs } = dialect;
  if (!hasChanged) {
    await all(
      `DELETE FROM ${main}.import_history WHERE who = $2 AND file = $3 AND NOT has_changed
        AND id = (SELECT max(id) FROM ${main}.import_history WHERE account_id = $1)`,
      [accountId, who, file],
    );
  }
  const [row] = await all<{ id: number }>(
    `INSERT INTO ${main}.import_history (account_id, at, action, who, file, has_changed, counts, revision, state)
    VALUES ($1, ${nowMs}, $2, $3, $4, $5, $6, 0, '') RETURNING id`,
    [accountId, action, who, file, hasChanged, JSON.stringify(counts)],
  );
  return row?.id as number;
}

/** How long entries are kept, and how many of an account. */
export const KEPT_MS = 366 * 86_400_000;
const MOST_ENTRIES = 1_000;

/** To be called at the end of the transaction, because it records what the account is like. */
export async function finishEntry(
  transaction: Transaction,
  accountId: number,
  id: number,
  { input, refusal }: { input?: string | undefined; refusal?: UndoRefusal | undefined } = {},
): Promise<void> {
  const { dialect, all } = transaction;
  const { main, nowMs } = dialect;
  const { revision, state } = await stateOf(transaction, accountId);
  const ofAccount = `${main}.import_history WHERE account_id = $1`;
  await all(`UPDATE ${main}.import_history SET input = NULL WHERE account_id = $1 AND input IS NOT NULL`, [
    accountId,
  ]);
  await all(
    `UPDATE ${main}.import_history SET revision = $2, state = $3, input = $4, refusal = $5 WHERE id = $1`,
    [id, revision, state, input, refusal],
  );
  await all(
    `DELETE FROM ${ofAccount} AND (at < ${nowMs} - ${KEPT_MS}
      OR id <= (SELECT id FROM ${ofAccount} ORDER BY id DESC LIMIT 1 OFFSET ${MOST_ENTRIES}))`,
    [accountId],
  );
  // An operator wants to know whether the import ran, even when nothing has changed.
  await all(
    `INSERT INTO ${main}.imports (account_id, succeeded_at) SELECT account_id, at FROM ${main}.import_history
    WHERE id = $1 AND action = 'import'
    ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at`,
    [id],
  );
}

/**
 * Forgets what imports replaced, except for one entry. To be called when an account changes: nothing could be taken back
 * any more, and the old name of a person must not stay here.
 */
export async function forgetReplaced(
  { dialect: { main }, all }: Queries,
  accountId: number,
  exceptEntryId = 0,
): Promise<void> {
  const ofAccount = `SELECT id FROM ${main}.import_history WHERE account_id = $1 AND id <> $2`;
  const values = [accountId, exceptEntryId];
  await all(`DELETE FROM ${main}.replaced_records WHERE entry_id IN (${ofAccount})`, values);
  await all(
    `UPDATE ${main}.import_history SET refusal = 'changed' WHERE refusal IS NULL AND id IN (${ofAccount})`,
    values,
  );
}
