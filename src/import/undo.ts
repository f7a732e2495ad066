/**
 * Takes the last import into an account back, exactly: all of it or nothing, and only if nobody has written to the account
 * since. What the import replaced is staged like a document, so it is compared and written in the same way.
 */

import type { AccountSettings } from '../store/account.ts';
import type { AccountVersion } from '../store/admin/accounts.ts';
import type { Counts, HistoryEntry, LastChange } from '../store/admin/history.ts';
import { StoreFailure } from '../store/failure.ts';
import { TABLES, type Table } from '../store/records.ts';
import type { Comparison, Comparisons } from '../store/staging/comparison.ts';
import type { ImportStore, Stage } from '../store/staging/stage.ts';
import { writeAll } from './import.ts';
import { anotherCame, byClocksOf, changedSince, named, whyNotUndone } from './refusal.ts';

export interface UndoSummary {
  readonly slug: string;
  /** The import that was taken back. */
  readonly undone: HistoryEntry;
  /** What taking it back did. An account that the import has made stays. */
  readonly counts: Counts;
}

interface UndoOptions {
  /** The entry of the history that is meant to be taken back. By default, the last one. */
  readonly entryId?: number;
  /** Says why the one who asks may not take back what the import did; undefined if they may. */
  readonly refuses?: (last: LastChange, account: AccountSettings) => string | undefined;
  /** Whether times are told by the clocks of the account. */
  readonly isLocal?: boolean;
  /** Gets the id of the new entry, just before the transaction is committed. */
  readonly onEntry?: (entryId: number) => Promise<void>;
}

/**
 * Throws a StoreFailure if it cannot be taken back; then nothing has changed. Returns undefined if there is no such
 * account. `who` is for the history.
 */
export function undoImport(
  store: ImportStore,
  slug: string,
  who: string,
  { entryId, onEntry, ...needed }: UndoOptions = {},
): Promise<UndoSummary | undefined> {
  return store.stage(async (stage) => {
    const account = await stage.findAccount(slug);
    if (account === undefined) return undefined;
    const undone = await needUndoable(stage, account, needed);
    if (entryId !== undefined && entryId !== undone.id) throw refused(anotherCame(slug));
    const { settings, comparisons } = await prepare(stage, account, undone);
    const tallies = TABLES.map((table) => [table, comparisons[table].tally]);
    const counts: Counts = {
      account: settings === undefined ? 'unchanged' : 'changed',
      tables: Object.fromEntries(tallies),
    };
    await stage.merge(async (transaction) => {
      const now = await transaction.lockAccount(slug);
      // The comparisons hold only for the account that they were made with.
      const again = now?.id === account.id ? await needUndoable(stage, now, needed) : undefined;
      if (again?.id !== undone.id) throw refused(changedSince(slug, undone));
      const entry = await stage.beginEntry(
        account.id,
        { action: 'undo', who, file: undone.file, counts },
        'undone',
      );
      if (settings !== undefined) await transaction.saveAccount({ ...settings, slug });
      await writeAll(comparisons, account.id);
      await entry.end();
      await onEntry?.(entry.id);
    });
    return { slug, undone, counts };
  });
}

async function needUndoable(
  stage: Stage,
  account: AccountVersion,
  { refuses, isLocal = false }: UndoOptions,
): Promise<HistoryEntry> {
  const found = await stage.lastChange(account.id);
  const last = isLocal ? byClocksOf(found, account.timeZone) : found;
  const why = whyNotUndone(account.slug, last) ?? (last && refuses?.(last, account));
  if (last === undefined || why !== undefined) throw refused(why ?? '');
  return last.entry;
}

function refused(sentence: string): StoreFailure {
  return new StoreFailure('refused', sentence);
}

/** Puts what the import replaced on the stage, and compares it with the account. */
async function prepare(
  stage: Stage,
  account: AccountVersion,
  undone: HistoryEntry,
): Promise<{ readonly settings: AccountSettings | undefined; readonly comparisons: Comparisons }> {
  let settings: AccountSettings | undefined;
  const added = new Map<Table, 'all' | 'listed'>();
  for await (const replaced of stage.replacedBy(undone.id)) {
    if ('settings' in replaced) settings = replaced.settings;
    else if ('records' in replaced) await stage.add(replaced.table, replaced.records);
    else if (replaced.added === 'all') added.set(replaced.table, 'all');
    else {
      added.set(replaced.table, 'listed');
      await stage.list(replaced.table, replaced.added);
    }
  }
  const comparisons: Partial<Record<Table, Comparison>> = {};
  for (const table of TABLES) {
    const removed = added.get(table);
    const comparison = await stage.compare(table, {
      accountId: account.id,
      unknown: new Set(),
      removal: removed && { days: undefined, isListed: removed === 'listed' },
      removesReferred: false,
      isSheet: false,
    });
    for await (const _flawed of comparison.flawed())
      throw refused(
        `${named(undone)} cannot be taken back: ${table} that were there before are not valid. "shiftfeed doctor" may tell more.`,
      );
    const { added: again, changed, removed: gone } = comparison.tally;
    const did = undone.counts.tables[table];
    if (again !== did.removed || changed !== did.changed || gone !== did.added)
      throw refused(`${named(undone)} cannot be taken back: what was kept of its ${table} is not whole.`);
    comparisons[table] = comparison;
  }
  return { settings, comparisons: comparisons as unknown as Comparisons };
}
