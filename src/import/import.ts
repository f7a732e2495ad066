/**
 * Document → database, in one transaction: all of it or nothing. Each record is completed from what the
 * database has, checked as it will be, and written only when that changes something, so that importing an
 * unchanged plan again leaves every revision alone.
 */

import { type RecordOf, type ShiftRecord, TABLES, type Table } from '../store/records.ts';
import type { Account, AccountSettings, ImportStore, WriteTransaction } from '../store/store.ts';
import { completeRecord, type Given, isSameRecord } from './complete.ts';
import type { ImportDocument } from './document.ts';
import { type ImportProblem, ImportProblems } from './problems.ts';

export interface ImportOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Do everything, then undo it. */
  readonly dryRun: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Tally {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
}

export interface ImportSummary {
  readonly account: 'added' | 'changed' | 'unchanged';
  readonly tables: Readonly<Record<Table, Tally>>;
}

/** How many records are looked up, compared and written at a time. */
const CHUNK_SIZE = 10_000;

/** Throws ImportProblems, after which nothing has changed. */
export async function importDocument(
  store: ImportStore,
  document: ImportDocument,
  options: ImportOptions,
): Promise<ImportSummary> {
  const tables = { groups: noTally(), locations: noTally(), people: noTally(), shifts: noTally() };
  let account: ImportSummary['account'] = 'unchanged';
  await store.write(async (transaction) => {
    const existing = await transaction.findAccount(document.account.slug);
    const settings = completeAccount(document.account, existing);
    account = existing === undefined ? 'added' : isSameAccount(settings, existing) ? 'unchanged' : 'changed';
    const accountId =
      account === 'unchanged' && existing ? existing.id : await transaction.saveAccount(settings);

    const job: Job = { transaction, document, options, accountId, problems: duplicateIds(document) };
    for (const table of TABLES) await saveTable(job, table, tables[table]);
    if (job.problems.length > 0) throw new ImportProblems(job.problems);
    if (options.replace) {
      for (const table of TABLES.toReversed()) {
        tables[table].removed = await transaction.removeExcept(table, accountId, idsOf(document[table]));
      }
    }
    return !options.dryRun;
  });
  return { account, tables };
}

interface Job {
  readonly transaction: WriteTransaction;
  readonly document: ImportDocument;
  readonly options: ImportOptions;
  readonly accountId: number;
  /** Grows as the work goes on. From the first one on nothing is written any more, only checked. */
  readonly problems: ImportProblem[];
}

async function saveTable<T extends Table>(job: Job, table: T, tally: Tally): Promise<void> {
  const { transaction, document, accountId, problems, options } = job;
  const all: readonly Given<T>[] = document[table];
  for (let start = 0; start < all.length; start += CHUNK_SIZE) {
    const chunk = all.slice(start, start + CHUNK_SIZE);
    const existing = await transaction.find(table, accountId, idsOf(chunk));
    const complete: Placed<RecordOf<T>>[] = [];
    chunk.forEach((given, i) => {
      const place = `${table}[${start + i}]`;
      const completed = completeRecord(table, given, existing.get(given.id));
      if ('problem' in completed) {
        problems.push({ place: place + completed.problem.field, message: completed.problem.message });
      } else {
        complete.push({ place, record: completed.record });
      }
    });
    if (table === 'shifts') await checkReferences(job, complete as unknown as Placed<ShiftRecord>[]);
    const changed = tallyChanges(table, complete, existing, tally);
    if (problems.length === 0) await transaction.save(table, accountId, changed);
    if (table === 'shifts') options.onProgress?.(start + chunk.length, all.length);
  }
}

interface Placed<Record> {
  readonly place: string;
  readonly record: Record;
}

function tallyChanges<T extends Table>(
  table: T,
  complete: readonly Placed<RecordOf<T>>[],
  existing: ReadonlyMap<number, RecordOf<T>>,
  tally: Tally,
): RecordOf<T>[] {
  const changed: RecordOf<T>[] = [];
  for (const { record } of complete) {
    const before = existing.get(record.id);
    if (before !== undefined && isSameRecord(table, before, record)) {
      tally.unchanged++;
    } else {
      tally[before === undefined ? 'added' : 'changed']++;
      changed.push(record);
    }
  }
  return changed;
}

const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** A shift may refer to what only the database has, unless that is about to be removed. */
async function checkReferences(job: Job, shifts: readonly Placed<ShiftRecord>[]): Promise<void> {
  const { transaction, document, accountId, options, problems } = job;
  for (const [field, table, noun] of REFERENCES) {
    const inDocument = new Set(idsOf(document[table]));
    const isLoose = (id: number | null): id is number => id !== null && !inDocument.has(id);
    const loose = shifts.filter(({ record }) => isLoose(record[field]));
    const ids = new Set(loose.map(({ record }) => record[field]).filter(isLoose));
    const inDatabase = await transaction.find(table, accountId, [...ids]);
    for (const { place, record } of loose) {
      const id = record[field] as number;
      if (!inDatabase.has(id)) {
        problems.push({
          place: `${place}.${field}`,
          message: `there is no ${noun} ${id} in the document or the account`,
        });
      } else if (options.replace) {
        problems.push({
          place: `${place}.${field}`,
          message: `${noun} ${id} is not in the document, so it would be removed`,
        });
      }
    }
  }
}

function duplicateIds(document: ImportDocument): ImportProblem[] {
  return TABLES.flatMap((table) => {
    const firstPlaces = new Map<number, number>();
    return idsOf(document[table]).flatMap((id, i) => {
      const first = firstPlaces.get(id);
      if (first === undefined) firstPlaces.set(id, i);
      return first === undefined
        ? []
        : [{ place: `${table}[${i}].id`, message: `${id} is the id of ${table}[${first}] too` }];
    });
  });
}

function completeAccount(given: ImportDocument['account'], existing: Account | undefined): AccountSettings {
  return {
    slug: given.slug,
    name: given.name ?? existing?.name ?? given.slug,
    premium: given.premium ?? existing?.premium ?? false,
    timeZone: given.time_zone ?? existing?.timeZone ?? 'UTC',
    sort: given.sort ?? existing?.sort ?? 'time',
  };
}

function isSameAccount(a: AccountSettings, b: AccountSettings): boolean {
  return a.name === b.name && a.premium === b.premium && a.timeZone === b.timeZone && a.sort === b.sort;
}

function idsOf(records: readonly { readonly id: number }[]): number[] {
  return records.map(({ id }) => id);
}

function noTally(): Tally {
  return { added: 0, changed: 0, removed: 0, unchanged: 0 };
}
